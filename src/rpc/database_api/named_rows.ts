import type { Table } from '../../storage/table.ts';
import { requirePage } from '../../queries/paging.ts';
import type { Call } from '../services.ts';

/** The rows of these keys, without those that don't exist. Refuses more keys than a page has; `given` is the name of their number. */
export function namedRows<Key, Row>({ rows, notation }: Call, table: Table<Key, Row>, keys: readonly Key[], given: string): Row[] {
  requirePage(keys.length, notation, given);
  return rows.getMany(table, keys).filter((row) => row !== undefined);
}
