import { columns, WriteBatch, type Change, type Column } from './key_value.ts';

/** Bytes that a column gathers in memory before it begins with the next lot. */
export type BufferBytes = Readonly<Record<Column, number>>;

/** The rounds in which the columns are filled up: a column moves to a file when two buffers are full. */
const ROUNDS = 2;

/** Behind the keys of all tables and of the chain's own records. */
const FILLING_KEY = Uint8Array.of(0xff, 0xff);

/**
 * Bounds the write-ahead log, which every start reads. It is kept until each column has moved what it says into files, which a column
 * does when two of its buffers are full: one that blocks seldom touch would keep the log of weeks. So, a log's worth of bytes after
 * the last time, columns that have not come so far are filled up, with a value that is deleted at once. It is the only way to make
 * the database move them: it has neither a call for it nor a setting that works.
 */
export class WalLimiter {
  readonly #logBytes: number;
  readonly #bufferBytes: BufferBytes;
  readonly #written = new Map<Column, number>();
  #total = 0;

  /** The log holds `logBytes` and what is written until the columns have moved, about once more the buffers. */
  constructor(logBytes: number, bufferBytes: BufferBytes) {
    this.#logBytes = logBytes;
    this.#bufferBytes = bufferBytes;
  }

  /** Counts what is written. */
  count({ column, key, value }: Change): void {
    const bytes = key.length + (value?.length ?? 0);
    this.#written.set(column, (this.#written.get(column) ?? 0) + bytes);
    this.#total += bytes;
  }

  /** What is to be written now, batch after batch, so that the log can end. */
  *due(): Generator<WriteBatch> {
    if (this.#total < this.#logBytes) return;
    const missing = columns.map((column) => [column, ROUNDS * this.#bufferBytes[column] - (this.#written.get(column) ?? 0)] as const);
    const idle = missing.filter(([, bytes]) => bytes > 0);
    this.#written.clear();
    this.#total = 0;
    for (let round = 0; round < ROUNDS; round++) yield filling(idle, (bytes) => Buffer.alloc(Math.trunc((bytes + ROUNDS - 1) / ROUNDS)));
    yield filling(idle, () => undefined);
  }
}

function filling(idle: readonly (readonly [Column, number])[], valueOf: (bytes: number) => Uint8Array | undefined): WriteBatch {
  const batch = new WriteBatch();
  for (const [column, bytes] of idle) {
    const value = valueOf(bytes);
    if (value === undefined) batch.delete(column, FILLING_KEY);
    else batch.put(column, FILLING_KEY, value);
  }
  return batch;
}
