import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import type { KeyValueEntry } from './key_value.ts';
import type { Table } from './table.ts';

const scratch = new ByteWriter();

/** The key on disk: the table's number, then the key's parts. */
export function encodeKey<Key, Row>(table: Table<Key, Row>, key: Key): Uint8Array {
  scratch.reset();
  table.writeKey(scratch, key);
  return scratch.copy();
}

/** The same from the key's parts, as index entries contain them. */
export function keyOnDisk({ number }: Pick<Table<never, never>, 'number'>, parts: Uint8Array): Uint8Array {
  const key = Buffer.allocUnsafe(parts.length + 1);
  key[0] = number;
  key.set(parts, 1);
  return key;
}

/** A row as stored on disk. */
export function encodeRow<Key, Row>(table: Table<Key, Row>, key: Key, row: Row): KeyValueEntry {
  scratch.reset();
  table.writeKey(scratch, key);
  const keyLength = scratch.length;
  table.value.write(scratch, row);
  return { key: scratch.copy(0, keyLength), value: scratch.copy(keyLength) };
}

/** Decodes a row from disk; Fault `damaged_data` if it is malformed. */
export function decodeRow<Row>(table: Pick<Table<never, Row>, 'name' | 'value'>, value: Uint8Array): Row {
  try {
    const input = new ByteReader(value);
    const row = table.value.read(input);
    input.expectEnd();
    return row;
  } catch (error) {
    throw damaged(table.name, error);
  }
}

/** Decodes the key's parts, `skipped` bytes into `bytes`; Fault `damaged_data` if they are malformed. */
export function decodeKeyParts<Key, Row>(table: Table<Key, Row>, bytes: Uint8Array, skipped = 0): Key {
  try {
    return table.readKeyParts(new ByteReader(bytes, skipped));
  } catch (error) {
    throw damaged(table.name, error);
  }
}

/** Turns the codec's refusal into a fault: the bytes come from our own disk, not from a client. */
function damaged(name: string, error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  return new Fault('damaged_data', `a row of table ${name} is damaged: ${error.message}`, error);
}
