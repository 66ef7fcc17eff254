import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { Fault } from '../../../src/base/fault.ts';
import { ByteReader, ByteWriter } from '../../../src/codec/bytes.ts';
import { fitTables, requireTables, tablesRecord } from '../../../src/chain/ledger/recorded_tables.ts';
import type { Chain } from '../../../src/chain/chain.ts';
import { HEAD_COLUMN, tablesKey } from '../../../src/state/head_record.ts';
import {
  columns,
  WriteBatch,
  type Column,
  type KeyValueEntry,
  type KeyValueStore,
} from '../../../src/storage/key_value.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import type { TableLayout } from '../../../src/storage/table_layout.ts';
import {
  assertSound,
  openChain,
  produce,
  testParameters,
  makeTransaction,
  transferJson,
} from '../../builders/chain.ts';
import { copyStore } from '../../builders/copied_store.ts';

const parameters = testParameters();
const OTHER = 'f'.repeat(64);

function storeWithBlocks(): MemoryStore {
  const store = new MemoryStore();
  const chain = openChain(parameters, store);
  for (let block = 1; block <= 5; block++) makeBlock(chain, block);
  return store;
}

function makeBlock(chain: Chain, amount: number): void {
  chain.accept(makeTransaction(chain, parameters, [transferJson('alice', 'bob', amount)], ['alice']));
  produce(chain);
}

/** Records other layouts, as a program with other declarations would have. */
function recordOthers(store: KeyValueStore, change: (layout: TableLayout) => TableLayout): void {
  const bytes = present(store.get(HEAD_COLUMN, tablesKey()), 'the record of tables');
  const out = new ByteWriter();
  tablesRecord.write(out, tablesRecord.read(new ByteReader(bytes)).map(change));
  const batch = new WriteBatch();
  batch.put(HEAD_COLUMN, tablesKey(), out.finish());
  store.write(batch, true);
}

const columnEntries = (store: KeyValueStore, column: Column): KeyValueEntry[] =>
  store.range(column, { lower: Uint8Array.of(0), upper: new Uint8Array(64).fill(0xff), limit: 1_000_000 });
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const storeContents = (store: KeyValueStore): string[][] =>
  columns.map((column) => columnEntries(store, column).map(({ key, value }) => `${hex(key)}: ${hex(value)}`));

/**
 * Index 1 of accounts has entries that this program would never write; index 0 of witnesses is missing; one more of
 * escrows is surplus.
 */
function withOtherIndexes(whole: MemoryStore): MemoryStore {
  const store = copyStore(whole);
  const batch = new WriteBatch();
  const [accounts, witnesses, escrows] = [7, 15, 18];
  for (const { key } of columnEntries(store, 'order'))
    if ((key[0] === accounts && key[1] === 1) || (key[0] === witnesses && key[1] === 0)) batch.delete('order', key);
  for (const key of [
    Uint8Array.of(accounts, 1, 3),
    Uint8Array.of(accounts, 1, 0xff, 0xff),
    Uint8Array.of(escrows, 2, 1),
  ])
    batch.put('order', key, Uint8Array.of(9));
  store.write(batch);
  recordOthers(store, (layout) => {
    if (layout.number === accounts)
      return {
        ...layout,
        indexes: layout.indexes.map((index, at) => (at === 1 ? { ...index, digest: OTHER } : index)),
      };
    if (layout.number === witnesses)
      return {
        ...layout,
        indexes: layout.indexes.map((index, at) => (at === 0 ? { name: 'by_age', digest: OTHER } : index)),
      };
    return layout.number === escrows
      ? { ...layout, indexes: [...layout.indexes, { name: 'by_agent', digest: OTHER }] }
      : layout;
  });
  return store;
}

test('a folder whose indexes were declared differently gets those of this program, and its chain goes on', () => {
  const whole = storeWithBlocks();
  const store = withOtherIndexes(whole);
  const told: (readonly [number, number])[] = [];
  assert.throws(
    () => requireTables(store),
    configurationFault(
      /the indexes of account, witness, escrow are those of another version; pharos run rebuilds them/,
    ),
  );
  fitTables(store, (read, total) => told.push([read, total]));
  assert.deepEqual(storeContents(store), storeContents(whole));
  const [last, total] = present(told.at(-1), 'the end');
  assert.ok(last === total && total > 5);
  requireTables(store);
  const chain = openChain(parameters, store);
  makeBlock(chain, 9);
  assertSound(chain, parameters, store);
});

test('a folder of this program is left as it is', () => {
  const store = storeWithBlocks();
  const version = store.version();
  fitTables(store, () => assert.fail('nothing is to be read'));
  requireTables(store);
  assert.equal(store.version(), version);
});

test('whenever the rebuilding is interrupted, the next start does it, and whoever opens it meanwhile is refused', () => {
  const whole = storeWithBlocks();
  const expected = storeContents(whole);
  let isDone = false;
  for (let writes = 0; !isDone; writes++) {
    const store = withOtherIndexes(whole);
    isDone = reopensEqual(store, writes);
    if (writes > 0 && !isDone) assert.throws(() => requireTables(store), configurationFault(/rebuilds them/));
    fitTables(store, () => undefined);
    assert.deepEqual(storeContents(store), expected, `interrupted before write ${writes + 1}`);
    assert.ok(writes < 50);
  }
});

/** Fits the tables until that many writes are done; whether that was all. */
function reopensEqual(store: MemoryStore, writes: number): boolean {
  let left = writes;
  const dying: KeyValueStore = {
    get: (column, key) => store.get(column, key),
    getMany: (column, keys) => store.getMany(column, keys),
    range: (column, range) => store.range(column, range),
    version: () => store.version(),
    write(batch) {
      if (left-- === 0) throw new Killed();
      store.write(batch);
    },
    prepare: () => store.prepare(),
    tidy: () => store.tidy(),
  };
  try {
    fitTables(dying, () => undefined);
    return true;
  } catch (error) {
    if (error instanceof Killed) return false;
    throw error;
  }
}

class Killed extends Error {}

test('a folder whose rows differ, or that lacks a table or has one more, is refused by the table’s name and not touched', () => {
  const whole = storeWithBlocks();
  const others: readonly ((layout: TableLayout) => TableLayout)[] = [
    (layout) => (layout.name === 'escrow' ? { ...layout, rows: OTHER } : layout),
    (layout) => (layout.name === 'escrow' ? { ...layout, name: 'trade' } : layout),
  ];
  for (const other of others) {
    const store = copyStore(whole);
    recordOthers(store, other);
    const before = storeContents(store);
    for (const open of [() => fitTables(store, () => undefined), () => requireTables(store)])
      assert.throws(
        open,
        configurationFault(
          /another version wrote the folder, whose rows of (?:trade, )?escrow are not those of this one: nothing was changed; .*another folder/,
        ),
      );
    assert.deepEqual(storeContents(store), before);
  }
});

test('a folder that records no tables is refused, as nobody knows what its rows are', () => {
  const store = storeWithBlocks();
  const batch = new WriteBatch();
  batch.delete(HEAD_COLUMN, tablesKey());
  store.write(batch);
  assert.throws(
    () => fitTables(store, () => undefined),
    configurationFault(/does not record its tables, so an older program wrote it: nothing was changed/),
  );
});

function configurationFault(text: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof Fault && error.code === 'configuration' && text.test(error.message);
}
