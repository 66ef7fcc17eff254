import type { CommittedRows } from '../../src/storage/rows.ts';

/** The methods of a reader as values of their own, for tests that put others in the place of some. */
export function rowMethods(rows: CommittedRows): CommittedRows {
  return {
    get: (table, key) => rows.get(table, key),
    only: (table) => rows.only(table),
    getMany: (table, keys) => rows.getMany(table, keys),
    getManyCached: (table, keys) => rows.getManyCached(table, keys),
    getJoined: (tables, keys) => rows.getJoined(tables, keys),
    getPlaces: (places) => rows.getPlaces(places),
    rows: (table, bounds) => rows.rows(table, bounds),
    range: (order, bounds) => rows.range(order, bounds),
  };
}
