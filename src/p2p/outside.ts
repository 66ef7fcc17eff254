import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Target } from './addresses.ts';
import type { ChainIntake, ChainView } from './chain_access.ts';
import type { Genesis } from './messages/genesis.ts';
import type { Pipe, PipeListener } from './pipe.ts';
import type { NodeId } from './wire_values.ts';

/** Chance, so that a run can be repeated. */
export interface Dice {
  /** A whole number from 0 to `below` − 1. */
  roll(below: number): number;
}

/** What becomes of a dialled connection; one of the two is called, and not before `dial` has returned. */
export interface DialEvents {
  /** The other side has shown who it is. The result hears of the pipe. */
  connected(pipe: Pipe): PipeListener;
  failed(reason: string): void;
}

/** All that the network needs of the world. It has no time, chance, sockets or disk of its own, so that one thread can hold a hundred. */
export interface Outside {
  readonly clock: Clock;
  /** The latest that it can be, in milliseconds since 1970 (latest_time.ts). */
  readonly latestMs: () => number;
  readonly dice: Dice;
  readonly log: Log;
  readonly view: ChainView;
  readonly intake: ChainIntake;
  /** What a development chain was made of; nobody else tells. */
  readonly genesis?: Genesis | undefined;
  dial(target: Target, events: DialEvents): void;
  /** Takes switches to this node's key, from whomever; undefined where it stands by for nobody. */
  standbySwitch?(from: NodeId, packed: Uint8Array): void;
  /** This node can't be right any more: it has to stop. */
  failed(sentence: string): void;
}
