import type { WatchedHead } from './block_reader.ts';
import type { Mix } from './mix.ts';
import type { LoadAccount } from './post_maker.ts';
import type { Sender } from './signing_request.ts';
import type { Moment } from './timeline.ts';

/** A load: what, where, how fast and for how long. */
export interface TrafficSettings {
  /** Posts take turns; blocks are watched at the first. */
  readonly urls: readonly [string, ...string[]];
  readonly profileName: string;
  readonly mix: Mix;
  readonly accounts: readonly (Pick<LoadAccount, 'name' | 'secrets' | 'isActedFor'> | Sender)[];
  /** Of these, active witnesses send what only witnesses can. */
  readonly witnesses: readonly Sender[];
  /** Calls a second; undefined is a closed loop. */
  readonly perSecond: number | undefined;
  readonly durationMs: number | undefined;
  /** Calls in all; undefined is as many as the duration takes. */
  readonly count: number | undefined;
  /** Posts under way at once. */
  readonly lanes: number;
  /** For each honest call so many of strangers, 0 to 1. */
  readonly hostileShare: number;
  readonly overSocket: boolean;
  /** Threads that sign ahead. */
  readonly threads: number;
  /** The lifetime of transactions, in seconds of the chain. */
  readonly lifetimeSeconds: number;
  /** True when the end waits for the last block to be irreversible, false for blocks only. */
  readonly untilIrreversible: boolean;
  /** Of the first node, when it is known. */
  readonly pid: number | undefined;
  /** The address of the first node's metrics; `/metrics` at its own address by default. */
  readonly metricsUrl: string | undefined;
  /** Told each second. */
  readonly live: (moment: Moment, head: WatchedHead) => void;
  readonly progress: (doing: string) => void;
}
