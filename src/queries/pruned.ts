import { refusals } from '../base/refusal.ts';
import { oldestBlock } from '../state/stored_blocks.ts';
import type { RowReader } from '../storage/rows.ts';

const refuse = refusals({
  pruned: '{asked} lies below block {oldest}, the oldest that this node keeps; ask a node that keeps all blocks',
});

/** The refusals of reading a pruned block or what follows from it. */
export const prunedRefusals = refuse.texts;

/** Refuses what is asked for because its block is no longer kept; `details` may say more than the oldest block. */
export function refusePruned(rows: RowReader, asked: string, details: { readonly oldest_entry?: number } = {}): never {
  return refuse.pruned({ asked, oldest: oldestBlock(rows), ...details });
}

/** Refuses a number of a block that is no longer kept. */
export function requireKept(rows: RowReader, number: number): void {
  if (number > 0 && number < oldestBlock(rows)) refusePruned(rows, `block ${number}`);
}
