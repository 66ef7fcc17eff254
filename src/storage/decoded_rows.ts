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
    for (const table of this.#tables) table?.rows.clear();
    this.#size = 0;
    this.#version = -1;
  }

  /** The cached rows of a table, to be read and, after `makeRoom`, added to. */
  of<Key, Row>(table: Table<Key, Row>): Map<MapKey, Row | undefined> {
    const known = this.#tables[table.number];
    if (known?.isTable(table) === true) return known.rows;
    const created = new DecodedTable(table);
    this.#tables[table.number] = created;
    return created.rows;
  }

  /**
   * Makes room for `count` more rows. If they don't fit, all others are dropped: they were valid for one block only.
   */
  makeRoom(count: number): void {
    this.#size += count;
    if (this.#size <= this.#capacity) return;
    for (const table of this.#tables) table?.rows.clear();
    this.#size = count;
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
