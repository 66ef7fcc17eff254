import { BlockOperations, type HistoryEntry } from '../history_entry.ts';
import { OUTSIDE_TRANSACTIONS } from '../../state/tables/block_part.ts';
import type { OperationPointer } from '../../state/tables/account_history.ts';
import type { RowReader } from '../../storage/rows.ts';
import { comparePlaces, WHOLE_BLOCK } from './position.ts';

/** Operations of one block that follow each other, and how far they reach in it. */
export interface OperationChunk {
  readonly entries: readonly HistoryEntry[];
  readonly end: OperationPointer;
}

/** The chain's own operations outside transactions are read in pages: a block may pay interest to many. */
const PAGE = 100;

/**
 * The operations of a block behind a place, or from its beginning: those of one stored part, so at most some 16 KiB of
 * transactions.
 */
export function laterOperations(rows: RowReader, number: number, after: OperationPointer | undefined): OperationChunk {
  const operations = new BlockOperations(rows, number);
  const isLater = (entry: OperationPointer): boolean => after === undefined || comparePlaces(entry, after) > 0;
  if (after?.trx_in_block === OUTSIDE_TRANSACTIONS) return outsidePage(operations, isLater, []);
  const { parts } = operations;
  const next = after === undefined ? 0 : nextTransaction(after);
  const at = parts.findLastIndex((first) => first <= next);
  const entries = operations.ofPart(parts[at] ?? 0, false).filter(isLater);
  const following = parts[at + 1];
  if (following === undefined) return outsidePage(operations, isLater, entries);
  return { entries, end: { ...WHOLE_BLOCK, trx_in_block: following - 1 } };
}

/**
 * The first transaction that may have operations behind a place: another one where that is the end of its transaction,
 * as of each part.
 */
function nextTransaction({ trx_in_block, op_in_trx }: OperationPointer): number {
  return op_in_trx === WHOLE_BLOCK.op_in_trx ? trx_in_block + 1 : trx_in_block;
}

/** Adds the first page of what happened outside transactions. */
function outsidePage(
  operations: BlockOperations,
  isBehind: (entry: OperationPointer) => boolean,
  before: readonly HistoryEntry[],
): OperationChunk {
  const outside = operations.outside().filter(isBehind);
  const page = outside.slice(0, PAGE);
  const last = page.at(-1);
  return {
    entries: [...before, ...page],
    end: last === undefined || outside.length <= PAGE ? WHOLE_BLOCK : pointerPlace(last),
  };
}

/** Returns the place of an operation in its block. */
export function pointerPlace({ trx_in_block, op_in_trx, virtual_op }: OperationPointer): OperationPointer {
  return { trx_in_block, op_in_trx, virtual_op };
}
