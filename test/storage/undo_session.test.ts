import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import fc from 'fast-check';

import { present } from '../../src/base/assert.ts';
import { afterPrefix, columns, type KeyValueStore, type WriteBatch } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { openRocksDb } from '../../src/storage/rocksdb.ts';
import { recomputeStateHash } from '../../src/storage/state_hash.ts';
import { UndoSessions } from '../../src/storage/undo_session.ts';
import { View } from '../../src/storage/view.ts';
import {
  byAuthor,
  byBalance,
  byDeadline,
  byDue,
  byProxy,
  copyModel,
  emptyModel,
  escrowKey,
  type Model,
} from './model.ts';
import { sha256 } from './sha256.ts';
import { accounts, documents, entries, escrows, globals, testTables } from './tables.ts';
import { isLong } from '../builders/forms.ts';

type Step =
  | {
      readonly kind: 'putAccount';
      readonly name: string;
      readonly balance: number;
      readonly proxy: string;
      readonly due: number;
    }
  | { readonly kind: 'removeAccount' | 'getAccount' | 'appendDocument'; readonly name: string }
  | { readonly kind: 'swapDue'; readonly name: string; readonly proxy: string }
  | { readonly kind: 'openEscrow'; readonly from: string; readonly escrow_id: number; readonly deadline: number }
  | { readonly kind: (typeof bareKinds)[number] };

const name = fc.constantFrom('', 'a', 'a\0', 'alice', 'bob', 'carol', 'dave', 'erin', 'ÿ');
const small = fc.integer({ min: 0, max: 4 });
const bareKinds = [
  'closeFirstEscrow',
  'append',
  'appendAlone',
  'appendAgain',
  'changeEntry',
  'removeEntry',
  'begin',
  'merge',
  'discard',
  'commit',
  'commitForGood',
  'abandon',
  'sealAndAbandon',
  'undo',
  'prefetch',
  'changeEach',
] as const;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('putAccount' as const),
      name,
      balance: fc.integer({ min: -3, max: 3 }),
      proxy: name,
      due: small,
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('removeAccount' as const, 'getAccount' as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('appendDocument' as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('swapDue' as const), name, proxy: name }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('openEscrow' as const), from: name, escrow_id: small, deadline: small }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constantFrom(...bareKinds),
    }),
  },
);

