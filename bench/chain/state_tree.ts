import { present } from '../../src/base/assert.ts';
import { sha256 } from '../../src/crypto/hashes.ts';
import type { Change, WriteBatch } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import {
  testKeyText,
  openChain,
  produce,
  testParameters,
  makeTransaction,
  transferJson,
} from '../../test/builders/chain.ts';
import { RandomSource } from '../../test/builders/random_source.ts';
import { amountRow, row, type BenchOptions, type Measured, type Row } from '../bench.ts';

const DIGEST_BYTES = 32;
/** Of the key's hash, which also chooses the bucket. */
const PLACE_BYTES = 16;
const ENTRY_BYTES = PLACE_BYTES + DIGEST_BYTES;
const BLOCKS_OF_AN_EPOCH = 51;

/** A row by the hash of its key; without a digest it is gone. */
interface ChangedRow {
  readonly place: Buffer;
  readonly digest: Buffer | undefined;
}

/**
 * A prototype of a tree that could prove rows of the state: rows lie in buckets by the hash of their key, and a complete
 * binary tree stands over the buckets. A bucket is one record of a store, kept in memory here.
 */
class StateTree {
  readonly #buckets: number;
  readonly #nodes: Buffer;
  readonly #records = new Map<number, Buffer>();
  readonly #stale = new Set<number>();
  /** The bytes that a store would have been given. */
  writtenBytes = 0;

  constructor(buckets: number) {
    this.#buckets = buckets;
    this.#nodes = Buffer.alloc(2 * buckets * DIGEST_BYTES);
  }

