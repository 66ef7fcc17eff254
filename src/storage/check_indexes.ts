import { countEntries, walkEntries } from './entries.ts';
import type { KeyValueReader } from './key_value.ts';
import { encodeIndexKey } from './index_key.ts';
import type { Register } from './register.ts';
import { decodeKeyParts, decodeRow } from './row_bytes.ts';
import type { Index, SomeTable } from './table.ts';

/** Describes where the secondary indexes do not match the rows: missing or surplus entries. For `verify`. */
export function indexProblems(reader: KeyValueReader, register: Register): string[] {
  return register.tables.flatMap((table) => (table.indexes.length === 0 ? [] : tableProblems(reader, table)));
}

function tableProblems(reader: KeyValueReader, table: SomeTable): string[] {
  const problems: string[] = [];
  const expected = table.indexes.map(() => 0);
  for (const { key, value } of walkEntries(reader, table)) {
    const row = decodeRow(table, value);
    table.indexes.forEach((index, number) => {
      const tuple = index.of(row);
      if (tuple === undefined) return;
      expected[number] = (expected[number] ?? 0) + 1;
      const place = encodeIndexKey(index, tuple, table, decodeKeyParts(table, key, 1));
      if (reader.get('order', place) === undefined)
        problems.push(`index ${table.name}.${index.name} lacks row ${Buffer.from(key).toString('hex')}`);
    });
  }
  return problems.concat(table.indexes.flatMap((index, number) => excess(reader, table, index, expected[number] ?? 0)));
}

function excess(
  reader: KeyValueReader,
  table: SomeTable,
  index: Index<readonly unknown[], unknown>,
  expected: number,
): string[] {
  const count = countEntries(reader, index);
  return count === expected ? [] : [`index ${table.name}.${index.name} has ${count} entries for ${expected} rows`];
}
