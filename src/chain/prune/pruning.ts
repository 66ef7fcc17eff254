import { assert } from '../../base/assert.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { accountHistories } from '../../state/tables/account_history.ts';
import { blockParts } from '../../state/tables/block_part.ts';
import { blocks } from '../../state/tables/block.ts';
import { operationCharges } from '../../state/tables/operation_charge.ts';
import { prunedBlocks, type PrunedBlocks } from '../../state/tables/pruned_blocks.ts';
import { transactionLocations } from '../../state/tables/transaction_location.ts';
import type { KeyValueEntry, KeyValueReader, WriteBatch } from '../../storage/key_value.ts';
import { decodeRow, encodeKey, encodeRow } from '../../storage/row_bytes.ts';
import { MAX_SECONDS_UNTIL_EXPIRATION } from '../../values/limits.ts';

/** The blocks to keep besides those that can still be undone. */
export interface KeptBlocks {
  /** The number of newest blocks. */
  readonly count: number;
  /** For how many blocks a transaction can be valid at most, and so has to be recognised when it comes again. */
  readonly expirationBlocks: number;
  /** Adds to the write that deletes blocks from `first` up to the one before `next` what else belongs to them. */
  readonly forgotten?: (batch: WriteBatch, first: number, next: number) => void;
}

/** The most that one write deletes, a few milliseconds, even when the number of kept blocks was lowered by millions. */
const MOST_BLOCKS = 512;
const MOST_PARTS = 4096; // more than the largest block has
const MOST_CHARGES = 1_000_000; // more than the largest block has
/** Rows scanned per block in addition to as many as the block has changed: about 5 ms. */
const ROWS_PER_BLOCK = 2000;
/**
 * But never more than this, 25 ms after a block and as much in the next: blocks of thousands of transactions leave some
 * to smaller ones.
 */
const MOST_ROWS = 10_000;

/** Transactions of the first block may be valid for any time: nobody looks at their expirations. */
const UNCHECKED_BLOCK = 1;

/**
 * Returns whether it must be known that the transactions of a block are in it: to find them, or to recognise those that
 * are sent again, on any block that can still become the head.
 */
export function isNeededLocation(
  block: number,
  kept: { readonly oldest: number; readonly final: number; readonly expirationBlocks: number },
): boolean {
  return block <= UNCHECKED_BLOCK || block >= Math.min(kept.oldest, kept.final - kept.expirationBlocks);
}

/**
 * For how many blocks a transaction can be valid at most. Some more, because the first slot may be shorter than the
 * others, and a transaction is valid from the time of the block before its own.
 */
export function expirationBlocks({ blockIntervalSeconds }: ChainParameters): number {
  return Math.trunc(MAX_SECONDS_UNTIL_EXPIRATION / blockIntervalSeconds) + 3;
}

const NO_CURSOR = new Uint8Array(0);
const NOTHING_PRUNED: PrunedBlocks = { oldest: 1, swept: 1, cursor: NO_CURSOR };

/**
 * Deletes old blocks and what leads into them, a bounded number with each block that is written. The write that deletes
 * a block also says that it is no longer kept. Histories and locations of transactions are sorted by account and id, so
 * those tables are scanned from end to end whenever as many blocks were deleted as are kept; until then readers ignore
 * rows of deleted blocks.
 */
