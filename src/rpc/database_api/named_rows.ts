import type { Table } from '../../storage/table.ts';
import type { Call } from '../services.ts';

/** The rows of these keys, without those that don't exist. */
export function namedRows<Key, Row>({ rows }: Call, table: Table<Key, Row>, keys: readonly Key[]): Row[] {
  return rows.getMany(table, keys).filter((row) => row !== undefined);
}
