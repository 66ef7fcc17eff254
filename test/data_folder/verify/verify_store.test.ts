import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { verifyStore } from '../../../src/data_folder/verify/verify_store.ts';
import { encodeHead, HEAD_COLUMN, headKey, readHead } from '../../../src/state/head_record.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { columns, WriteBatch, type Column, type KeyValueEntry } from '../../../src/storage/key_value.ts';
import { openChain, produce, testParameters, makeTransaction, transferJson } from '../../builders/chain.ts';

const parameters = testParameters();

/** A store with a chain of a few blocks and transfers. */
function storeWithChain(): MemoryStore {
  const store = new MemoryStore();
  const chain = openChain(parameters, store);
  for (let block = 0; block < 5; block++) {
    chain.accept(makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1, `block ${block}`)], ['alice']));
    produce(chain);
  }
  return store;
}

function write(store: MemoryStore, column: Column, key: Uint8Array, value: Uint8Array | undefined): void {
  const batch = new WriteBatch();
  if (value === undefined) batch.delete(column, key);
  else batch.put(column, key, value);
  store.write(batch);
}

function listProblems(store: MemoryStore): readonly string[] {
  return verifyStore(store, parameters, () => {}).problems;
}

test('an untouched store is intact, and the summary names head and hash', () => {
  const { problems, summary } = verifyStore(storeWithChain(), parameters, () => {});
  assert.deepEqual(problems, []);
  assert.match(summary, new RegExp(`^chain ${parameters.chainId}, 5 blocks, state hash [0-9a-f]{64}: intact$`));
});

function columnEntries(store: MemoryStore, column: Column): readonly KeyValueEntry[] {
  return store.range(column, { lower: new Uint8Array(), upper: new Uint8Array(64).fill(0xff), limit: 1_000_000 });
}

for (const column of columns) {
  test(`a row of column ${column} that is gone is noticed, whichever it is`, () => {
    const store = storeWithChain();
    const all = columnEntries(store, column);
    assert(all.length > 5);
    for (const { key, value } of all) {
      write(store, column, key, undefined);
      assert(foundWrong(store), `row ${Buffer.from(key).toString('hex')} of ${column}`);
      write(store, column, key, value);
    }
    assert.deepEqual(listProblems(store), []);
  });
}

for (const column of ['state', 'history'] satisfies Column[]) {
  test(`a changed bit in a row of column ${column} is noticed, whichever it is`, () => {
    const store = storeWithChain();
    for (const { key, value } of columnEntries(store, column)) {
      if (value.length === 0) continue;
      const changed = Uint8Array.from(value);
      changed[value.length - 1] = (changed[value.length - 1] ?? 0) ^ 1;
      write(store, column, key, changed);
      assert(foundWrong(store), `row ${Buffer.from(key).toString('hex')}`);
      write(store, column, key, value);
    }
  });
}

/** Problems, or a store that cannot even be read. */
function foundWrong(store: MemoryStore): boolean {
  try {
    return listProblems(store).length > 0;
  } catch {
    return true;
  }
}

test('a last irreversible block that can be none is noticed', () => {
  const store = storeWithChain();
  const head = present(readHead(store), 'a head');
  for (const irreversible_number of [6, 0xffffffff]) {
    write(store, HEAD_COLUMN, headKey(), encodeHead({ ...head, irreversible_number }));
    assert.deepEqual(listProblems(store), [
      `block ${irreversible_number} is recorded as the last irreversible one, which is none of blocks 0 to 5`,
    ]);
  }
  write(store, HEAD_COLUMN, headKey(), encodeHead({ ...head, irreversible_number: 5 }));
  assert.deepEqual(listProblems(store), []);
});

test('progress begins at nothing and ends with the last block', () => {
  const heard: (readonly [number, number])[] = [];
  verifyStore(storeWithChain(), parameters, (done, total) => heard.push([done, total]));
  assert.deepEqual(heard, [
    [0, 5],
    [5, 5],
  ]);
});

test('the data of another chain, or of none, is refused', () => {
  assert.throws(() => verifyStore(new MemoryStore(), parameters, () => {}), {
    code: 'configuration',
    message: 'the folder holds no chain',
  });
  assert.throws(
    () => verifyStore(storeWithChain(), testParameters({ genesis_time: '2026-11-22T00:00:00' }), () => {}),
    {
      code: 'configuration',
    },
  );
});
