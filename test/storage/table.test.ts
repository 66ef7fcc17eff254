import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { ByteWriter } from '../../src/codec/bytes.ts';
import { textKey } from '../../src/codec/key.ts';
import { text } from '../../src/codec/primitives.ts';
import { struct } from '../../src/codec/struct.ts';
import { register } from '../../src/storage/register.ts';
import type { CommittedRows, MutableRows } from '../../src/storage/rows.ts';
import { table } from '../../src/storage/table.ts';
import { accounts, escrows, globals, testTables } from './tables.ts';

test('different compound keys have different map keys', () => {
  const pairs = table({
    name: 'pair',
    value: struct({ left: text, right: text }),
    key: { left: textKey, right: textKey },
  });
  const part = fc.string({ unit: fc.constantFrom('1', ':', ',', 'a'), maxLength: 4 });
  fc.assert(
    fc.property(part, part, part, part, (left, right, otherLeft, otherRight) => {
      const [one, other] = [pairs.mapKey({ left, right }), pairs.mapKey({ left: otherLeft, right: otherRight })];
      assert.equal(one === other, left === otherLeft && right === otherRight);
    }),
  );
});

test('a simple key is its own map key, a compound key is an object of its members', () => {
  const row = { from: 'alice', escrow_id: 3, id: 7n, deadline: 9 };
  assert.equal(accounts.mapKey('alice'), 'alice');
  assert.deepEqual(escrows.keyOf(row), { from: 'alice', escrow_id: 3 });
  assert.equal(globals.keyOf({ head: 1 }), null);
});

test('a table without a number writes no keys: they would be those of another one', () => {
  const unregistered = table({
    name: 'new',
    value: struct({ a: text }),
    key: { a: textKey },
    indexes: { by_a: { parts: [textKey], of: ({ a }) => [a] as const } },
  });
  const out = new ByteWriter();
  assert.throws(() => unregistered.writeKey(out, 'a'), /table new is registered/);
  assert.throws(() => unregistered.writePrefix(out), /table new is registered/);
  assert.throws(() => unregistered.by_a.writePrefix(out), /the table of index by_a is registered/);
  assert.equal(out.length, 0);
});

test('a number stands for one table for ever', () => {
  assert.equal(escrows.number, 3);
  assert.ok(testTables.tables.includes(escrows));
  assert.throws(() => register({ 9: accounts }), /account has one number/);
  assert.throws(() => register({ 1: accounts, 5: accounts }), /one table is called account/);
  const unregistered = table({ name: 'new', value: struct({ a: text }), key: { a: textKey } });
  assert.throws(() => register({ 0: unregistered }), /a number from 1 to 254/);
});

/** Compiled, not run: what the types of a declaration allow. */
export function typed(state: MutableRows, view: CommittedRows): unknown[] {
  const balance: bigint | undefined = state.get(accounts, 'alice')?.balance;
  const deadline: number | undefined = state.get(escrows, { from: 'alice', escrow_id: 1 })?.deadline;
  const head: number = state.only(globals).head;
  state.range(accounts.by_due, { from: [1], to: [2, 'alice'], limit: 3 });
  view.rows(escrows, { from: { from: 'alice' }, limit: 1 });
  // @ts-expect-error -- the order is not live
  state.first(accounts.by_proxy);
  // @ts-expect-error -- the tuple begins with a number
  state.next(accounts.by_due, ['alice']);
  // @ts-expect-error -- the key is a name
  state.get(accounts, 3);
  // @ts-expect-error -- the table has many rows
  state.only(accounts);
  // @ts-expect-error -- a reader cannot write
  void view.put;
  return [balance, deadline, head];
}
