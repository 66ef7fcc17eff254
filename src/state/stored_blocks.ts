import { present } from '../base/assert.ts';
import type { MutableRows, RowReader } from '../storage/rows.ts';
import { type BlockId, ZERO_HASH160 } from '../values/hash.ts';
import type { Seconds } from '../values/time.ts';
import { blocks, type BlockRow } from './tables/block.ts';
import { prunedBlocks } from './tables/pruned_blocks.ts';
import {
  blockParts,
  OUTSIDE_TRANSACTIONS,
  type BlockPart,
  type SponsoredOperation,
  type VirtualOperationRecord,
} from './tables/block_part.ts';

/** A block as sent over the network, with the data needed to store it. */
export interface TravellingBlock {
  readonly number: number;
  readonly id: BlockId;
  readonly packed: Uint8Array;
  /** They are consecutive in `packed`, up to its end. */
  readonly transactions: readonly { readonly packed: Uint8Array }[];
}

/** The effects of a block besides its content, in order: those outside transactions come last. */
export interface BlockReceipt {
  /** The head block time while the block's transactions were applied. */
  readonly timeBefore: Seconds;
  readonly sponsored: readonly SponsoredOperation[];
  readonly virtualOperations: readonly VirtualOperationRecord[];
}

/**
 * A part ends with the transaction that fills it: reading one transaction takes about this many bytes, however large
 * the block is.
 */
const PART_BYTES = 16 * 1024;

const NOTHING = new Uint8Array(0);

/** Rows that can be read and to which new ones can be added. */
export type NewRows = Pick<MutableRows, 'get' | 'append'>;

/** Stores a block in parts; a small block is a single row. */
export function storeBlock(rows: NewRows, block: TravellingBlock, receipt: BlockReceipt): void {
  const { number, id, packed, transactions } = block;
  const before = present(rows.get(blocks, number - 1), `block ${number - 1}`);
  let headBytes = packed.length;
  for (const transaction of transactions) headBytes -= transaction.packed.length;
  const parts = splitBlock(block, headBytes, receipt);
  const { ends, packed: firstPacked, sponsored, virtual_operations } = present(parts[0], 'the first part');
  const further = parts.slice(1);
  rows.append(blocks, {
    number,
    id,
    time_before: receipt.timeBefore,
    packed_size: packed.length,
    bytes_before: before.bytes_before + BigInt(before.packed_size),
    transaction_count: transactions.length,
    head: packed.subarray(0, headBytes),
    further_parts: further.map((part) => part.first),
    ends,
    packed: firstPacked,
    sponsored,
    virtual_operations,
  });
  for (const part of further) rows.append(blockParts, { block: number, ...part });
}

/** Stores what happened before the first block. */
export function storeGenesis(rows: MutableRows, { timeBefore, sponsored, virtualOperations }: BlockReceipt): void {
  rows.append(blocks, {
    number: 0,
    id: ZERO_HASH160,
    time_before: timeBefore,
    packed_size: 0,
    bytes_before: 0n,
    transaction_count: 0,
    head: NOTHING,
    further_parts: [],
    ends: [],
    packed: NOTHING,
    sponsored,
    virtual_operations: virtualOperations,
  });
}

/** The packed block with that number; undefined if there is none. */
export function storedBlock(
  rows: RowReader,
  number: number,
): { readonly id: BlockId; readonly packed: Uint8Array } | undefined {
  const row = blockRow(rows, number);
  if (row === undefined) return undefined;
  const further = row.further_parts.map((first) => furtherPart(rows, row, first).packed);
  return { id: row.id, packed: Buffer.concat([row.head, row.packed, ...further]) };
}

/** The bytes of a block's signed header. */
export function signedHeaderBytes({
  head,
  transaction_count,
}: Pick<BlockRow, 'head' | 'transaction_count'>): Uint8Array {
  return head.subarray(0, head.length - varintLength(transaction_count));
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 128; rest = Math.trunc(rest / 128)) length++;
  return length;
}

