import { Fault } from '../base/fault.ts';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import type { ValueOf } from '../codec/codec.ts';
import { u32, u8 } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import type { KeyRange, KeyValueReader } from '../storage/key_value.ts';
import type { AccountName } from '../values/account_name.ts';
import { digest, type BlockId } from '../values/hash.ts';

/** How the rows lie on the disk; a program that knows another number must not touch them. */
export const DISK_FORMAT = 3;

const record = struct({
  format: u8,
  chain_id: digest,
  state_hash: digest,
  head_block_number: u32,
  /** The first block that can be taken back. */
  oldest_undo: u32,
  /** The first block whose undo record is still there: what is final goes little by little. */
  oldest_kept: u32,
});

/** What the disk says of itself, written with every block. */
export type HeadRecord = ValueOf<typeof record>;

// Keys of tables begin with numbers up to 254; these are behind all of them.
const OWN = 0xff;
const HEAD_KEY = Uint8Array.of(OWN, 0);
const UNDO = 1;
const POINT = 2;
const SIDE_BLOCK = 3;
const SIDE_BODY = 4;
const KEY_CHANGE = 5;
const CHANGED_KEYS = 6;

export const HEAD_COLUMN = 'block';

export function headKey(): Uint8Array {
  return HEAD_KEY;
}

/** Where the record lies that takes a block back. */
export function undoKey(block: number): Uint8Array {
  return numberedKey(UNDO, block);
}

/** Where it is said who may follow a block of the main branch. */
export function pointKey(block: number): Uint8Array {
  return numberedKey(POINT, block);
}

/** Where it is said what is known of a block of another branch; in the order of their numbers. */
export function sideBlockKey(id: BlockId): Uint8Array {
  return Uint8Array.of(OWN, SIDE_BLOCK, ...Buffer.from(id, 'hex'));
}

/** All keys of blocks of other branches from this id on. */
export function sideBlockRange(from: BlockId): Pick<KeyRange, 'lower' | 'upper'> {
  return { lower: sideBlockKey(from), upper: Uint8Array.of(OWN, SIDE_BODY) };
}

/** Where a block of another branch itself lies. */
export function sideBodyKey(id: BlockId): Uint8Array {
  return Uint8Array.of(OWN, SIDE_BODY, ...Buffer.from(id, 'hex'));
}

/** Where it is said which signing key a witness had before a block changed it; for each witness in the order of the blocks. */
export function keyChangeKey(witness: AccountName, block: number): Uint8Array {
  return Uint8Array.of(...keyChangePrefix(witness), ...numberBytes(block));
}

/** All such keys of a witness from that block on. */
export function keyChangeRange(witness: AccountName, from: number): Pick<KeyRange, 'lower' | 'upper'> {
  return { lower: keyChangeKey(witness, from), upper: Uint8Array.of(...keyChangePrefix(witness), 0xff, 0xff, 0xff, 0xff, 0) };
}

// The length tells names apart of which one begins with the other.
function keyChangePrefix(witness: AccountName): Uint8Array {
  const name = Buffer.from(witness);
  return Uint8Array.of(OWN, KEY_CHANGE, name.length, ...name);
}

/** Where it is said whose signing keys a block changed. */
export function changedKeysKey(block: number): Uint8Array {
  return numberedKey(CHANGED_KEYS, block);
}

/** The same of all blocks up to `last`. */
export function changedKeysRange(first: number, last: number): Pick<KeyRange, 'lower' | 'upper'> {
  return { lower: changedKeysKey(first), upper: Uint8Array.of(...changedKeysKey(last), 0) };
}

function numberBytes(block: number): number[] {
  return [block >>> 24, (block >>> 16) & 0xff, (block >>> 8) & 0xff, block & 0xff];
}

function numberedKey(kind: number, block: number): Uint8Array {
  return Uint8Array.of(OWN, kind, ...numberBytes(block));
}

export function encodeHead(head: HeadRecord): Uint8Array {
  const out = new ByteWriter(80);
  record.write(out, head);
  return out.finish();
}

/** The record of an existing chain; undefined on an empty disk, a Fault when the disk is of another format. */
export function readHead(reader: KeyValueReader): HeadRecord | undefined {
  const bytes = reader.get(HEAD_COLUMN, HEAD_KEY);
  if (bytes === undefined) return undefined;
  const [format = 0] = bytes;
  requireDiskFormat(format);
  return record.read(new ByteReader(bytes));
}

/** Fault `configuration` when rows of that format are none that this program reads. */
export function requireDiskFormat(format: number): void {
  if (format === DISK_FORMAT) return;
  const writer = format < DISK_FORMAT ? 'is that of an older program, whose rules were others' : 'is that of a newer program';
  throw new Fault(
    'configuration',
    `the format of the data, ${format}, ${writer}; this one reads format ${DISK_FORMAT}: begin in another folder`,
  );
}