/** Runs steps on the sessions and on the model beside them; steps that make no sense where they come do nothing. */
class Comparison {
  readonly #store: KeyValueStore;
  readonly #sessions: UndoSessions;
  readonly #view: View;
  readonly #cachedBytes: number;
  readonly #prepares: boolean;
  #now = emptyModel();
  #committed = emptyModel();
  #beforeTransaction: Model | undefined;
  /** The number of committed blocks that can't be taken back. */
  #final = 0;
  /** The undo record and the former state of each other one. */
  readonly #history: {
    readonly undo: Uint8Array;
    readonly model: Model;
    readonly contents: string;
    readonly hash: string;
  }[] = [];

  /** With `prepares`, the writes of blocks are prepared. */
  constructor(store: KeyValueStore, cachedRows: number, prepares: boolean) {
    this.#store = store;
    this.#prepares = prepares;
    const prepared = store.prepare();
    // A row of these tables takes less than twice as much.
    this.#cachedBytes = 300 * cachedRows;
    this.#sessions = new UndoSessions({
      ...{
        committed: store,
        prepare: () => prepared,
        register: testTables,
        sha256,
      },
      cachedBytes: this.#cachedBytes,
    });
    this.#view = new View(store, cachedRows);
    this.#sessions.beginBlock({ prepares: this.#prepares });
  }

  run(next: Step): void {
    this.#apply(next);
    this.#compareIndexes();
  }

  #apply(next: Step): void {
    const [sessions, now] = [this.#sessions, this.#now];
    switch (next.kind) {
      case 'putAccount': {
        const row = { name: next.name, balance: BigInt(next.balance), proxy: next.proxy, due: next.due };
        sessions.put(accounts, row);
        now.accounts.set(row.name, row);
        return;
      }
      case 'getAccount':
        assert.deepEqual(sessions.get(accounts, next.name), now.accounts.get(next.name));
        return;
      case 'removeAccount':
        assert.equal(sessions.remove(accounts, next.name), now.accounts.delete(next.name));
        return;
      case 'swapDue':
        return this.#swapDue(next.name, next.proxy);
      case 'openEscrow':
        return this.#openEscrow(next.from, next.escrow_id, next.deadline);
      case 'closeFirstEscrow': {
        const first = sessions.first(escrows.by_deadline);
        assert.deepEqual(first, byDeadline(now)[0]);
        if (first === undefined) return;
        assert.ok(sessions.remove(escrows, first));
        now.escrows.delete(escrowKey(first));
        return;
      }
      case 'append': {
        const row = { block: this.#final + this.#history.length, position: now.nextEntry++, note: 'n' };
        sessions.append(entries, row);
        now.entries.set(entryKey(row), row);
        return;
      }
      case 'appendAlone':
        this.#endTransaction(true);
        for (const kind of ['begin', 'append', 'merge'] as const) this.#apply({ kind });
        return;
      case 'appendAgain': {
        const last = [...now.entries.values()].at(-1);
        if (last === undefined) return;
        this.#endTransaction(true);
        sessions.beginTransaction();
        assert.ok(sessions.remove(entries, last));
        sessions.append(entries, last);
        return sessions.mergeTransaction();
      }
      case 'changeEntry': {
        const last = [...now.entries.values()].at(-1);
        if (last === undefined) return;
        const row = { ...last, note: `${last.note}+` };
        sessions.put(entries, row);
        now.entries.set(entryKey(row), row);
        return;
      }
      case 'removeEntry': {
        const last = [...now.entries.values()].at(-1);
        if (last === undefined) return;
        assert.ok(sessions.remove(entries, last));
        now.entries.delete(entryKey(last));
        return;
      }
      case 'appendDocument': {
        const row = { id: now.documents.length, author: next.name, body: 'b'.repeat(now.documents.length) };
        sessions.append(documents, row);
        now.documents.push(row);
        return;
      }
      case 'prefetch':
        return sessions.prefetch(accounts, ['alice', 'bob', 'alice', 'nobody']);
      case 'changeEach':
        return this.#changeEach(['alice', 'nobody', 'bob']);
      case 'begin':
        if (this.#beforeTransaction !== undefined) return;
        sessions.beginTransaction();
        this.#beforeTransaction = copyModel(now);
        return;
      case 'merge':
        return this.#endTransaction(true);
      case 'discard':
        return this.#endTransaction(false);
      default:
        this.#endTransaction(true);
        return this.#endBlock(next.kind);
    }
  }

  #swapDue(a: string, b: string): void {
    const [left, right] = [this.#now.accounts.get(a), this.#now.accounts.get(b)];
    if (left === undefined || right === undefined) return;
    for (const row of [
      { ...left, due: right.due },
      { ...right, due: left.due },
    ]) {
      this.#sessions.put(accounts, row);
      this.#now.accounts.set(row.name, row);
    }
  }

  #changeEach(names: readonly string[]): void {
    const changed = names.map((key) => {
      const before = this.#now.accounts.get(key);
      return { name: key, balance: (before?.balance ?? 0n) + 1n, proxy: before?.proxy ?? key, due: names.indexOf(key) };
    });
    this.#sessions.changeEach(accounts, names, (row, key, index) => {
      assert.deepEqual(row, this.#now.accounts.get(key));
      return present(changed[index], key);
    });
    for (const row of changed) this.#now.accounts.set(row.name, row);
  }

  #openEscrow(from: string, escrow_id: number, deadline: number): void {
    const row = { from, escrow_id, deadline, id: this.#now.nextEscrow };
    if (this.#now.escrows.has(escrowKey(row))) {
      assert.equal(this.#sessions.insert(escrows, row), false);
      return;
    }
    const taken = escrow_id + 1;
    assert.equal(this.#sessions.nextId(escrows, taken), row.id);
    assert.equal(this.#sessions.insert(escrows, row), true);
    this.#now.nextEscrow += BigInt(taken);
    this.#now.escrows.set(escrowKey(row), row);
  }

  #endTransaction(merge: boolean): void {
    if (this.#beforeTransaction === undefined) return;
    if (merge) this.#sessions.mergeTransaction();
    else this.#sessions.discardTransaction();
    if (!merge) this.#now = this.#beforeTransaction;
    this.#beforeTransaction = undefined;
  }

  #endBlock(how: 'commit' | 'commitForGood' | 'abandon' | 'sealAndAbandon' | 'undo'): void {
    if (how === 'commit') this.#commit();
    else if (how === 'commitForGood') this.#commitForGood();
    else this.#abandon(how === 'sealAndAbandon');
    if (how === 'undo') this.#undo();
    this.#compareCommitted();
    this.#sessions.beginBlock({ prepares: this.#prepares });
  }

  #commit(): void {
    const before = { model: this.#committed, contents: storeContents(this.#store), hash: this.#sessions.stateHash() };
    const sealed = this.#sessions.seal();
    this.#store.write(sealed.batch, false);
    this.#sessions.markCommitted();
    assert.equal(this.#sessions.stateHash(), sealed.stateHash);
    this.#history.push({ ...before, undo: sealed.undo });
    this.#committed = copyModel(this.#now);
  }

  /** Without a way back: rows are compared in another way then. */
  #commitForGood(): void {
    const sealed = this.#sessions.seal({ undo: false });
    this.#store.write(sealed.batch, false);
    this.#sessions.markCommitted();
    assert.equal(this.#sessions.stateHash(), sealed.stateHash);
    this.#final += this.#history.length + 1;
    this.#history.length = 0;
    this.#committed = copyModel(this.#now);
  }

  #abandon(afterSealing: boolean): void {
    if (afterSealing) this.#sessions.seal();
    this.#sessions.discardBlock();
    this.#now = copyModel(this.#committed);
  }

  #undo(): void {
    const last = this.#history.pop();
    if (last === undefined) return;
    this.#store.write(this.#sessions.undoBlock(last.undo).batch, false);
    this.#sessions.markCommitted();
    assert.equal(this.#sessions.stateHash(), last.hash, 'the state hash is what it was');
    assert.equal(storeContents(this.#store), last.contents, 'every byte is what it was');
    this.#committed = last.model;
    this.#now = copyModel(last.model);
  }

  /** The indexes that the chain walks, at every moment. */
  #compareIndexes(): void {
    const [sessions, now] = [this.#sessions, this.#now];
    const all = { limit: 100 };
    assert.deepEqual(sessions.first(accounts.by_due), byDue(now)[0]);
    assert.deepEqual(sessions.range(accounts.by_due, all), byDue(now));
    assert.deepEqual(
      sessions.range(accounts.by_balance, { reverse: true, limit: 3 }),
      byBalance(now).reverse().slice(0, 3),
    );
    assert.deepEqual(
      sessions.range(escrows.by_deadline, { from: [1], to: [3], limit: 100 }),
      byDeadline(now).filter(({ deadline }) => deadline >= 1 && deadline <= 3),
    );
    assert.deepEqual(
      sessions.next(accounts.by_due, [2, 'bob']),
      byDue(now).find((row) => row.due > 2 || (row.due === 2 && row.name > 'bob')),
    );
  }

  /** Compares the readers' view, and the kept hash with the hash of everything. */
  #compareCommitted(): void {
    const [view, model] = [this.#view, this.#committed];
    const { cachedBytes, rowsInMemory } = this.#sessions;
    assert.ok(cachedBytes <= this.#cachedBytes, 'between blocks, rows take no more memory than allowed');
    assert.ok(rowsInMemory * 300 <= cachedBytes, 'each row counts');
    assert.equal(this.#sessions.stateHash(), recomputeStateHash(this.#store, testTables, sha256));
    assert.deepEqual(view.range(accounts.by_proxy, { limit: 100 }), byProxy(model));
    assert.deepEqual(
      view.range(accounts.by_balance, { after: [1n], limit: 2 }),
      byBalance(model)
        .filter((row) => row.balance < 1n)
        .slice(0, 2),
    );
    assert.deepEqual(
      view.rows(escrows, { from: { from: 'a' }, to: { from: 'a' }, limit: 100 }).length,
      [...model.escrows.values()].filter(({ from }) => from === 'a').length,
    );
    assert.deepEqual(view.rows(entries, { limit: 100 }), [...model.entries.values()]);
    assert.deepEqual(view.rows(documents, { limit: 100 }), model.documents);
    assert.deepEqual(view.range(documents.by_author, { limit: 100 }), byAuthor(model));
    assert.equal(view.range(accounts.by_due, { limit: 100 }).length, byDue(model).length);
    assert.deepEqual(
      view.getMany(accounts, ['alice', 'bob', 'alice']),
      ['alice', 'bob', 'alice'].map((key) => model.accounts.get(key)),
    );
    for (let round = 1; round <= 2; round++)
      assert.deepEqual(
        view.getManyCached(accounts, ['bob', 'alice', 'carol']),
        ['bob', 'alice', 'carol'].map((key) => model.accounts.get(key)),
      );
  }
}

function entryKey({ block, position }: { readonly block: number; readonly position: number }): string {
  return `${block},${position}`;
}

function storeContents(store: KeyValueStore): string {
  const everything = { lower: Buffer.of(0), upper: afterPrefix(Buffer.of(0xfe)), limit: 100_000 };
  return JSON.stringify(
    columns.map((column) => store.range(column, everything).map(({ key, value }) => [toHex(key), toHex(value)])),
  );
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

test('sessions in memory agree with plain maps after any steps, however few rows are cached', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 120, size: 'max' }),
      fc.integer({ min: 1, max: 8 }),
      fc.boolean(),
      (steps, cachedRows, prepares) => {
        const comparison = new Comparison(new MemoryStore(), cachedRows, prepares);
        for (const next of steps) comparison.run(next);
      },
    ),
    { numRuns: isLong ? 400 : 120, includeErrorInReport: true },
  );
});

test('sessions on RocksDB agree with plain maps after any steps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80, size: 'max' }), fc.boolean(), async (steps, prepares) => {
      const folder = await mkdtemp(join(tmpdir(), 'pharos-undo-'));
      const store = await openRocksDb(folder);
      try {
        const comparison = new Comparison(store, 4, prepares);
        for (const next of steps) comparison.run(next);
      } finally {
        await store.close();
        await rm(folder, { recursive: true });
      }
    }),
    { numRuns: 15, includeErrorInReport: true },
  );
});

