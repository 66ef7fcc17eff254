import { columns, NO_BYTES, WriteBatch, type Column, type ColumnBytes } from './key_value.ts';

/** The rounds that fill up the columns: a column is flushed to a file when two buffers are full. */
const ROUNDS = 2;

/** The part of `logBytes` by which the log may grow further before a write fills the columns: several full blocks. */
const GRACE_PART = 4;

/** Sorts after the keys of all tables and of the chain's own records. */
const FILLING_KEY = Uint8Array.of(0xff, 0xff);

/**
 * Limits the write-ahead log, which is replayed at every start. It is kept until each column has flushed its part of it
 * to files, which happens when two of the column's buffers are full: a rarely written column would keep the log of
 * weeks. So whenever another `logBytes` have been written, columns that have not been flushed are filled up with a
 * value that is deleted at once. This is the only way to make the database flush them: the binding has neither a
 * function for it nor a setting that works.
 */
export class WalLimiter {
  readonly #logBytes: number;
  /** The size of each column's write buffer. */
  readonly #bufferBytes: Readonly<ColumnBytes>;
  readonly #written: ColumnBytes = { ...NO_BYTES };
  #total = 0;

  /**
   * The log grows to `logBytes`, or a quarter more where nobody asks for what is due. Until the columns are flushed it
   * grows by about the size of the buffers again.
   */
  constructor(logBytes: number, bufferBytes: Readonly<ColumnBytes>) {
    this.#logBytes = logBytes;
    this.#bufferBytes = bufferBytes;
  }

  /** Counts the bytes of a write, by column. */
  count(written: Readonly<ColumnBytes>): void {
    for (const column of columns) {
      this.#written[column] += written[column];
      this.#total += written[column];
    }
  }

  /** True if the batches that are due were not asked for in time. */
  get isOverdue(): boolean {
    return this.#total >= this.#logBytes + Math.trunc(this.#logBytes / GRACE_PART);
  }

  /** The batches to be written now, one after another, so that the log can be deleted. */
  *due(): Generator<WriteBatch> {
    if (this.#total < this.#logBytes) return;
    const missing = columns.map(
      (column) => [column, ROUNDS * this.#bufferBytes[column] - this.#written[column]] as const,
    );
    const idle = missing.filter(([, bytes]) => bytes > 0);
    Object.assign(this.#written, NO_BYTES);
    this.#total = 0;
    for (let round = 0; round < ROUNDS; round++)
      yield filling(idle, (bytes) => Buffer.alloc(Math.trunc((bytes + ROUNDS - 1) / ROUNDS)));
    yield filling(idle, () => undefined);
  }
}

function filling(
  idle: readonly (readonly [Column, number])[],
  valueOf: (bytes: number) => Uint8Array | undefined,
): WriteBatch {
  const batch = new WriteBatch();
  for (const [column, bytes] of idle) {
    const value = valueOf(bytes);
    if (value === undefined) batch.delete(column, FILLING_KEY);
    else batch.put(column, FILLING_KEY, value);
  }
  return batch;
}
