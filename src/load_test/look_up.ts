import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../base/fault.ts';
import type { Acknowledged, Acknowledgement } from './acknowledged.ts';
import { audit, unknownAudit, type Audit, type GoneAt } from './audit.ts';
import type { BlockReader } from './block_reader.ts';
import { readBlocks, type ChainBlocks } from './chain_blocks.ts';
import type { HeadWatch } from './head_watch.ts';
import type { LatencyHistogram } from './latency_histogram.ts';

/** The transactions to look up, and the place for the results. */
export interface LookUp {
  readonly reader: BlockReader;
  readonly watch: HeadWatch;
  readonly acknowledged: Acknowledged;
  readonly goneAt: GoneAt;
  /** When the load began, on the clock of the watch. */
  readonly startedMs: number;
  /** From due to seen in a block, and to irreversible. */
  readonly inclusion: LatencyHistogram;
  readonly irreversibility: LatencyHistogram;
  /** For so long, a node that can't be asked is asked again, and what is in no block is looked for in the next ones. */
  readonly patienceMs: number;
  /** The node that is asked may be so far behind the one that has acknowledged something as final. */
  readonly finalPatienceMs: number;
}

/** One block of a load, or several where there are too many for a chart. */
export interface BlockMoment {
  readonly second: number;
  /** Share of the largest allowed size, at most. */
  readonly fullness: number;
  readonly transactions: number;
}

/** Enough for a chart. */
const MOST_MOMENTS = 720;

/** The blocks that were read, and the fate of the load’s transactions. */
export interface LookedUp {
  readonly audit: Audit;
  readonly blocks: {
    readonly transactions: number;
    readonly mostTransactions: number;
    readonly undone: number;
    /** Blocks as they were first seen, in seconds since the load began. */
    readonly course: readonly BlockMoment[];
  };
}

const AGAIN_MS = 500;
/**
 * A transaction stands in one of the next two with room. The one before may have been under way when it was accepted.
 */
const ENOUGH_ROOMY = 3;

/** Reads the blocks of a load, and finds in them what was acknowledged. */
export async function lookUp(asked: LookUp): Promise<LookedUp> {
  for (const startMs = performance.now(); ; await sleep(AGAIN_MS)) {
    const waitedMs = performance.now() - startMs;
    const isLate = waitedMs >= asked.patienceMs;
    try {
      const found = await lookedUp(asked);
      const { stillValid, revoked } = found.audit;
      if ((stillValid === 0 || isLate) && (revoked === 0 || waitedMs >= asked.finalPatienceMs)) return found;
    } catch (error) {
      if (error instanceof Fault && error.code === 'disk') throw error;
      if (isLate)
        return {
          audit: unknownAudit(asked.acknowledged.count),
          blocks: { transactions: 0, mostTransactions: 0, undone: asked.watch.undone(new Map()), course: [] },
        };
    }
  }
}

async function lookedUp(asked: LookUp): Promise<LookedUp> {
  const { reader, watch, acknowledged, goneAt } = asked;
  const blocks = await readBlocks(reader, watch.heads().first, (number) => watch.maximumBytes(number));
  try {
    await watch.lookedAgain();
    const found = await audit({
      reader,
      acknowledged,
      blocks,
      goneAt,
      hadRoom: makeRoomCheck(asked, blocks),
      found: noting(asked, blocks),
    });
    const transactions = Math.max(blocks.count, found.irreversible + found.reversible);
    const course = makeCourse(asked, blocks, await reader.packedSizes(watch.heads().first, blocks.head.number));
    return {
      audit: found,
      blocks: { transactions, mostTransactions: blocks.most, undone: watch.undone(blocks.ids), course },
    };
  } finally {
    blocks.transactions.remove();
  }
}

function makeCourse(
  { watch, startedMs }: LookUp,
  { ids, sizes }: ChainBlocks,
  packed: ReadonlyMap<number, number>,
): BlockMoment[] {
  const seenMs = watch.seenMs(ids);
  let course = sizes.flatMap(({ number, mostBytes, transactions }) => {
    const atMs = seenMs.get(number);
    // The text of a block is longer than its packed form, which no larger than the limit can be.
    const maximumBytes = watch.maximumBytes(number);
    const bytes = packed.get(number) ?? Math.min(mostBytes, maximumBytes);
    const fullness = bytes / Math.max(maximumBytes, 1);
    return atMs === undefined ? [] : [{ second: (atMs - startedMs) / 1000, fullness, transactions }];
  });
  while (course.length > MOST_MOMENTS) course = mergePairs(course);
  return course;
}

function mergePairs(course: readonly BlockMoment[]): BlockMoment[] {
  return course.flatMap((moment, index) => {
    if (index % 2 === 1) return [];
    const next = course[index + 1];
    if (next === undefined) return [moment];
    const fullness = Math.max(moment.fullness, next.fullness);
    return [{ second: next.second, fullness, transactions: moment.transactions + next.transactions }];
  });
}

/**
 * True when enough blocks with room were first seen behind an acknowledgement, and came before the transaction expired.
 */
function makeRoomCheck({ watch, startedMs }: LookUp, { ids, roomy }: ChainBlocks): (said: Acknowledgement) => boolean {
  const seenMs = watch.seenMs(ids);
  return ({ expiration, second }) => {
    // The second of the acknowledgement is over then.
    const fromMs = startedMs + (second + 1) * 1000;
    let count = 0;
    for (const { number, time } of roomy) {
      if (time > expiration) return false;
      if ((seenMs.get(number) ?? 0) >= fromMs && ++count >= ENOUGH_ROOMY) return true;
    }
    return false;
  };
}

/** Notes the latencies of what is found. */
function noting(
  { watch, startedMs, inclusion, irreversibility }: LookUp,
  { ids }: ChainBlocks,
): (said: { readonly dueMs: number }, block: number) => void {
  const seenMs = watch.seenMs(ids);
  inclusion.clear();
  irreversibility.clear();
  return ({ dueMs }, block) => {
    const [inBlockMs, irreversibleMs] = [seenMs.get(block), watch.irreversibleMs(block)];
    if (inBlockMs !== undefined) inclusion.record(inBlockMs - startedMs - dueMs);
    if (irreversibleMs !== undefined) irreversibility.record(irreversibleMs - startedMs - dueMs);
  };
}
