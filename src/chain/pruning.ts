import { assert } from '../base/assert.ts';
import { accountHistories } from '../state/tables/account_history.ts';
import { blockParts } from '../state/tables/block_part.ts';
import { blocks } from '../state/tables/block.ts';
import { prunedBlocks, type PrunedBlocks } from '../state/tables/pruned_blocks.ts';
import { transactionLocations } from '../state/tables/transaction_location.ts';
import type { KeyValueEntry, KeyValueReader, WriteBatch } from '../storage/key_value.ts';
import { decodeRow, encodeKey, encodeRow } from '../storage/row_bytes.ts';

/** Which blocks are kept besides those that can still be undone. */
export interface KeptBlocks {
  /** How many of the newest. */
  readonly count: number;
  /** For how many blocks a transaction can be valid at most, and so has to be recognised when it comes again. */
  readonly expirationBlocks: number;
}

/** What one write may delete: some milliseconds, also when the number of kept blocks was lowered by millions. */
const MOST_BLOCKS = 512;
const MOST_PARTS = 4096; // more than the largest block has
/** Rows of histories looked at per block besides as many as the block has changed: some 5 ms. */
const ROWS_PER_BLOCK = 2000;
/** But never more than this, 25 ms behind a block and as much in the next: blocks of thousands of transactions leave some to quieter ones. */
const MOST_ROWS = 10_000;

/** Transactions of the first block may be valid for any time: nobody looks at their expirations. */
const UNCHECKED_BLOCK = 1;

const RESTING = new Uint8Array(0);
const NOTHING_PRUNED: PrunedBlocks = { oldest: 1, swept: 1, cursor: RESTING };

/**
 * Deletes old blocks and what leads into them, a bounded number with each block that is written. A block goes together with the word that
 * it is not kept any more. Histories and locations of transactions are sorted by account and id, so those are gone through from end to end
 * whenever as many blocks were deleted as are kept; until then readers ignore rows of deleted blocks.
 */
export class Pruning {
  readonly #store: KeyValueReader;
  readonly #kept: KeptBlocks;
  #row: PrunedBlocks;
  /** The row as it is on the disk. */
  #written: PrunedBlocks;
  /** All rows of both tables, which have neighbouring numbers. */
  readonly #swept = { lower: Uint8Array.of(transactionLocations.number), upper: Uint8Array.of(accountHistories.number + 1) } as const;
  /** Keys of rows up to the cursor that the next write deletes. */
  #stale: Uint8Array[] = [];
  /** How many rows to look at before the next write. */
  #pace = 0;

  constructor(store: KeyValueReader, kept: KeptBlocks) {
    this.#store = store;
    this.#kept = kept;
    const bytes = store.get(prunedBlocks.column, encodeKey(prunedBlocks, null));
    this.#row = bytes === undefined ? NOTHING_PRUNED : decodeRow(prunedBlocks, bytes);
    this.#written = this.#row;
    assert(accountHistories.number === transactionLocations.number + 1, 'the tables that are gone through are neighbours');
  }

  /**
   * Adds what is to be deleted to the write of block `head`. Blocks up to `final` can't be undone, those up to `written` are on the disk.
   */
  addTo(batch: WriteBatch, { head, final, written }: { readonly head: number; readonly final: number; readonly written: number }): void {
    this.#pace = Math.min(ROWS_PER_BLOCK + batch.changes.length, MOST_ROWS);
    this.#deleteBlocks(batch, Math.min(head - this.#kept.count + 1, final, written));
    for (const key of this.#stale) batch.delete(accountHistories.column, key);
    this.#stale = [];
    if (this.#row === this.#written) return;
    this.#written = this.#row;
    const { key, value } = encodeRow(prunedBlocks, null, this.#row);
    batch.put(prunedBlocks.column, key, value);
  }

  /** Looks for rows that the next write is to delete. Separate from it because a block should be told of first. */
  look(final: number): void {
    if (this.#pace === 0) return;
    if (this.#row.cursor.length === 0) this.#beginRound();
    if (this.#row.cursor.length > 0) this.#lookOn(final);
    this.#pace = 0;
  }

  #deleteBlocks(batch: WriteBatch, end: number): void {
    const { oldest } = this.#row;
    let [number, parts] = [oldest, 0];
    for (; number < Math.min(end, oldest + MOST_BLOCKS) && parts < MOST_PARTS; number++) {
      for (const first of this.#furtherParts(number)) {
        batch.delete(blockParts.column, encodeKey(blockParts, { block: number, first }));
        parts++;
      }
      batch.delete(blocks.column, encodeKey(blocks, number));
    }
    if (number > oldest) this.#row = { ...this.#row, oldest: number };
  }

  #furtherParts(number: number): readonly number[] {
    const bytes = this.#store.get(blocks.column, encodeKey(blocks, number));
    return bytes === undefined ? [] : decodeRow(blocks, bytes).further_parts;
  }

  #beginRound(): void {
    const { oldest, swept } = this.#row;
    if (oldest - swept >= this.#kept.count) this.#row = { oldest, swept: oldest, cursor: this.#swept.lower };
  }

  #lookOn(final: number): void {
    const limit = this.#pace;
    const entries = this.#store.range(accountHistories.column, { lower: this.#row.cursor, upper: this.#swept.upper, limit, passing: true });
    const isLast = entries.length < limit;
    for (let at = 0; at < entries.length; at++) {
      const [entry, next] = [entries[at], entries[at + 1]];
      // The last one is looked at again, with what follows.
      if (entry === undefined || (next === undefined && !isLast)) break;
      if (this.#isStale(entry, next, final)) this.#stale.push(entry.key);
    }
    this.#row = { ...this.#row, cursor: isLast ? RESTING : (entries.at(-1)?.key ?? RESTING) };
  }

  #isStale({ key, value }: KeyValueEntry, next: KeyValueEntry | undefined, final: number): boolean {
    const { oldest } = this.#row;
    if (key[0] === transactionLocations.number) {
      // Recognises transactions that come again, on top of any block that can still be the head.
      const { block: number } = decodeRow(transactionLocations, value);
      return number > UNCHECKED_BLOCK && number < Math.min(oldest, final - this.#kept.expirationBlocks);
    }
    const { account, block } = decodeRow(accountHistories, value);
    if (block >= oldest || next === undefined) return false;
    // The last row of an account that can't be undone says where its numbers go on.
    const after = decodeRow(accountHistories, next.value);
    return after.account === account && after.block <= final;
  }
}
