import type { MapKey } from './row_key.ts';
import type { SomeTable, Table } from './table.ts';

/** A bounded cache of decoded rows of one version of the committed state, including keys that have no row. */
export class DecodedRows {
  readonly #capacity: number;
  readonly #tables: (DecodedTable<unknown, unknown> | undefined)[] = [];
  #size = 0;
  #version = -1;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Discards rows of any other version. */
  resetVersion(version: number): void {
    if (version === this.#version) return;
    this.clear();
    this.#version = version;
  }

  clear(): void {
    this.#dropAll();
    this.#version = -1;
  }

  /** Maps and all: V8 would go on copying young rows that an old map had (bench/tried.md). */
  #dropAll(): void {
    this.#tables.length = 0;
    this.#size = 0;
  }

  /** The cached rows of a table. */
  of<Key, Row>(table: Table<Key, Row>): Map<MapKey, Row | undefined> {
    const known = this.#tables[table.number];
    if (known?.isTable(table) === true) return known.rows;
    const created = new DecodedTable(table);
    this.#tables[table.number] = created;
    return created.rows;
  }

  /** Caches a row. If there is no room, all others are dropped: they were valid for one block only. */
  add<Key, Row>(table: Table<Key, Row>, mapKey: MapKey, row: Row | undefined): void {
    if (this.#size >= this.#capacity) this.#dropAll();
    this.#size++;
    this.of(table).set(mapKey, row);
  }
}

class DecodedTable<Key, Row> {
  readonly table: Table<Key, Row>;
  readonly rows = new Map<MapKey, Row | undefined>();

  constructor(table: Table<Key, Row>) {
    this.table = table;
  }

  isTable<K, R>(table: Table<K, R>): this is DecodedTable<K, R> {
    const mine: SomeTable = this.table;
    return mine === table;
  }
}