  change({ place, digest }: ChangedRow): void {
    const bucket = place.readUInt32BE() % this.#buckets;
    const record = this.#records.get(bucket) ?? Buffer.alloc(0);
    const [at, isThere] = findPlace(record, place);
    const entry = digest === undefined ? Buffer.alloc(0) : Buffer.concat([place, digest]);
    this.#records.set(
      bucket,
      Buffer.concat([record.subarray(0, at), entry, record.subarray(isThere ? at + ENTRY_BYTES : at)]),
    );
    this.#stale.add(bucket);
  }

  /** Hashes what has changed since, each node once. */
  root(): Buffer {
    let level = new Set<number>();
    for (const bucket of this.#stale) {
      const record = this.#records.get(bucket) ?? Buffer.alloc(0);
      this.writtenBytes += record.length;
      this.#set(this.#buckets + bucket, sha256(record));
      level.add((this.#buckets + bucket) >>> 1);
    }
    this.#stale.clear();
    while (level.size > 0) {
      const above = new Set<number>();
      for (const node of level) {
        this.#set(node, sha256(this.#nodes.subarray(2 * node * DIGEST_BYTES, 2 * (node + 1) * DIGEST_BYTES)));
        if (node > 1) above.add(node >>> 1);
      }
      level = above;
    }
    return this.#nodes.subarray(DIGEST_BYTES, 2 * DIGEST_BYTES);
  }

  /** The entries of a row's bucket, and a hash at each height. */
  proofBytes({ place }: ChangedRow): number {
    const bucket = place.readUInt32BE() % this.#buckets;
    return (this.#records.get(bucket)?.length ?? 0) + Math.log2(this.#buckets) * DIGEST_BYTES;
  }

  get storedBytes(): number {
    let bytes = this.#nodes.length;
    for (const record of this.#records.values()) bytes += record.length;
    return bytes;
  }

  #set(node: number, hash: Uint8Array): void {
    this.#nodes.set(hash, node * DIGEST_BYTES);
  }
}

/** Finds the place of an entry in a bucket's record. */
function findPlace(record: Buffer, place: Buffer): readonly [at: number, isThere: boolean] {
  let at = 0;
  for (; at < record.length; at += ENTRY_BYTES) {
    const order = record.compare(place, 0, PLACE_BYTES, at, at + PLACE_BYTES);
    if (order >= 0) return [at, order === 0];
  }
  return [at, false];
}

/** Keeps the rows that each block changes. */
class RecordingStore extends MemoryStore {
  changes: ChangedRow[] = [];

  override write(batch: WriteBatch): void {
    super.write(batch);
    this.changes.push(...batch.changes.filter(({ column }) => column === 'state').map(changedRow));
  }

  /** Those since the last call. */
  take(): ChangedRow[] {
    const taken = this.changes;
    this.changes = [];
    return taken;
  }
}

/** The digest of a row is there already: the state hash needs it. */
function changedRow({ key, value }: Pick<Change, 'key' | 'value'>): ChangedRow {
  return {
    place: Buffer.from(sha256(key).subarray(0, PLACE_BYTES)),
    digest: value && Buffer.from(sha256(Buffer.concat([key, value]))),
  };
}

/** Measures a prototype of a tree over all rows of the state, with the rows that transfers change. */
export function run({ quick }: BenchOptions): Row[] {
  const [accounts, blocks, transfers] = quick ? [50, 3, 20] : [20_000, 2 * BLOCKS_OF_AN_EPOCH, 100];
  const store = new RecordingStore();
  const each = replayed(store, accounts, blocks, transfers);
  const all = present(each[0], 'the genesis');
  const buckets = 2 ** Math.ceil(Math.log2(all.length / 8));
  const [eachBlock, eachEpoch] = [new StateTree(buckets), new StateTree(buckets)];
  const built = measured(all.length, () => grow(eachBlock, [all], 1));
  grow(eachEpoch, [all], 1);
  const later = each.slice(1);
  const changed = later.reduce((sum, rows) => sum + rows.length, 0);
  const before = eachBlock.writtenBytes;
  const often = measured(changed, () => grow(eachBlock, later, 1));
  const rarely = measured(changed, () => grow(eachEpoch, later, BLOCKS_OF_AN_EPOCH));
  const note = `${all.length} rows in ${buckets} buckets; ${transfers} transfers a block`;
  const counted = 'changed row';
  const bytes = (name: string, of: string, value: number): Row =>
    amountRow(name, of, { value: Math.round(value), unit: 'B' }, { note });
  return [
    row('state tree (prototype), root each block', counted, often, { note }),
    row(`state tree (prototype), root each ${BLOCKS_OF_AN_EPOCH} blocks`, counted, rarely, { note }),
    row('state tree (prototype), built from a snapshot', 'row', built, { note }),
    bytes('state tree (prototype), stored', 'row', eachBlock.storedBytes / all.length),
    bytes('state tree (prototype), written', counted, (eachBlock.writtenBytes - before) / changed),
    bytes('state tree (prototype), proof', 'row', eachBlock.proofBytes(present(all[0], 'a row'))),
  ];
}

function grow(tree: StateTree, each: readonly (readonly ChangedRow[])[], blocksOfRoot: number): void {
  each.forEach((rows, block) => {
    for (const changed of rows) tree.change(changed);
    if ((block + 1) % blocksOfRoot === 0) tree.root();
  });
}

function measured(work: number, act: () => void): Measured {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return { work, cpuMicros: user + system };
}

/** The rows of the genesis, then those that each block of transfers changes. */
function replayed(store: RecordingStore, accounts: number, blocks: number, transfers: number): ChangedRow[][] {
  const random = new RandomSource(51);
  const names = Array.from({ length: accounts }, (_, at) => `account${at}`);
  const key = testKeyText('alice');
  const parameters = testParameters({
    initial_accounts: names.map((name) => ({ name, key, balance: 1_000_000_000 })),
  });
  const chain = openChain(parameters, store);
  return [
    store.take(),
    ...Array.from({ length: blocks }, (_, block) => {
      for (let each = 0; each < transfers; each++) {
        const from = random.roll(accounts - 1);
        const [sender, receiver] = [names[from] ?? '', names[from + 1] ?? ''];
        const transfer = transferJson(sender, receiver, 1, `${block} ${each}`);
        chain.accept(makeTransaction(chain, parameters, [transfer], ['alice']));
      }
      produce(chain);
      return store.take();
    }),
  ];
}
