import type { Table } from '../../storage/table.ts';
import { requirePage } from '../../queries/paging.ts';
import type { Call } from '../services.ts';

/** The rows of these keys; where there is none, there is no row. Refuses more keys than a page has; `given` names their number. */
export function namedRows<Key, Row>({ rows, notation }: Call, table: Table<Key, Row>, keys: readonly Key[], given: string): Row[] {
  requirePage(keys.length, notation, given);
  return rows.getMany(table, keys).filter((row) => row !== undefined);
}
