import assert from 'node:assert/strict';
import { test } from 'node:test';

import { textKey } from '../../src/codec/key.ts';
import { text } from '../../src/codec/primitives.ts';
import { struct } from '../../src/codec/struct.ts';
import { type Column, WriteBatch } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { register } from '../../src/storage/register.ts';
import { encodeKey, encodeRow } from '../../src/storage/row_bytes.ts';
import { rowPlace } from '../../src/storage/rows.ts';
import { table } from '../../src/storage/table.ts';
import { UndoSessions } from '../../src/storage/undo_session.ts';
import { View } from '../../src/storage/view.ts';
import { sha256 } from './sha256.ts';
import { accounts, globals, testTables } from './tables.ts';

function committing(): { store: MemoryStore; view: View; commit: (head: number) => void } {
  const store = new MemoryStore();
  const sessions = new UndoSessions({ committed: store, register: testTables, sha256, cachedBytes: 10_000 });
  return {
    store,
    view: new View(store, 10),
    commit(head) {
      sessions.beginBlock();
      sessions.put(globals, { head });
      sessions.put(accounts, { name: 'alice', balance: BigInt(head), proxy: '', due: head });
      store.write(sessions.seal().batch);
      sessions.markCommitted();
    },
  };
}

/** Notes the number of keys of each look-up. */
class CountingStore extends MemoryStore {
  readonly asked: number[] = [];

  override getMany(column: Column, keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    this.asked.push(keys.length);
    return super.getMany(column, keys);
  }
}

/** A block in which two accounts appear. */
const withBoth = new WriteBatch();
for (const name of ['alice', 'bob'])
  withBoth.put(
    'state',
    encodeKey(accounts, name),
    encodeRow(accounts, name, { name, balance: 1n, proxy: '', due: 0 }).value,
  );

test('a read that a commit overtakes is redone', () => {
  const { view, commit } = committing();
  commit(1);
  let runs = 0;
  const seen = view.consistentRead(() => {
    const { head } = view.only(globals);
    if (runs++ === 0) commit(2);
    return [head, view.get(accounts, 'alice')?.balance];
  });
  assert.deepEqual([seen, runs], [[2, 2n], 2]);
});

test('rows at places that a commit overtakes are looked up again, accounts that have just appeared among them', () => {
  let looks = 0;
  const store = new (class extends MemoryStore {
    override getMany(column: Column, keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
      const found = super.getMany(column, keys);
      if (looks++ === 0) this.write(withBoth);
      return found;
    }
  })();
  const [alice, bob] = new View(store, 10).getPlaces([rowPlace(accounts, 'alice'), rowPlace(accounts, 'bob')]);
  assert.deepEqual([alice?.name, bob?.name, looks], ['alice', 'bob', 2]);
});

test('a read that is always overtaken ends with what it has', () => {
  const { view, commit } = committing();
  commit(1);
  let runs = 0;
  view.consistentRead(() => commit(++runs + 1));
  assert.equal(runs, 8);
  assert.equal(view.only(globals).head, 9, 'nothing of it stays in the cache');
});

test('a failure of a read counts only when no commit has overtaken it', () => {
  const { view, commit } = committing();
  commit(1);
  let runs = 0;
  const read = (): number => {
    if (runs++ > 0) return view.only(globals).head;
    commit(2);
    throw new TypeError('two blocks contradict each other');
  };
  assert.equal(view.consistentRead(read), 2);
  assert.throws(() => view.consistentRead(() => assert.fail('really')), /really/);
  assert.equal(view.only(globals).head, 2);
});

test('cached rows are those of the last commit', () => {
  const { store, view, commit } = committing();
  commit(1);
  assert.equal(view.get(accounts, 'alice'), view.get(accounts, 'alice'));
  const version = view.version();
  commit(2);
  assert.ok(view.version() > version);
  assert.equal(view.get(accounts, 'alice')?.balance, 2n);
  assert.equal(view.get(accounts, 'bob'), undefined);
  store.write(new WriteBatch());
  assert.equal(view.get(accounts, 'bob'), undefined);
});

