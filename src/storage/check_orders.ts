import { countEntries, entriesOf } from './entries.ts';
import type { KeyValueReader } from './key_value.ts';
import { encodeOrderKey } from './order_key.ts';
import type { Register } from './register.ts';
import { decodeKeyParts, decodeRow } from './row_bytes.ts';
import type { Order, SomeTable } from './table.ts';

/** What of the secondary orders does not fit the rows, in words: an entry that is missing, or one too many. For `verify`. */
export function orderProblems(reader: KeyValueReader, register: Register): string[] {
  return register.tables.flatMap((table) => (table.orders.length === 0 ? [] : tableProblems(reader, table)));
}

function tableProblems(reader: KeyValueReader, table: SomeTable): string[] {
  const problems: string[] = [];
  const expected = table.orders.map(() => 0);
  for (const { key, value } of entriesOf(reader, table)) {
    const row = decodeRow(table, value);
    table.orders.forEach((order, index) => {
      const tuple = order.of(row);
      if (tuple === undefined) return;
      expected[index] = (expected[index] ?? 0) + 1;
      const place = encodeOrderKey(order, tuple, table, decodeKeyParts(table, key, 1));
      if (reader.get('order', place) === undefined)
        problems.push(`order ${table.name}.${order.name} lacks row ${Buffer.from(key).toString('hex')}`);
    });
  }
  return problems.concat(table.orders.flatMap((order, index) => excess(reader, table, order, expected[index] ?? 0)));
}

function excess(reader: KeyValueReader, table: SomeTable, order: Order<readonly unknown[], unknown>, expected: number): string[] {
  const count = countEntries(reader, order);
  return count === expected ? [] : [`order ${table.name}.${order.name} has ${count} entries for ${expected} rows`];
}
