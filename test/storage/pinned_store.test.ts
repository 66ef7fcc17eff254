import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { WriteBatch, type KeyRange, type KeyValueStore } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { PinnedStore } from '../../src/storage/pinned_store.ts';
import { openRocksDb, pinStore } from '../../src/storage/rocksdb.ts';
import { RandomSource } from '../builders/random_source.ts';

const KEYS = 3000;

function makeKey(number: number): Uint8Array {
  return Buffer.of(7, number >> 8, number & 0xff);
}

/** Changes some random keys. */
function change(randomSource: RandomSource, ...stores: readonly KeyValueStore[]): void {
  const batch = new WriteBatch();
  for (let count = 0; count < 700; count++) {
    const key = makeKey(randomSource.roll(KEYS));
    if (randomSource.roll(3) === 1) batch.delete('state', key);
    else batch.put('state', key, Buffer.of(randomSource.roll(250)));
  }
  for (const store of stores) store.write(batch, false);
}

function read(store: KeyValueStore, randomSource: RandomSource): unknown[] {
  const ranges = Array.from({ length: 60 }, (): KeyRange => {
    const [lower, upper] = [randomSource.roll(KEYS), randomSource.roll(KEYS)].toSorted((a, b) => a - b);
    return {
      lower: makeKey(lower ?? 0),
      upper: makeKey(upper ?? 0),
      reverse: randomSource.roll(2) === 1,
      limit: [1, 20, 1000, 1e7][randomSource.roll(4) - 1] ?? 1,
    };
  });
  const keys = Array.from({ length: 200 }, () => makeKey(randomSource.roll(KEYS)));
  const plain = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString('hex');
  return [
    ...ranges.map((range) => store.range('state', range).map(({ key, value }) => [plain(key), plain(value)])),
    store.getMany('state', keys).map(plain),
  ];
}

test('a pinned store reads as the database was, whatever is written behind it, with its own changes in it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-pinned-'));
  const database = await openRocksDb(join(folder, 'db'));
  const randomSource = new RandomSource(5);
  const expected = new MemoryStore();
  for (let round = 0; round < 5; round++) change(randomSource, database, expected);
  const pinned = pinStore(database.handle);
  t.after(async () => {
    pinned.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  for (let round = 0; round < 4; round++) {
    change(randomSource, database);
    const seed = randomSource.roll(1_000_000);
    assert.deepEqual(read(pinned, new RandomSource(seed)), read(expected, new RandomSource(seed)), `round ${round}`);
    change(randomSource, pinned, expected);
  }
});

test('a state is held on to when nothing was written meanwhile, and not at all when that never ends', () => {
  const versions = [1, 2, 2, 3, 3, 3];
  let closed = 0;
  const cursor = { seek: () => undefined, next: () => [], close: () => void closed++ };
  PinnedStore.of({ cursor: () => cursor, version: () => versions.shift() ?? 0 });
  assert.equal(closed, 16, 'two attempts, of four columns in two directions');
  let version = 0;
  assert.throws(() => PinnedStore.of({ cursor: () => cursor, version: () => version++ }), /written all the time/);
});