test('cached rows are looked up once in a block, all that are missing together, and so are those that nobody has', () => {
  const store = new CountingStore();
  const { asked } = store;
  store.write(withBoth);
  const view = new View(store, 3);
  const names = (...keys: readonly string[]): (string | undefined)[] =>
    view.getManyCached(accounts, keys).map((row) => row?.name);
  assert.deepEqual(names('bob', 'carol'), ['bob', undefined]);
  assert.deepEqual(names('alice', 'bob', 'carol'), ['alice', 'bob', undefined]);
  assert.deepEqual(asked, [2, 1]);
  assert.equal(view.get(accounts, 'bob'), view.getManyCached(accounts, ['bob'])[0]);
  assert.deepEqual(asked, [2, 1]);
  assert.deepEqual(names('dave', 'bob', 'dave', 'erin'), [undefined, 'bob', undefined, undefined], 'asked for twice');

  // More than have room: what was read is the answer all the same.
  assert.deepEqual(names('alice', 'dave', 'bob', 'erin', 'carol'), ['alice', undefined, 'bob', undefined, undefined]);
  store.write(new WriteBatch());
  asked.length = 0;
  assert.deepEqual(names('alice', 'bob'), ['alice', 'bob']);
  assert.deepEqual(asked, [2], 'the next block may have changed them');
});

test('walks end at their bounds, in both directions', () => {
  const { view, commit } = committing();
  commit(5);
  assert.equal(view.range(accounts.by_due, { from: [5], to: [5], limit: 10 }).length, 1);
  assert.equal(view.range(accounts.by_due, { after: [5], limit: 10 }).length, 0);
  assert.equal(view.range(accounts.by_due, { after: [5], reverse: true, limit: 10 }).length, 0);
  assert.equal(view.range(accounts.by_due, { after: [6], reverse: true, limit: 10 }).length, 1);
  assert.equal(view.range(accounts.by_due, { from: [6], to: [4], limit: 10 }).length, 0);
  assert.equal(view.rows(accounts, { from: 'alice', to: 'alice', limit: 10 }).length, 1);
});

test('rows of several tables are found in one look-up, at the same keys or at places of their own', () => {
  const titles = table({ name: 'title', value: struct({ holder: text, title: text }), key: { holder: textKey } });
  const elsewhere = table({ name: 'elsewhere', value: struct({ a: text }), key: { a: textKey }, column: 'history' });
  const store = new CountingStore();
  const { asked } = store;
  const all = register({ 1: accounts, 6: titles, 7: elsewhere });
  const sessions = new UndoSessions({ committed: store, register: all, sha256, cachedBytes: 10_000 });
  sessions.beginBlock();
  for (const name of ['alice', 'bob']) sessions.put(accounts, { name, balance: 1n, proxy: '', due: 0 });
  sessions.put(titles, { holder: 'bob', title: 'builder' });
  sessions.put(titles, { holder: 'carol', title: 'singer' });
  store.write(sessions.seal().batch);

  const view = new View(store, 10);
  const [found, titled] = view.getJoined([accounts, titles], ['alice', 'bob', 'carol']);
  assert.deepEqual(
    [found.map((row) => row?.name), titled.map((row) => row?.title)],
    [
      ['alice', 'bob', undefined],
      [undefined, 'builder', 'singer'],
    ],
  );
  assert.deepEqual(asked, [6]);
  const nobody: readonly string[] = [];
  assert.deepEqual(view.getJoined([accounts, titles], nobody), [[], []]);
  assert.throws(() => view.getJoined([titles, elsewhere], ['alice']), /joined tables lie in one column/);

  asked.length = 0;
  const places = view.getPlaces([rowPlace(titles, 'carol'), rowPlace(accounts, 'alice'), rowPlace(titles, 'alice')]);
  assert.deepEqual([places[0]?.title, places[1]?.name, places[2]], ['singer', 'alice', undefined]);
  assert.deepEqual(asked, [3]);
  assert.deepEqual(view.getPlaces([]), []);
  assert.throws(
    () => view.getPlaces([rowPlace(titles, 'bob'), rowPlace(elsewhere, 'a')]),
    /looked up together lie in one column/,
  );
});