test('a table of a single row is read without a key', () => {
  const sessions = new UndoSessions({
    committed: new MemoryStore(),
    register: testTables,
    sha256,
    cachedBytes: 10_000,
  });
  assert.throws(() => sessions.only(globals), /globals is missing/);
  sessions.beginBlock();
  sessions.put(globals, { head: 7 });
  assert.equal(sessions.only(globals).head, 7);
});

test('nothing changes outside a block or after it is sealed', () => {
  const sessions = new UndoSessions({
    committed: new MemoryStore(),
    register: testTables,
    sha256,
    cachedBytes: 10_000,
  });
  assert.throws(() => sessions.put(globals, { head: 1 }), /inside a block/);
  sessions.beginBlock();
  sessions.seal();
  assert.throws(() => sessions.put(globals, { head: 1 }), /inside a block/);
});

test('the memory of cached rows follows what they have on disk, and stays within its bound', () => {
  const store = new MemoryStore();
  const sessions = new UndoSessions({ committed: store, register: testTables, sha256, cachedBytes: 20_000 });
  const commit = (change: () => void): number => {
    sessions.beginBlock();
    change();
    store.write(sessions.seal().batch);
    sessions.markCommitted();
    return sessions.cachedBytes;
  };
  const put = (account: string, proxy: string): void =>
    sessions.put(accounts, { name: account, balance: 1n, proxy, due: 0 });
  const little = commit(() => put('alice', 'bob'));
  const large = commit(() => put('alice', 'b'.repeat(4000)));
  assert.ok(large >= little + 3997, 'a row that grows counts as what it is');
  assert.ok(commit(() => assert.ok(sessions.remove(accounts, 'alice'))) < little);
  for (let n = 0; n < 100; n++) assert.ok(commit(() => put(`account ${n}`, 'b'.repeat(n * 20))) <= 20_000);
  assert.ok(sessions.rowsInMemory >= 4);
});

