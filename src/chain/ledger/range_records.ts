import { assert, present } from '../../base/assert.ts';
import {
  DIGEST_BYTES,
  mountainEnds,
  NO_BLOCKS,
  nodesCompleted,
  type BlockRange,
} from '../../blocks/finality/block_range.ts';
import { blockOfRangeNodes, HEAD_COLUMN, rangeNodesKey } from '../../state/head_record.ts';
import type { Digest } from '../../values/hash.ts';
import type { KeyValueReader, WriteBatch } from '../../storage/key_value.ts';
import { RangeGrowth } from './range_growth.ts';

/**
 * A record holds the nodes of blocks that were written together, but not beyond a multiple of this: 4 KiB, so that one
 * node is read without many others.
 */
const BLOCKS_A_RECORD = 64;
const UNKNOWN_NODE = '\0'.repeat(DIGEST_BYTES);

/** The nodes that some consecutive blocks complete, one block after another; a record's key names the first block. */
interface NodesRecord {
  readonly first: number;
  readonly last: number;
  readonly nodes: Uint8Array;
}

/**
 * The range of all signed headers on disk. The nodes that a block completes are written with it and leave with it, so
 * they are those of one branch.
 */
export class RangeRecords {
  readonly #store: KeyValueReader;
  /** The range of all blocks before the noted ones, once known. */
  #growth: RangeGrowth | undefined;
  /** Signed headers of noted blocks from `#first` on, which are hashed together. */
  #headers: Uint8Array[] = [];
  #first = 0;
  /** Records of the next write. */
  #records: { readonly key: Uint8Array; readonly nodes: Uint8Array }[] = [];

  constructor(store: KeyValueReader) {
    this.#store = store;
  }

