import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import { readBlock, type PackedBlock } from '../../blocks/block.ts';
import type { BlockReceipt } from '../../state/stored_blocks.ts';
import { blocks } from '../../state/tables/block.ts';
import { blockParts, OUTSIDE_TRANSACTIONS } from '../../state/tables/block_part.ts';
import type { CommittedRows } from '../../storage/rows.ts';
import type { BlockId } from '../../values/hash.ts';

/** A block as it is stored. */
export interface StoredBlock {
  /** The id in its row. */
  readonly id: BlockId;
  readonly block: PackedBlock;
  readonly receipt: BlockReceipt;
}

/**
 * Reads a block that may be damaged; returns a description of the problem when it can't be read. The oldest block that
 * a store keeps has no previous one.
 */
export function readStoredBlock(rows: CommittedRows, number: number, hasPrevious = true): StoredBlock | string {
  try {
    return (
      loadStoredBlock(rows, number, hasPrevious) ?? `block ${number}, or the one before it, or a part of it is missing`
    );
  } catch (error) {
    const isDamage = error instanceof Refusal || (error instanceof Fault && error.code === 'damaged_data');
    if (isDamage) return `block ${number}: ${error.message}`;
    throw error;
  }
}

function loadStoredBlock(rows: CommittedRows, number: number, hasPrevious: boolean): StoredBlock | undefined {
  const row = rows.get(blocks, number);
  if (row === undefined || (hasPrevious && rows.get(blocks, number - 1) === undefined)) return undefined;
  const keys = row.further_parts.map((first) => ({ block: number, first }));
  const further = rows.getMany(blockParts, keys).filter((part) => part !== undefined);
  if (further.length < keys.length) return undefined;
  const parts = [row, ...further];
  // The first part holds the events outside transactions, which happened last.
  const events = parts.flatMap(({ virtual_operations }) => virtual_operations);
  const isOutside = ({ trx_in_block }: (typeof events)[number]): boolean => trx_in_block === OUTSIDE_TRANSACTIONS;
  return {
    id: row.id,
    block: readBlock(Buffer.concat([row.head, ...parts.map(({ packed }) => packed)])),
    receipt: {
      timeBefore: row.time_before,
      sponsored: parts.flatMap(({ sponsored }) => sponsored),
      virtualOperations: [...events.filter((event) => !isOutside(event)), ...events.filter(isOutside)],
    },
  };
}
