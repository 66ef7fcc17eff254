/** The parts of the disk: current rows, their secondary indexes, what only grows, and blocks with their undo records. */
export const columns = ['state', 'order', 'history', 'block'] as const;
export type Column = (typeof columns)[number];

/** Keys from `lower` (inclusive) to `upper` (exclusive), in byte order or against it, `limit` entries at the most. */
export interface KeyRange {
  readonly lower: Uint8Array;
  readonly upper: Uint8Array;
  readonly reverse?: boolean;
  readonly limit: number;
}

export interface KeyValueEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Committed bytes. Each call sees one committed state; a write between two calls shows in `version`. */
export interface KeyValueReader {
  get(column: Column, key: Uint8Array): Uint8Array | undefined;
  /** Values in the order of `keys`. */
  getMany(column: Column, keys: readonly Uint8Array[]): (Uint8Array | undefined)[];
  range(column: Column, range: KeyRange): KeyValueEntry[];
  /** Grows when a write becomes visible: equal before and after some reads, all of them saw the same state. */
  version(): number;
}

/** The disk as its one writer sees it. */
export interface KeyValueStore extends KeyValueReader {
  /** Makes all changes of the batch visible at once; `durable` waits until they would survive a power failure. */
  write(batch: WriteBatch, durable: boolean): void;
}

/** An entry that is put, or deleted where there is no value. */
export interface Change {
  readonly column: Column;
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** Changes that become visible together. A later change of the same key wins. */
export class WriteBatch {
  readonly changes: Change[] = [];

  put(column: Column, key: Uint8Array, value: Uint8Array): void {
    this.changes.push({ column, key, value });
  }

  delete(column: Column, key: Uint8Array): void {
    this.changes.push({ column, key, value: undefined });
  }
}

/** The smallest key that comes after every key that begins with `prefix`, which has a byte below 0xff. */
export function afterPrefix(prefix: Uint8Array): Uint8Array {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  const after = Uint8Array.from(prefix.subarray(0, length));
  after[length - 1] = (after[length - 1] ?? 0) + 1;
  return after;
}