export class Pruning {
  readonly #store: KeyValueReader;
  readonly #kept: KeptBlocks;
  #row: PrunedBlocks;
  /** The row as it is on the disk. */
  #written: PrunedBlocks;
  /** All rows of both tables, which have neighbouring numbers. */
  readonly #scannedKeys = {
    lower: Uint8Array.of(transactionLocations.number),
    upper: Uint8Array.of(accountHistories.number + 1),
  } as const;
  /** Keys before the cursor that the next write deletes. */
  #stale: Uint8Array[] = [];
  /** The number of rows to scan before the next write. */
  #rowsToScan = 0;

  constructor(store: KeyValueReader, kept: KeptBlocks) {
    this.#store = store;
    this.#kept = kept;
    const bytes = store.get(prunedBlocks.column, encodeKey(prunedBlocks, null));
    this.#row = bytes === undefined ? NOTHING_PRUNED : decodeRow(prunedBlocks, bytes);
    this.#written = this.#row;
    assert(accountHistories.number === transactionLocations.number + 1, 'the tables that are scanned are neighbours');
  }

  /**
   * Adds what is to be deleted to the write of block `head`. Blocks up to `final` can't be undone, those up to
   * `written` are on the disk.
   */
  appendDeletions(
    batch: WriteBatch,
    { head, final, written }: { readonly head: number; readonly final: number; readonly written: number },
  ): void {
    this.#rowsToScan = Math.min(ROWS_PER_BLOCK + batch.size, MOST_ROWS);
    this.#deleteBlocks(batch, Math.min(head - this.#kept.count + 1, final, written));
    for (const key of this.#stale) batch.delete(accountHistories.column, key);
    this.#stale = [];
    if (this.#row === this.#written) return;
    this.#written = this.#row;
    const { key, value } = encodeRow(prunedBlocks, null, this.#row);
    batch.put(prunedBlocks.column, key, value);
  }

  /**
   * Scans for rows that the next write deletes. Separate from the write because a new block should be announced first.
   */
  scan(final: number): void {
    if (this.#rowsToScan === 0) return;
    if (this.#row.cursor.length === 0) this.#beginScan();
    if (this.#row.cursor.length > 0) this.#continueScan(final);
    this.#rowsToScan = 0;
  }

  #deleteBlocks(batch: WriteBatch, end: number): void {
    const { oldest } = this.#row;
    let [number, parts] = [oldest, 0];
    for (; number < Math.min(end, oldest + MOST_BLOCKS) && parts < MOST_PARTS; number++) {
      for (const first of this.#furtherParts(number)) {
        batch.delete(blockParts.column, encodeKey(blockParts, { block: number, first }));
        parts++;
      }
      for (const key of this.#charges(number)) {
        batch.delete(operationCharges.column, key);
        parts++;
      }
      batch.delete(blocks.column, encodeKey(blocks, number));
    }
    if (number === oldest) return;
    this.#kept.forgotten?.(batch, oldest, number);
    this.#row = { ...this.#row, oldest: number };
  }

  #furtherParts(number: number): readonly number[] {
    const bytes = this.#store.get(blocks.column, encodeKey(blocks, number));
    return bytes === undefined ? [] : decodeRow(blocks, bytes).further_parts;
  }

  #charges(block: number): readonly Uint8Array[] {
    const first = { trx_in_block: 0, op_in_trx: 0 };
    const lower = encodeKey(operationCharges, { block, ...first });
    const upper = encodeKey(operationCharges, { block: block + 1, ...first });
    return this.#store.range(operationCharges.column, { lower, upper, limit: MOST_CHARGES }).map(({ key }) => key);
  }

  #beginScan(): void {
    const { oldest, swept } = this.#row;
    if (oldest - swept >= this.#kept.count) this.#row = { oldest, swept: oldest, cursor: this.#scannedKeys.lower };
  }

  #continueScan(final: number): void {
    const limit = this.#rowsToScan;
    const entries = this.#store.range(accountHistories.column, {
      lower: this.#row.cursor,
      upper: this.#scannedKeys.upper,
      limit,
      passing: true,
    });
    const isLast = entries.length < limit;
    for (let at = 0; at < entries.length; at++) {
      const [entry, next] = [entries[at], entries[at + 1]];
      // The last one is looked at again, with what follows.
      if (entry === undefined || (next === undefined && !isLast)) break;
      if (this.#isStale(entry, next, final)) this.#stale.push(entry.key);
    }
    this.#row = { ...this.#row, cursor: isLast ? NO_CURSOR : (entries.at(-1)?.key ?? NO_CURSOR) };
  }

  #isStale({ key, value }: KeyValueEntry, next: KeyValueEntry | undefined, final: number): boolean {
    const { oldest } = this.#row;
    if (key[0] === transactionLocations.number) {
      const { expirationBlocks: blocksOfExpiration } = this.#kept;
      return !isNeededLocation(decodeRow(transactionLocations, value).block, {
        oldest,
        final,
        expirationBlocks: blocksOfExpiration,
      });
    }
    const { account, block } = decodeRow(accountHistories, value);
    if (block >= oldest || next === undefined) return false;
    // An account's last irreversible row is kept: it says where its sequence numbers continue.
    const after = decodeRow(accountHistories, next.value);
    return after.account === account && after.block <= final;
  }
}
