import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Fault } from '../../src/base/fault.ts';
import { ByteReader, ByteWriter } from '../../src/codec/bytes.ts';
import { ChunkPacking } from '../../src/snapshot/chunk_packing.ts';
import type { SnapshotChunk, SnapshotColumn } from '../../src/snapshot/snapshot_schema.ts';
import { accountMetadata } from '../../src/state/tables/account_metadata.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { tables } from '../../src/state/tables/index.ts';
import { witnessVotes } from '../../src/state/tables/witness_vote.ts';
import { encodeRow } from '../../src/storage/row_bytes.ts';
import type { SomeTable, Table } from '../../src/storage/table.ts';
import { compareNames, nameFromSeed } from '../../src/values/account_name.ts';
import { RandomSource } from '../builders/random_source.ts';

const names = [
  'alice',
  'bob',
  ...Array.from({ length: 300 }, (_, number) => nameFromSeed(`account ${number}`)),
].toSorted(compareNames);
assert.ok(tables.tables.length > 0, 'tables have their numbers');

function encodeValue<Key, Row>(table: Table<Key, Row>, row: Row): Uint8Array {
  return Uint8Array.from(encodeRow(table, table.keyOf(row), row).value);
}

function accountValues(of: readonly string[]): Uint8Array[] {
  const blank = accounts.value.read(new ByteReader(blankAccount()));
  return of.map((name, id) => encodeValue(accounts, { ...blank, id: BigInt(id), name }));
}

/** Encodes an account of nothing but zeros: each member has a length of its own. */
function blankAccount(): Uint8Array {
  const out = new ByteWriter();
  out.bytes(new Uint8Array(300));
  return out.finish();
}

function metadataValues(of: readonly string[], randomSource: RandomSource): Uint8Array[] {
  return of.map((account) =>
    encodeValue(accountMetadata, {
      account,
      json_metadata: 'x'.repeat(randomSource.roll(3) === 0 ? randomSource.roll(200) : randomSource.roll(9)),
    }),
  );
}

/** Packs tables one after another, and unpacks them again. */
function both(parts: readonly (readonly [SomeTable, readonly Uint8Array[]])[]): SnapshotChunk[] {
  const [packing, unpacking] = [new ChunkPacking(), new ChunkPacking()];
  return parts.map(([table, values]) => {
    const chunk = packing.pack(table, values);
    assert.deepEqual(
      unpacking.unpack(table, chunk).map((value) => Buffer.from(value).toString('hex')),
      values.map((value) => Buffer.from(value).toString('hex')),
    );
    return chunk;
  });
}

const columnForms = ({ columns }: SnapshotChunk): readonly string[] => columns.map(({ form }) => form);

test('rows of any lengths come out as they went in, and those of accounts say how many accounts they pass', () => {
  const randomSource = new RandomSource(5);
  const some = names.filter((_, index) => index % 3 !== 1);
  const [, first, second] = both([
    [accounts, accountValues(names)],
    [accountMetadata, metadataValues(some.slice(0, 77), randomSource)],
    [accountMetadata, metadataValues(some.slice(77), randomSource)],
    [
      witnessVotes,
      [names[3], names[3], names[9]].map((account = '', id) =>
        encodeValue(witnessVotes, { id: BigInt(id), witness: 'bob', account }),
      ),
    ],
  ]);
  assert.deepEqual(
    [first, second].map((chunk) => chunk && columnForms(chunk)),
    [
      ['accounts', 'cells'],
      ['accounts', 'cells'],
    ],
  );
});

test('names of no account, or out of order, are written as they are, and those behind them still count', () => {
  const randomSource = new RandomSource(6);
  const strange = [names[5] ?? '', 'nobody', names[8] ?? ''];
  const chunks = both([
    [accounts, accountValues(names)],
    [accountMetadata, metadataValues(names.slice(0, 5), randomSource)],
    [accountMetadata, metadataValues(strange, randomSource)],
    [accountMetadata, metadataValues([names[9] ?? '', names[7] ?? ''], randomSource)],
    [accountMetadata, metadataValues(names.slice(9, 30), randomSource)],
  ]);
  assert.deepEqual(
    chunks.slice(1).map((chunk) => columnForms(chunk)[0]),
    ['accounts', 'cells', 'cells', 'accounts'],
  );
});

test('columns that can be of no rows are damaged data, whatever they say', () => {
  const chunk = new ChunkPacking().pack(accountMetadata, metadataValues(names, new RandomSource(7)));
  const [account, text] = chunk.columns;
  assert.ok(account !== undefined && text !== undefined);
  const changed = (changes: Partial<SnapshotColumn>): SnapshotChunk => ({
    ...chunk,
    columns: [account, { ...text, ...changes }],
  });
  const numbers = (count: number): Buffer => Buffer.alloc(4 * count, 255);
  const cases: readonly SnapshotChunk[] = [
    { ...chunk, columns: [account] },
    { ...chunk, columns: [text, account] },
    { ...chunk, columns: [...chunk.columns, text] },
    { ...chunk, seal: { ...chunk.seal, rows: 0 } },
    { ...chunk, seal: { ...chunk.seal, rows: chunk.seal.rows + 1 } },
    changed({ member: 'other' }),
    changed({ lengths: Buffer.alloc(3) }),
    changed({ lengths: numbers(names.length) }),
    changed({ cells: text.cells.subarray(1) }),
    changed({ form: 'accounts', cells: numbers(names.length) }),
    changed({ form: 'accounts', cells: numbers(1) }),
    changed({ form: 'accounts', cells: Buffer.alloc(4 * names.length) }),
  ];
  for (const [index, each] of cases.entries())
    assert.throws(
      () => new ChunkPacking().unpack(accountMetadata, each),
      (error) => error instanceof Fault && error.code === 'damaged_data',
      `case ${index}`,
    );
});

test('a row that is none of its table is damaged data, and no snapshot is made of it', () => {
  const [value = new Uint8Array(0)] = metadataValues(['alice'], new RandomSource(8));
  for (const bad of [value.subarray(1), Buffer.concat([value, Buffer.of(0)]), new Uint8Array(0)])
    assert.throws(
      () => new ChunkPacking().pack(accountMetadata, [bad]),
      (error) => error instanceof Fault && error.code === 'damaged_data',
    );
});