  /** Notes a block by its signed header; it follows the one noted before. */
  note(number: number, header: Uint8Array): void {
    if (this.#headers.length === 0) this.#first = number;
    assert(number === this.#first + this.#headers.length, `block ${number} follows the one noted before`);
    this.#headers.push(header);
  }

  /** The range from which blocks go on of which no nodes are here. */
  begin(range: BlockRange, batch: WriteBatch): void {
    for (const [index, end] of mountainEnds(range.count).entries()) {
      const below = UNKNOWN_NODE.repeat(nodesCompleted(end) - 1);
      const top = Buffer.from(range.peaks[index] ?? '', 'hex');
      batch.put(HEAD_COLUMN, rangeNodesKey(end), Buffer.concat([Buffer.from(below, 'latin1'), top]));
    }
    this.#growth = new RangeGrowth(range);
  }

  appendRows(batch: WriteBatch): void {
    this.#hashNoted();
    for (const { key, nodes } of this.#records) batch.put(HEAD_COLUMN, key, nodes);
    if (this.#records.length > 0) this.#records = [];
  }

  /** Forgets noted blocks that were not applied, or records that the store has replaced. */
  discard(): void {
    this.#records = [];
    this.#headers = [];
    this.#growth = undefined;
  }

  /** The head is undone, which was written alone. */
  takeBack(batch: WriteBatch, number: number): void {
    batch.delete(HEAD_COLUMN, rangeNodesKey(number));
    this.#growth = undefined;
  }

  /**
   * Blocks from `first` up to the one before `next` are kept no more. The mountains over all of them stay: later blocks
   * are added to them. So does a record until its last block goes.
   */
  forget(batch: WriteBatch, first: number, next: number): void {
    const needed = new Set(mountainEnds(next - 1));
    for (const end of mountainEnds(first - 1))
      if (!needed.has(end) && this.#isAlone(end)) batch.delete(HEAD_COLUMN, rangeNodesKey(end));
    for (const record of this.#readRecords(first, next)) {
      if (record.last >= next) break;
      batch.delete(HEAD_COLUMN, rangeNodesKey(record.first));
      for (let number = record.first; number <= record.last; number++)
        if (needed.has(number)) batch.put(HEAD_COLUMN, rangeNodesKey(number), sliceNodes(record, number));
    }
  }

  has(number: number): boolean {
    return this.#recordWith(number) !== undefined;
  }

  /** The range of the first blocks, which are written or noted. The last block of each mountain has completed it. */
  upTo(count: number): BlockRange {
    this.#hashNoted();
    return this.#growth?.count === count ? this.#growth.range : this.#written(count);
  }

  #written(count: number): BlockRange {
    if (count === 0) return NO_BLOCKS;
    const peaks = mountainEnds(count).map((end) => {
      const record = present(this.#recordWith(end), `the range's nodes of block ${end}`);
      return Buffer.from(sliceNodes(record, end).subarray(-DIGEST_BYTES)).toString('hex');
    });
    return { count, peaks };
  }

  /** A node of the range that a kept block has completed, or of which a kept mountain is the top. */
  node(height: number, index: number): Digest {
    const completing = (index + 1) * 2 ** height;
    const record = present(this.#recordWith(completing), `the range's nodes of block ${completing}`);
    const nodes = sliceNodes(record, completing);
    return Buffer.from(nodes.subarray(height * DIGEST_BYTES, (height + 1) * DIGEST_BYTES)).toString('hex');
  }

  /** The first of these blocks of which other nodes are recorded than its signed header makes, or none. */
  firstProblem(first: number, last: number, headerOf: (number: number) => Uint8Array | undefined): number | undefined {
    const growth = new RangeGrowth(this.upTo(first - 1));
    let record: NodesRecord | undefined;
    for (let number = first; number <= last; number++) {
      const header = headerOf(number);
      if (header === undefined) continue;
      const nodes = growth.add([header]);
      if (record === undefined || number > record.last) record = this.#recordWith(number);
      if (record === undefined || Buffer.compare(sliceNodes(record, number), nodes) !== 0) return number;
    }
    return undefined;
  }

  /** Makes the nodes of noted blocks, in records that end at multiples. */
  #hashNoted(): void {
    if (this.#headers.length === 0) return;
    const [first, last] = [this.#first, this.#first + this.#headers.length - 1];
    const nodes = this.#growthBehind(first - 1).add(this.#headers);
    this.#headers = [];
    let begun = first;
    let at = 0;
    for (let number = first, end = 0; number <= last; number++) {
      end += nodesCompleted(number) * DIGEST_BYTES;
      if (number % BLOCKS_A_RECORD !== 0 && number < last) continue;
      this.#records.push({ key: rangeNodesKey(begun), nodes: nodes.subarray(at, end) });
      [begun, at] = [number + 1, end];
    }
  }

  #growthBehind(count: number): RangeGrowth {
    if (this.#growth?.count !== count) this.#growth = new RangeGrowth(this.#written(count));
    return this.#growth;
  }

  #isAlone(number: number): boolean {
    const nodes = this.#store.get(HEAD_COLUMN, rangeNodesKey(number));
    return nodes?.length === nodesCompleted(number) * DIGEST_BYTES;
  }

  #recordWith(number: number): NodesRecord | undefined {
    const nodes = this.#store.get(HEAD_COLUMN, rangeNodesKey(number));
    if (nodes !== undefined) return makeRecord(number, nodes);
    // Records end at multiples, so the one that holds the block begins behind the last multiple.
    const lower = rangeNodesKey(number - ((number - 1) % BLOCKS_A_RECORD));
    const range = { lower, upper: rangeNodesKey(number), reverse: true, limit: 1 };
    const [before] = this.#store.range(HEAD_COLUMN, range);
    const record = before && makeRecord(blockOfRangeNodes(before.key), before.value);
    return record !== undefined && record.last >= number ? record : undefined;
  }

  /** Records of blocks from `first` up to the one before `next`. */
  #readRecords(first: number, next: number): NodesRecord[] {
    const { first: lowest } = this.#recordWith(first) ?? { first };
    const range = { lower: rangeNodesKey(lowest), upper: rangeNodesKey(next), limit: next - lowest };
    return this.#store.range(HEAD_COLUMN, range).map(({ key, value }) => makeRecord(blockOfRangeNodes(key), value));
  }
}

function makeRecord(first: number, nodes: Uint8Array): NodesRecord {
  let last = first;
  for (let left = nodes.length / DIGEST_BYTES - nodesCompleted(first); left > 0; left -= nodesCompleted(last)) last++;
  return { first, last, nodes };
}

function sliceNodes({ first, nodes }: NodesRecord, number: number): Uint8Array {
  let before = 0;
  for (let each = first; each < number; each++) before += nodesCompleted(each);
  return nodes.subarray(before * DIGEST_BYTES, (before + nodesCompleted(number)) * DIGEST_BYTES);
}
