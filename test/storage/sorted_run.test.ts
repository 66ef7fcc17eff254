import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WriteBatch } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { SortedRun } from '../../src/storage/sorted_run.ts';
import { RandomSource } from '../builders/random_source.ts';

/** Keeps the order in which keys are written. */
class NotingStore extends MemoryStore {
  readonly written: Buffer[] = [];

  override write(batch: WriteBatch): void {
    for (const { key } of batch.changes) this.written.push(Buffer.from(key));
    super.write(batch);
  }
}

const shapes = {
  'numbers, most of whose bytes are alike': (randomSource: RandomSource) => {
    const key = Buffer.alloc(10, 7);
    key.writeBigUInt64BE(BigInt(randomSource.roll(50_000)), 2);
    return key;
  },
  'public keys': (randomSource: RandomSource) =>
    Buffer.from([9, 2, ...Array.from({ length: 32 }, () => randomSource.roll(256))]),
  'keys of any length': (randomSource: RandomSource) =>
    Buffer.from(Array.from({ length: randomSource.roll(5) }, () => 1 + randomSource.roll(255))),
};

for (const [name, keyOf] of Object.entries(shapes)) {
  test(`what was put in any order is written in the order of its keys: ${name}`, () => {
    const [randomSource, store] = [new RandomSource(26), new NotingStore()];
    const run = new SortedRun(store, 'order');
    const model = new Map<string, string>();
    for (let round = 0; round < 2; round++) {
      store.written.length = 0;
      for (let k = 0; k < 10_000; k++) {
        const [key, value] = [keyOf(randomSource), Buffer.from(`value ${round} ${k}`.slice(0, randomSource.roll(14)))];
        run.put(key, value);
        model.set(key.toString('hex'), value.toString());
        key.fill(0);
      }
      run.flush();
      assert.equal(store.written.length, 10_000);
      assert.deepEqual(store.written, store.written.toSorted(Buffer.compare));
    }
    const { length } = store.range('order', { lower: Buffer.alloc(0), upper: Buffer.alloc(40, 0xff), limit: 50_000 });
    assert.equal(length, model.size);
    for (const [key, value] of model)
      assert.equal(Buffer.from(store.get('order', Buffer.from(key, 'hex')) ?? []).toString(), value);
  });
}

test('a run of nothing writes nothing', () => {
  const store = new NotingStore();
  new SortedRun(store, 'state').flush();
  assert.equal(store.written.length, 0);
});

test('a run that has become large is written before it is asked for, and nothing of it twice', () => {
  const store = new NotingStore();
  const run = new SortedRun(store, 'state');
  const value = Buffer.alloc(2 ** 20, 1);
  for (let number = 0; number < 70; number++) run.put(Buffer.of(number), value);
  const early = store.written.length;
  assert.ok(early > 50 && early < 70);
  run.flush();
  assert.deepEqual(
    store.written.map(([number]) => number),
    Array.from({ length: 70 }, (_, number) => number),
  );
});