/** The number of parts in which a packed block is stored. */
export function blockPartCount({ further_parts }: BlockRow): number {
  return 1 + further_parts.length;
}

/** A part of a packed block; undefined when it is not stored any more. */
export function storedBlockPart(
  rows: RowReader,
  { number, head, packed, further_parts }: BlockRow,
  index: number,
): Uint8Array | undefined {
  if (index === 0) return Buffer.concat([head, packed]);
  const first = further_parts[index - 1];
  return first === undefined ? undefined : rows.get(blockParts, { block: number, first })?.packed;
}

/** The number of the first block that is kept: 1 unless old ones were pruned. */
export function oldestBlock(rows: RowReader): number {
  return rows.get(prunedBlocks, null)?.oldest ?? 1;
}

/** The row of a block, without its further parts; undefined if there is no block with that number. */
export function blockRow(rows: RowReader, number: number): BlockRow | undefined {
  return number === 0 ? undefined : rows.get(blocks, number);
}

/** The part of a block that contains a transaction; undefined if the block has fewer transactions. */
export function findPart(rows: RowReader, block: BlockRow, transaction: number): BlockPart | undefined {
  if (transaction >= block.transaction_count) return undefined;
  const first = block.further_parts.findLast((start) => start <= transaction);
  return first === undefined ? { ...block, first: 0 } : furtherPart(rows, block, first);
}

/** The bytes of a transaction in that part. */
export function partTransaction({ first, ends, packed }: BlockPart, transaction: number): Uint8Array {
  return packed.subarray(ends[transaction - first - 1] ?? 0, ends[transaction - first]);
}

function furtherPart(rows: RowReader, { number: block }: BlockRow, first: number): BlockPart {
  return present(rows.get(blockParts, { block, first }), `block ${block} from transaction ${first} on`);
}

/** At least one part; each has the effects of its transactions, the first one also those outside transactions. */
function splitBlock(block: TravellingBlock, headBytes: number, receipt: BlockReceipt): BlockPart[] {
  // Fast path: on a quiet chain most blocks are empty.
  if (block.transactions.length > 0) return cut(block, headBytes, receipt);
  return [
    {
      first: 0,
      ends: [],
      packed: NOTHING,
      sponsored: receipt.sponsored,
      virtual_operations: receipt.virtualOperations,
    },
  ];
}

function cut({ packed, transactions }: TravellingBlock, headBytes: number, receipt: BlockReceipt): BlockPart[] {
  const sponsored = new Share(receipt.sponsored);
  const virtual = new Share(receipt.virtualOperations);
  const outside = virtual.takeOutside();
  const parts: BlockPart[] = [];
  let [first, start, end] = [0, headBytes, headBytes];
  let ends: number[] = [];
  for (let next = 1; next <= transactions.length; next++) {
    end += transactions[next - 1]?.packed.length ?? 0;
    ends.push(end - start);
    if (end - start < PART_BYTES && next < transactions.length) continue;
    const own = virtual.takeEarlier(next);
    const virtual_operations = first === 0 ? [...own, ...outside] : own;
    parts.push({
      first,
      ends,
      packed: packed.subarray(start, end),
      sponsored: sponsored.takeEarlier(next),
      virtual_operations,
    });
    [first, start, ends] = [next, end, []];
  }
  return parts;
}

/** Distributes records, which are in the order of their transactions, to parts. */
class Share<T extends { readonly trx_in_block: number }> {
  readonly #records: readonly T[];
  #taken = 0;

  constructor(records: readonly T[]) {
    this.#records = records;
  }

  takeEarlier(transaction: number): T[] {
    const from = this.#taken;
    while ((this.#records[this.#taken]?.trx_in_block ?? OUTSIDE_TRANSACTIONS) < transaction) this.#taken++;
    return this.#records.slice(from, this.#taken);
  }

  takeOutside(): T[] {
    let from = this.#records.length;
    while (this.#records[from - 1]?.trx_in_block === OUTSIDE_TRANSACTIONS) from--;
    return this.#records.slice(from);
  }
}
