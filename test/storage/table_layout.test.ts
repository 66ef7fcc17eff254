import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Codec } from '../../src/codec/codec.ts';
import { vector } from '../../src/codec/collections.ts';
import { descending, i64Key, textKey, u32Key, u64Key } from '../../src/codec/key.ts';
import { i64, text, u16, u32, u64 } from '../../src/codec/primitives.ts';
import { struct } from '../../src/codec/struct.ts';
import { sha256Hex } from '../../src/crypto/hashes.ts';
import { tables } from '../../src/state/tables/index.ts';
import { register } from '../../src/storage/register.ts';
import { table, type IndexDeclaration, type SomeTable, type TableDeclaration } from '../../src/storage/table.ts';
import { tableLayouts, type TableLayout } from '../../src/storage/table_layout.ts';

interface Row {
  readonly name: string;
  readonly balance: bigint;
  readonly due: number;
  readonly limit: number;
}
type Declaration = TableDeclaration<
  Row,
  'name' | 'due',
  Readonly<Record<string, readonly unknown[]>>,
  Readonly<Record<string, unknown>>
>;

const value: Codec<Row> = struct({ name: text, balance: i64, due: u32, limit: u32 });
const byDue = { parts: [u32Key], of: (row: Row) => [row.due] as const };
const byBalance = { parts: [i64Key], of: (row: Row) => [row.balance] as const };
const plain: Declaration = {
  name: 'account',
  value,
  key: { name: textKey, due: u32Key },
  indexes: { by_due: byDue, by_balance: byBalance },
};

function makeLayout(changes: Partial<Declaration> = {}, number = 7): TableLayout {
  const declared: SomeTable = table({ ...plain, ...changes });
  const layout = tableLayouts(register({ [number]: declared }), sha256Hex).find(({ name }) => name !== 'id_counter');
  assert.ok(layout);
  return layout;
}

describe('the rows of a table have another digest', () => {
  const rows: Readonly<Record<string, TableLayout>> = {
    'with another number': makeLayout({}, 8),
    'with another name': makeLayout({ name: 'other' }),
    'in another column': makeLayout({ column: 'history', hashed: true }),
    'that are not part of the state hash': makeLayout({ hashed: false }),
    'with a member of another width': makeLayout({ value: struct({ name: text, balance: i64, due: u32, limit: u16 }) }),
    'with a member that can be negative': makeLayout({
      value: struct({ name: text, balance: u64, due: u32, limit: u32 }),
    }),
    'with another name of a member': makeLayout({
      value: Object.assign({}, value, { fields: { name: text, balance: i64, due: u32, most: u32 } }),
    }),
    'with two members of a type in the other order': makeLayout({
      value: struct({ name: text, balance: i64, limit: u32, due: u32 }),
    }),
    'with one more member': makeLayout({
      value: struct({ name: text, balance: i64, due: u32, limit: u32, more: vector(u32) }),
    }),
    'with other items in a list': makeLayout({
      value: struct({ name: text, balance: i64, due: u32, limit: u32, more: vector(u64) }),
    }),
    'with another key': makeLayout({ key: { due: u32Key, name: textKey } }),
    'with a descending key': makeLayout({ key: { name: textKey, due: descending(u32Key) } }),
  };
  const digests = new Set([makeLayout().rows]);
  for (const [change, layout] of Object.entries(rows)) {
    test(change, () => {
      assert.ok(!digests.has(layout.rows));
      digests.add(layout.rows);
    });
  }
});

describe('the entries of one index have another digest, and nothing else has', () => {
  const changed: Readonly<Record<string, IndexDeclaration<Row, readonly unknown[]>>> = {
    'of another member': { parts: [u32Key], of: (row) => [row.limit] },
    'of more members': { parts: [u32Key, u32Key], of: (row) => [row.due, row.limit] },
    'in descending order': { parts: [descending(u32Key)], of: (row) => [row.due] },
    'with wider parts': { parts: [u64Key], of: (row) => [BigInt(row.due)] },
    'without some rows': { parts: [u32Key], of: (row) => (row.due === 0 ? undefined : [row.due]) },
    'without the row’s key': { parts: [u32Key], of: (row) => [row.due], unique: true },
  };
  const before = makeLayout();
  for (const [change, by_due] of Object.entries(changed)) {
    test(change, () => {
      const layout = makeLayout({ indexes: { by_due, by_balance: byBalance } });
      assert.equal(layout.rows, before.rows);
      assert.notEqual(layout.indexes[0]?.digest, before.indexes[0]?.digest);
      assert.deepEqual(layout.indexes[1], before.indexes[1]);
    });
  }

  test('a new one behind the others changes none of them', () => {
    const { indexes } = makeLayout({
      indexes: { by_due: byDue, by_balance: byBalance, by_limit: { parts: [u32Key], of: (row: Row) => [row.limit] } },
    });
    assert.deepEqual(indexes.slice(0, 2), before.indexes);
    assert.equal(indexes.length, 3);
  });
});

test('what only people read changes no digest', () => {
  const described: Codec<Row> = { ...value, describe: () => ({ type: 'object', description: 'told otherwise' }) };
  assert.deepEqual(makeLayout({ value: described }), makeLayout());
});

test('a sample of each table of the chain is read to its end, so that its last member counts', () => {
  const cut = (codec: Codec<unknown>): Codec<unknown> => ({
    ...codec,
    read: (input) => [codec.read(input), input.u8()],
    write: (out, row) => Array.isArray(row) && codec.write(out, row[0]),
  });
  const whole = tableLayouts(tables, sha256Hex);
  for (const [at, layout] of whole.entries()) {
    const declared = tables.tables[at];
    assert.ok(declared);
    const longer: SomeTable = {
      ...declared,
      value: cut(declared.value),
      indexes: [],
      keyOf: (row) => declared.keyOf(Array.isArray(row) ? row[0] : row),
    };
    assert.notEqual(tableLayouts({ tables: [longer] }, sha256Hex)[0]?.rows, layout.rows, layout.name);
  }
});
