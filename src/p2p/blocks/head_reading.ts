import type { Clock } from '../../base/clock.ts';
import { signedBlockHeader } from '../../blocks/header.ts';
import { readOwnTransaction } from '../../blocks/transaction.ts';
import { ByteReader } from '../../codec/bytes.ts';
import { ID_BYTES, type BlockId } from '../../values/hash.ts';
import type { BlockReading } from './block_reading.ts';
import { compactBlock } from '../../wire/messages/compact_block.ts';
import type { ServedBlock } from './recent_blocks.ts';
import { computeShortIds, LEAF_WORDS, putLeafWords, SHORT_ID_BYTES, shortIdKey } from '../../wire/short_ids.ts';
import type { TransactionPool } from '../transactions/transaction_pool.ts';

export interface HeadReadingParts {
  readonly clock: Clock;
  readonly pool: TransactionPool;
  readonly id: BlockId;
  /** The block, as far as it has been read. */
  readonly reading: Pick<BlockReading, 'resume'>;
  /** Its transactions, 20 bytes of id each, as far as the chain has told them. */
  readonly transactionIds: Uint8Array | undefined;
}

/** Between two looks at the clock: a transaction takes some microseconds, or 20 where it has to be hashed. */
const TRANSACTIONS_A_LOOK = 64;
/** Hashing this many bytes takes as long as some transactions. */
const LARGE_BYTES = 16 * 1024;

/**
 * Our own head as others are given it: read from the chain, then named by short ids. A part at a time, as 48 MiB of
 * transactions that have to be hashed take a third of a second.
 */
export class HeadReading {
  readonly #parts: HeadReadingParts;
  readonly #steps: Generator<undefined, ServedBlock | undefined>;
  #endMs = 0;

  constructor(parts: HeadReadingParts) {
    this.#parts = parts;
    this.#steps = this.#read();
  }

  /**
   * Goes on until about that time: the block, `later` when there is more to do, undefined when the chain does not have
   * it (any more).
   */
  resume(endMs: number): ServedBlock | 'later' | undefined {
    this.#endMs = endMs;
    let step = this.#steps.next();
    while (step.done !== true && this.#parts.clock.elapsedMs() < endMs) step = this.#steps.next();
    return step.done === true ? step.value : 'later';
  }

  *#read(): Generator<undefined, ServedBlock | undefined> {
    const { id, reading } = this.#parts;
    let packed = reading.resume(this.#endMs);
    for (; packed === 'later'; packed = reading.resume(this.#endMs)) yield undefined;
    if (packed === undefined) return undefined;
    const input = new ByteReader(packed);
    const header = signedBlockHeader.read(input);
    const count = input.varint();
    const [bounds, shortIds, key] = [
      new Uint32Array(count + 1),
      new Uint8Array(count * SHORT_ID_BYTES),
      shortIdKey(id),
    ];
    bounds[0] = input.position;
    const words = new Int32Array(Math.min(count, TRANSACTIONS_A_LOOK) * LEAF_WORDS);
    for (let first = 0; first < count; first += TRANSACTIONS_A_LOOK) {
      const behind = Math.min(count, first + TRANSACTIONS_A_LOOK);
      for (let index = first; index < behind; index++) {
        const start = bounds[index] ?? 0;
        const end = this.#readTransaction(packed, start, index, words, (index - first) * LEAF_WORDS);
        bounds[index + 1] = end;
        if (end - start > LARGE_BYTES) yield undefined;
      }
      const read = words.subarray(0, (behind - first) * LEAF_WORDS);
      shortIds.set(computeShortIds(key, read), first * SHORT_ID_BYTES);
      yield undefined;
    }
    return { packed, compact: compactBlock.encode({ header, shortIds }), bounds };
  }

  /**
   * Writes the words of a transaction's leaf and returns where it ends. One that is known with these bytes need not be
   * hashed.
   */
  #readTransaction(block: Uint8Array, start: number, index: number, words: Int32Array, at: number): number {
    const { transactionIds: ids, pool } = this.#parts;
    const known = ids && pool.copyLeaf(pool.find(ids, index * ID_BYTES), block.subarray(start), words, at);
    if (known !== undefined) return start + known;
    const input = new ByteReader(block, start);
    putLeafWords(words, at, readOwnTransaction(block, input).leaf);
    return input.position;
  }
}
