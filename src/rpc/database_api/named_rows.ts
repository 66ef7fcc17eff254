import { inChunks, type Chunks } from '../chunks.ts';
import type { Table } from '../../storage/table.ts';
import type { Call } from '../services.ts';

/** The rows of these keys, without those that don't exist. */
export function namedRows<Key, Row>(
  call: Pick<Call, 'rows'>,
  table: Table<Key, Row>,
  keys: readonly Key[],
): Chunks<Row> {
  return inChunks(call, keys, (some) => call.rows.getMany(table, some));
}
