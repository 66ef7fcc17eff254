import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Target } from '../../wire/addresses.ts';
import type { ChainIntake, ChainView } from './chain_access.ts';
import type { Genesis } from '../../wire/messages/genesis.ts';
import type { DialEvents } from '../../wire/link/pipe.ts';
import type { NodeId } from '../../wire/wire_values.ts';
import type { BoundaryCertificate } from '../../wire/messages/finality.ts';

/** Chance, so that a run can be repeated. */
export interface RandomSource {
  /** A whole number from 0 to `below` − 1. */
  roll(below: number): number;
}

/**
 * All that the network needs of the world. It has no time, chance, sockets or disk of its own, so that one thread can
 * hold a hundred.
 */
export interface Environment {
  readonly clock: Clock;
  /** The latest that it can be, in milliseconds since 1970 (latest_time.ts). */
  readonly latestMs: () => number;
  /** For how long the thread has worked since it began, whatever it did; undefined where nobody can tell. */
  readonly workedMs?: (() => number) | undefined;
  readonly randomSource: RandomSource;
  readonly log: Log;
  readonly view: ChainView;
  readonly intake: ChainIntake;
  /** The genesis of a development chain; other chains announce none. */
  readonly genesis?: Genesis | undefined;
  dial(target: Target, events: DialEvents): void;
  /** Takes switches to this node's key from any peer; undefined where it stands by for nobody. */
  standbySwitch?(from: NodeId, packed: Uint8Array): void;
  /** Boundary certificates that a peer has answered, true or not; undefined where nobody looks for the way from a checkpoint. */
  boundaries?(boundaries: readonly BoundaryCertificate[]): void;
  /** This node can't be right any more: it has to stop. */
  failed(sentence: string): void;
}
