import { ByteReader, ByteWriter } from '../codec/bytes.ts';

/** A row as it was before a block: the key with its table's number, and the value, absent if there was no row. */
export interface RowBefore {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

const ABSENT = 0;
const PRESENT = 1;

/** The bytes that undo a block: (key, absent) or (key, present, value) for each row that it changed. */
export function encodeUndoRecord(rows: readonly RowBefore[]): Uint8Array {
  const out = new ByteWriter(rows.length * 128 + 8);
  out.varint(rows.length);
  for (const { key, value } of rows) {
    writeSized(out, key);
    out.u8(value === undefined ? ABSENT : PRESENT);
    if (value !== undefined) writeSized(out, value);
  }
  return out.finish();
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

function writeSized(out: ByteWriter, bytes: Uint8Array): void {
  out.varint(bytes.length);
  out.bytes(bytes);
}

function readSized(input: ByteReader): Uint8Array {
  return input.bytes(input.varint());
}
