import { ByteWriter } from '../codec/bytes.ts';
import { afterPrefix, type KeyValueEntry, type KeyValueReader } from './key_value.ts';
import { encodeOrderKey } from './order_key.ts';
import type { Register } from './register.ts';
import { decodeKeyParts, decodeRow } from './row_bytes.ts';
import type { Order, SomeTable, Walkable } from './table.ts';

const PAGE = 1000; // entries read at once when everything is walked

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
  let count = 0;
  for (const entry of entriesOf(reader, order)) count += entry.key.length > 0 ? 1 : 0;
  return count === expected ? [] : [`order ${table.name}.${order.name} has ${count} entries for ${expected} rows`];
}

function* entriesOf(reader: KeyValueReader, walked: Walkable<never>): Generator<KeyValueEntry> {
  const prefix = new ByteWriter();
  walked.writePrefix(prefix);
  const upper = afterPrefix(prefix.view());
  for (let lower: Uint8Array = prefix.finish(); ;) {
    const page = reader.range(walked.column, { lower, upper, limit: PAGE });
    yield* page;
    const last = page[PAGE - 1];
    if (last === undefined) return;
    lower = Buffer.concat([last.key, Buffer.of(0)]);
  }
}
