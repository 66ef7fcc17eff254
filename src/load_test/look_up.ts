import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../base/fault.ts';
import type { Acknowledged, Acknowledgement } from './acknowledged.ts';
import { audit, unknownAudit, type Audit, type GoneAt } from './audit.ts';
import type { BlockReader } from './block_reader.ts';
import { readBlocks, type ChainBlocks } from './chain_blocks.ts';
import type { HeadWatch } from './head_watch.ts';
import type { LatencyHistogram } from './latency_histogram.ts';

/** What is looked up, and where it is noted. */
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

/** What blocks were read, and what became of the transactions of the load. */
export interface LookedUp {
  readonly audit: Audit;
  readonly blocks: { readonly transactions: number; readonly mostTransactions: number; readonly undone: number };
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
          blocks: { transactions: 0, mostTransactions: 0, undone: asked.watch.undone(new Map()) },
        };
    }
  }
}

async function lookedUp(asked: LookUp): Promise<LookedUp> {
  const { reader, watch, acknowledged, goneAt } = asked;
  const blocks = await readBlocks(reader, watch.heads().first);
  try {
    await watch.lookedAgain();
    const found = await audit({
      reader,
      acknowledged,
      blocks,
      goneAt,
      hadRoom: roomOf(asked, blocks),
      found: noting(asked, blocks),
    });
    const transactions = Math.max(blocks.count, found.irreversible + found.reversible);
    return { audit: found, blocks: { transactions, mostTransactions: blocks.most, undone: watch.undone(blocks.ids) } };
  } finally {
    blocks.transactions.remove();
  }
}

/**
 * Whether enough blocks with room were first seen behind an acknowledgement, and came before the transaction expired.
 */
function roomOf({ watch, startedMs }: LookUp, { ids, roomy }: ChainBlocks): (said: Acknowledgement) => boolean {
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
