import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { decodeKeyParts } from './row_bytes.ts';
import type { Table } from './table.ts';

/** A row as it was before a block: the key with its table's number, and the value, absent if there was no row. */
export interface RowBefore {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

const ABSENT = 0;
const PRESENT = 1;

/** The bytes that undo a block: (key, absent) or (key, present, value) for each row that it changed. */
export class UndoRecord {
  readonly #rows = new ByteWriter(1024);
  #count = 0;

  /** The memory that it keeps when it is emptied. */
  get capacity(): number {
    return this.#rows.capacity;
  }

  clear(): void {
    this.#rows.reset();
    this.#count = 0;
  }

  /** A row that the block changes, as it was before; both are copied. */
  add(key: Uint8Array, value: Uint8Array | undefined): void {
    this.#count++;
    writeSized(this.#rows, key);
    this.#rows.u8(value === undefined ? ABSENT : PRESENT);
    if (value !== undefined) writeSized(this.#rows, value);
  }

  /** The rows of this record, then those of another one. */
  finish(other: UndoRecord): Uint8Array {
    const count = new ByteWriter(8);
    count.varint(this.#count + other.#count);
    return Buffer.concat([count.view(), this.#rows.view(), other.#rows.view()]);
  }
}

/** Decodes an undo record; Refusal `malformed_bytes` if it is malformed. */
export function decodeUndoRecord(bytes: Uint8Array): RowBefore[] {
  const input = new ByteReader(bytes);
  const rows: RowBefore[] = [];
  for (let left = input.varint(); left > 0; left--) {
    const key = readSized(input);
    rows.push({ key, value: input.u8() === ABSENT ? undefined : readSized(input) });
  }
  input.expectEnd();
  return rows;
}

/** The keys of a table's rows in an undo record. Rows of other tables are skipped: a full block has thousands. */
export function changedKeys<Key, Row>(bytes: Uint8Array, table: Table<Key, Row>): Key[] {
  const input = new ByteReader(bytes);
  const keys: Key[] = [];
  for (let left = input.varint(); left > 0; left--) {
    // The first byte of a key is the number of its table.
    const length = input.varint() - 1;
    if (input.u8() === table.number) keys.push(decodeKeyParts(table, input.bytes(length)));
    else input.skip(length);
    if (input.u8() === PRESENT) input.skip(input.varint());
  }
  input.expectEnd();
  return keys;
}

function writeSized(out: ByteWriter, bytes: Uint8Array): void {
  out.varint(bytes.length);
  out.bytes(bytes);
}

function readSized(input: ByteReader): Uint8Array {
  return input.bytes(input.varint());
}
