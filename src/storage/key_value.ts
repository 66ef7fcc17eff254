/**
 * The columns of the database: current rows, their secondary indexes, append-only data, and blocks with their undo
 * records.
 */
export const columns = ['state', 'order', 'history', 'block'] as const;
export type Column = (typeof columns)[number];

/** A number of bytes for each column. */
export type ColumnBytes = Record<Column, number>;
export const NO_BYTES: Readonly<ColumnBytes> = { state: 0, order: 0, history: 0, block: 0 };

/** Keys from `lower` (inclusive) to `upper` (exclusive), in byte order or reversed, at most `limit` entries. */
export interface KeyRange {
  readonly lower: Uint8Array;
  readonly upper: Uint8Array;
  readonly reverse?: boolean;
  readonly limit: number;
  /** The entries will hardly be read again soon, so they should not take the place of others in memory. */
  readonly passing?: boolean;
}

export interface KeyValueEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Reads committed bytes. Each call sees one committed state; a write between two calls changes `version`. */
export interface KeyValueReader {
  get(column: Column, key: Uint8Array): Uint8Array | undefined;
  /** Values in the order of `keys`. */
  getMany(column: Column, keys: readonly Uint8Array[]): (Uint8Array | undefined)[];
  range(column: Column, range: KeyRange): KeyValueEntry[];
  /** Grows when a write becomes visible: if it is equal before and after some reads, they all saw the same state. */
  version(): number;
}

/** The database as its single writer sees it. */
export interface KeyValueStore extends KeyValueReader {
  /** Applies all changes of the batch atomically; `durable` waits until they would survive a power failure. */
  write(batch: WriteBatch, durable: boolean): void;
  /** An empty prepared part, for writes to this store alone. */
  prepare(): PreparedChanges;
  /** Does what a later write would have to do: for when a write has been told of, and there is time. */
  tidy(): void;
}

/** An entry to be put, or deleted if it has no value. */
export interface Change {
  readonly column: Column;
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** Changes of a write that are known before its time. Keys and values may be used for something else afterwards. */
export interface PreparedChanges {
  put(column: Column, key: Uint8Array, value: Uint8Array): void;
  delete(column: Column, key: Uint8Array): void;
  /** The number of changes from which adding them together pays. */
  readonly changesAtOnce: number;
  /** The number of changes. */
  readonly size: number;
  /** Forgets them all: another write begins. */
  clear(): void;
}

/** Changes that become visible atomically. A later change to the same key wins. */
export class WriteBatch {
  readonly changes: Change[] = [];
  /** Precede the changes; made by the store that the batch is written to. */
  readonly prepared: PreparedChanges | undefined;

  constructor(prepared?: PreparedChanges) {
    this.prepared = prepared;
  }

  /** The number of changes, prepared ones included. */
  get size(): number {
    return this.changes.length + (this.prepared?.size ?? 0);
  }

  put(column: Column, key: Uint8Array, value: Uint8Array): void {
    this.changes.push({ column, key, value });
  }

  delete(column: Column, key: Uint8Array): void {
    this.changes.push({ column, key, value: undefined });
  }
}

/** The smallest key after all keys that begin with `prefix`, which must have a byte below 0xff. */
export function afterPrefix(prefix: Uint8Array): Uint8Array {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  const after = Uint8Array.from(prefix.subarray(0, length));
  after[length - 1] = (after[length - 1] ?? 0) + 1;
  return after;
}
