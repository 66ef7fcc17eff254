import type { SlotTimes } from '../../production/reports.ts';
import { Histogram } from '../../base/histogram.ts';

/** From a timer that fires on time to a whole slot, in steps that show whether the limit of 100 ms is kept. */
const edgesSeconds = [0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 3];

/** From a slot to its final block: a second with all voters there, three for each slot that misses its votes. */
const finalityEdgesSeconds = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.5, 2, 3, 4, 6, 10, 20, 60];

/**
 * Delays in a node, in seconds: how well it keeps its slots, and how long its verifiers are busy with one batch; and
 * what they prove.
 */
export class StallTimes {
  /** From the beginning of one of this node's slots until work on the block began. */
  readonly blockStart = new Histogram(edgesSeconds);
  /** From the beginning of one of this node's slots until the block was on disk. */
  readonly blockCommit = new Histogram(edgesSeconds);
  /** From the beginning of a block's slot until the block was final here. */
  readonly finality = new Histogram(finalityEdgesSeconds);
  /** From the first byte of a batch to its last signature: meanwhile a verifier does nothing else. */
  readonly verifierBatch = new Histogram(edgesSeconds);
  /** Counts of verified parts of blocks: transactions that nobody had sent before, and whole blocks. */
  readonly verified = { transactions: 0, blocks: 0 };
  /** When this node's last block was on disk, in seconds since 1970; undefined before the first. */
  committedSeconds: number | undefined;

  takeSlot({ startedLateMs, committedLateMs, committedMs }: SlotTimes): void {
    this.blockStart.add(startedLateMs / 1000);
    this.blockCommit.add(committedLateMs / 1000);
    this.committedSeconds = committedMs / 1000;
  }
}
