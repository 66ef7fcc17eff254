import { present } from '../base/assert.ts';
import { Fault } from '../base/fault.ts';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import type { ValueOf } from '../codec/codec.ts';
import { packedBytes, u32, u8 } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import type { KeyRange, KeyValueReader } from '../storage/key_value.ts';
import type { CommittedRows, Place } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import { digest, type BlockId } from '../values/hash.ts';

/** The format of everything on disk; a program that uses another format must not touch it. */
export const DISK_FORMAT = 5;
/** The format of the rows of tables, which snapshots hold as they lie on disk. */
export const ROW_FORMAT = 3;

const record = struct({
  format: u8,
  chain_id: digest,
  state_hash: digest,
  head_block_number: u32,
  /** The first block that can be undone. */
  oldest_undo: u32,
  /** The first block whose undo record still exists: those of final blocks are deleted gradually. */
  oldest_kept: u32,
  /** The last irreversible block. It falls only when an operator has the chain revert. */
  irreversible_number: u32,
  /** The certificate that proves it; empty while confirmations of witnesses make blocks irreversible. */
  irreversible_certificate: packedBytes,
});

/** The chain's own record on disk, written with every block. */
export type HeadRecord = ValueOf<typeof record>;

// Keys of tables begin with numbers up to 254; these keys sort after all of them.
const OWN = 0xff;
const HEAD_KEY = Uint8Array.of(OWN, 0);
const UNDO = 1;
const POINT = 2;
const SIDE_BLOCK = 3;
const SIDE_BODY = 4;
const KEY_CHANGE = 5;
const CHANGED_KEYS = 6;
const TABLES = 7;
const RANGE_NODES = 8;
const VOTERS = 9;
const BOUNDARY_CERTIFICATE = 10;

export const HEAD_COLUMN = 'block';

const headPlace: Place<HeadRecord> = {
  table: { name: 'head record', column: HEAD_COLUMN, value: record },
  key: HEAD_KEY,
};

export function headKey(): Uint8Array {
  return HEAD_KEY;
}

/** The key of the record of how all tables are laid out. */
export function tablesKey(): Uint8Array {
  return Uint8Array.of(OWN, TABLES);
}

/** The key of the undo record of a block. */
export function undoKey(block: number): Uint8Array {
  return numberedKey(UNDO, block);
}

/** The key of the record that says who may follow a block of the main branch. */
export function pointKey(block: number): Uint8Array {
  return numberedKey(POINT, block);
}

/** The key of the record about a block of another branch; sorted by block number. */
export function sideBlockKey(id: BlockId): Uint8Array {
  return Uint8Array.of(OWN, SIDE_BLOCK, ...Buffer.from(id, 'hex'));
}

/** The range of records about blocks of other branches from this id on. */
export function sideBlockRange(from: BlockId): Pick<KeyRange, 'lower' | 'upper'> {
  return { lower: sideBlockKey(from), upper: Uint8Array.of(OWN, SIDE_BODY) };
}

/** The key of the block of another branch itself. */
export function sideBodyKey(id: BlockId): Uint8Array {
  return Uint8Array.of(OWN, SIDE_BODY, ...Buffer.from(id, 'hex'));
}

/**
 * The key of the record of the signing key that a witness had before a block changed it; for each witness sorted by
 * block.
 */
export function keyChangeKey(witness: AccountName, block: number): Uint8Array {
  return Uint8Array.of(...keyChangePrefix(witness), ...numberBytes(block));
}

/** The range of these records of a witness from that block on. */
export function keyChangeRange(witness: AccountName, from: number): Pick<KeyRange, 'lower' | 'upper'> {
  return {
    lower: keyChangeKey(witness, from),
    upper: Uint8Array.of(...keyChangePrefix(witness), 0xff, 0xff, 0xff, 0xff, 0),
  };
}

// The length separates names of which one is a prefix of the other.
function keyChangePrefix(witness: AccountName): Uint8Array {
  const name = Buffer.from(witness);
  return Uint8Array.of(OWN, KEY_CHANGE, name.length, ...name);
}

/** The key of the list of witnesses whose signing keys a block changed. */
export function changedKeysKey(block: number): Uint8Array {
  return numberedKey(CHANGED_KEYS, block);
}

/** The range of these lists for blocks from `first` to `last`. */
export function changedKeysRange(first: number, last: number): Pick<KeyRange, 'lower' | 'upper'> {
  return { lower: changedKeysKey(first), upper: Uint8Array.of(...changedKeysKey(last), 0) };
}

/**
 * The key of the nodes that consecutive blocks, of which this is the first, complete in the Merkle mountain range of all
 * signed headers.
 */
export function rangeNodesKey(block: number): Uint8Array {
  return numberedKey(RANGE_NODES, block);
}

/** The block that such a key names. */
export function blockOfRangeNodes(key: Uint8Array): number {
  return new DataView(key.buffer, key.byteOffset).getUint32(2);
}

/** The key of the voters that the state behind the last block of a round names. */
export function votersKey(boundary: number): Uint8Array {
  return numberedKey(VOTERS, boundary);
}

/** The key of the certificate by which the last block of a round is final. */
export function boundaryCertificateKey(boundary: number): Uint8Array {
  return numberedKey(BOUNDARY_CERTIFICATE, boundary);
}

/** The range of these certificates of blocks from `first` to `last`. */
export function boundaryCertificateRange(first: number, last: number): Pick<KeyRange, 'lower' | 'upper'> {
  return { lower: boundaryCertificateKey(first), upper: Uint8Array.of(...boundaryCertificateKey(last), 0) };
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

/** The record of an existing chain; undefined on an empty disk, a Fault when the disk has another format. */
export function readHead(reader: KeyValueReader): HeadRecord | undefined {
  const bytes = reader.get(HEAD_COLUMN, HEAD_KEY);
  if (bytes === undefined) return undefined;
  const [format = 0] = bytes;
  requireDiskFormat(format);
  return record.read(new ByteReader(bytes));
}

/** The record of an open chain, of one state with the rows that are read together with it. */
export function readHeadRecord(rows: Pick<CommittedRows, 'getPlaces'>): HeadRecord {
  const [head] = rows.getPlaces([headPlace]);
  return present(head, 'the head record');
}

/** Fault `configuration` when this program cannot read rows of that format. */
export function requireDiskFormat(format: number): void {
  if (format === DISK_FORMAT) return;
  const [writer, way] = format < DISK_FORMAT ? [olderProgram(format), FROM_OLDER] : ['a newer program', FROM_NEWER];
  throw new Fault(
    'configuration',
    `the format of the data, ${format}, is that of ${writer}; this one reads format ${DISK_FORMAT}: ${way}`,
  );
}

function olderProgram(format: number): string {
  return format < ROW_FORMAT ? 'an older program, whose rules were others' : 'an older program';
}

/** Advice to an operator whose folder has rows of another program. */
export const FROM_OLDER =
  'nothing was changed; the version that wrote it goes on with it, and can write a snapshot (pharos snapshot create) or its blocks (pharos export) with which, as the guide "Upgrade" says, this one begins in another folder';
const FROM_NEWER = 'nothing was changed; start the version that wrote it, or begin in another folder';