/** Sessions whose blocks are prepared, and what a block of these transactions comes to. */
class PreparedBlocks {
  readonly store = new MemoryStore();
  readonly sessions: UndoSessions;

  constructor() {
    const prepared = this.store.prepare();
    this.sessions = new UndoSessions({
      ...{ committed: this.store, register: testTables, sha256, cachedBytes: 10_000 },
      prepare: () => prepared,
    });
  }

  /** Commits a block and returns its undo record; a transaction of which nothing is to stay is discarded. */
  commit(...transactions: { readonly change: () => void; readonly isDiscarded?: boolean }[]): Uint8Array {
    this.sessions.beginBlock({ prepares: true });
    for (const { change, isDiscarded = false } of transactions) {
      this.sessions.beginTransaction();
      change();
      if (isDiscarded) this.sessions.discardTransaction();
      else this.sessions.mergeTransaction();
    }
    const { batch, undo } = this.sessions.seal();
    this.store.write(batch);
    this.sessions.markCommitted();
    return undo;
  }

  undo(record: Uint8Array): void {
    this.store.write(this.sessions.undoBlock(record).batch);
    this.sessions.markCommitted();
  }
}

test('a row that a prepared block removes and appends again comes back when the block is undone', () => {
  const blocks = new PreparedBlocks();
  const { sessions, store } = blocks;
  const key = { block: 1, position: 1 };
  blocks.commit({ change: () => sessions.append(entries, { ...key, note: 'first' }) });
  const before = storeContents(store);
  const undo = blocks.commit(
    { change: () => assert.ok(sessions.remove(entries, key)) },
    { change: () => sessions.append(entries, { ...key, note: 'second' }) },
  );
  blocks.undo(undo);
  assert.equal(storeContents(store), before);
});

