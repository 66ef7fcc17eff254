import type { Audit } from './audit.ts';
import type { WatchedHeads } from './head_watch.ts';
import type { HostileCount } from './hostile.ts';
import type { LatencyHistogram } from './latency_histogram.ts';
import type { ToldFigures } from './node_pages.ts';
import type { OwnFigures } from './own_use.ts';
import type { RecoveryCounts } from './tally.ts';
import type { LookedUp } from './look_up.ts';
import type { Moment } from './timeline.ts';

/** The shape of a set of latencies, in milliseconds. */
export interface Spread {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  /** Pairs of a share of the calls and the latency that it did not exceed. */
  readonly curve: readonly (readonly [share: number, latencyMs: number])[];
}

/** All that a run tells; `--json` writes it as it is. Times are in milliseconds unless the name says otherwise. */
export interface TrafficReport {
  readonly format: 2;
  readonly started: string;
  readonly settings: {
    readonly mix: string;
    readonly urls: readonly string[];
    /** Null for a closed loop. */
    readonly perSecond: number | null;
    readonly lanes: number;
    readonly overSocket: boolean;
    readonly accounts: number;
    readonly threads: number;
  };
  readonly seconds: number;
  /** Somebody has ended it before its time. */
  readonly interrupted: boolean;
  readonly sent: { readonly calls: number; readonly posts: number; readonly unsent: number };
  readonly answered: number;
  readonly answeredPerSecond: number;
  readonly refusedCalls: number;
  /** By reason, in the order of `recoveries`. */
  readonly refused: Readonly<Record<string, number>>;
  readonly recoveries: RecoveryCounts;
  readonly latencies: {
    /** From due to answered, of reads and of what waits until the node has accepted it. */
    readonly acceptance: Spread;
    /** The same of what waits until it is in a block, and until that is final (`wait_for` of a mix). */
    readonly untilBlock: Spread;
    readonly untilFinal: Spread;
    /** From sent to answered. */
    readonly service: Spread;
    /** From due to seen in a block. */
    readonly inclusion: Spread;
    /** From due to the moment its block could not be undone any more. */
    readonly irreversibility: Spread;
  };
  /** The hostile traffic beside it; null without `--hostile`. Its latencies are in none of those above. */
  readonly hostile: { readonly latency: Spread; readonly kinds: Readonly<Record<string, HostileCount>> } | null;
  readonly forms: readonly {
    readonly name: string;
    readonly calls: number;
    readonly refused: number;
    readonly latency: Spread;
  }[];
  /** Forms for which there is no account. */
  readonly leftOut: readonly string[];
  readonly blocks: WatchedHeads &
    LookedUp['blocks'] & {
      /** Between blocks, as they came. */
      readonly intervals: Spread;
      readonly maximumBytes: number;
      /** The node's moving average, at the end. */
      readonly averageBytes: number;
    };
  readonly included: number;
  readonly audit: Audit;
  /** The node's own figures, from its pages. */
  readonly told: ToldFigures;
  /** Null where it doesn't run on this machine. */
  readonly node: {
    readonly pid: number;
    readonly cpuSeconds: number;
    /** CPU time of each thread: the main thread first, then the others, the busiest first. */
    readonly threadCpuSeconds: readonly number[];
    readonly bytes: number;
    readonly mostBytes: number;
  } | null;
  readonly self: OwnFigures;
  readonly timeline: readonly Moment[];
}

const CURVE = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999, 1];

/** The shape of what a histogram has. */
export function latencySpread(histogram: LatencyHistogram): Spread {
  const at = (share: number): number => histogram.percentile(share);
  return {
    count: histogram.count,
    mean: histogram.meanMs,
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    p999: at(0.999),
    max: histogram.maxMs,
    curve: histogram.count === 0 ? [] : CURVE.map((share) => [share, at(share)] as const),
  };
}