test('a new row that a prepared block removes after all is not written, whatever transactions of it were discarded', () => {
  const blocks = new PreparedBlocks();
  const { sessions, store } = blocks;
  const before = storeContents(store);
  const key = { block: 1, position: 1 };
  const remove = (): void => assert.ok(sessions.remove(entries, key));
  const undo = blocks.commit(
    { change: () => sessions.append(entries, { ...key, note: 'first' }) },
    { change: remove, isDiscarded: true },
    { change: remove },
  );
  assert.equal(sessions.get(entries, key), undefined);
  assert.equal(storeContents(store), before);
  blocks.undo(undo);
  assert.equal(storeContents(store), before);
});

test('a write that is held on to keeps its bytes while later blocks are sealed', () => {
  const store = new MemoryStore();
  const sessions = new UndoSessions({ committed: store, register: testTables, sha256, cachedBytes: 10_000 });
  const held: WriteBatch[] = [];
  const copies: string[] = [];
  const shown = ({ changes }: WriteBatch): string =>
    changes
      .map(({ key, value }) => [key, value ?? []].map((bytes) => Buffer.from(bytes).toString('hex')).join())
      .join();
  for (let block = 1; block <= 3; block++) {
    sessions.beginBlock();
    sessions.append(documents, { id: block, author: `author ${block}`, body: `${block}`.repeat(100) });
    sessions.put(accounts, { name: `account ${block}`, balance: BigInt(block), proxy: '', due: 0 });
    const { batch } = sessions.seal();
    held.push(batch);
    copies.push(shown(batch));
    sessions.markCommitted();
  }
  assert.deepEqual(held.map(shown), copies);
});
