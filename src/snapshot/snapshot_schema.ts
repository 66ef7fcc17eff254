import avsc, { type Schema } from 'avsc';

/** Of the records below; a program that knows another one must not guess. */
export const SNAPSHOT_FORMAT = 2;

/** The formats before, by the fingerprints of their schemas. */
export const formerFormats: ReadonlyMap<string, number> = new Map([['aac651e6ad49f905697199d4c983b7f3', 1]]);

/** The chain and the block of a snapshot. */
export interface SnapshotHeader {
  readonly format: number;
  readonly chain_id: string;
  /** The symbols of the chain: the name of a profile. */
  readonly profile: string;
  /** The exact text whose sha256 is the chain's id. */
  readonly genesis: string;
  /** The last block of the state; it is irreversible. */
  readonly block_number: number;
  readonly block_id: string;
  /** The first block that the file has. */
  readonly oldest_block: number;
  readonly state_hash: string;
  /** Of keys and values (state/head_record.ts). */
  readonly disk_format: number;
}

/** A column holds its members as they lie on the disk, or, for names, by the number of accounts that are passed. */
export type ColumnForm = 'cells' | 'accounts';

/** A member of the rows of a chunk. */
export interface SnapshotColumn {
  readonly member: string;
  readonly form: ColumnForm;
  readonly lengths: Buffer;
  readonly cells: Buffer;
}

/** Stands behind the columns of some rows of a table, which are in the order of their keys. */
export interface ChunkSeal {
  readonly table: string;
  readonly rows: number;
  readonly sha256: Buffer;
}

/** Rows that are written, checked and loaded together. */
export interface SnapshotChunk {
  readonly seal: ChunkSeal;
  readonly columns: readonly SnapshotColumn[];
}

/** Stands behind all chunks: without it a file is cut off. */
export interface SnapshotEnd {
  readonly chunks: number;
  readonly rows: number;
  /** Of the header as it is packed, and the sha256 of each chunk. */
  readonly sha256: Buffer;
}

/** A record of the file: which of the four it is, and what it says. */
export interface SnapshotRecord {
  readonly Header?: SnapshotHeader;
  readonly Column?: SnapshotColumn;
  readonly Chunk?: ChunkSeal;
  readonly End?: SnapshotEnd;
}

const sha256: Schema = { type: 'fixed', name: 'Sha256', size: 32 };

const header: Schema = {
  type: 'record',
  name: 'Header',
  doc: 'What the snapshot is of; the first record.',
  fields: [
    { name: 'format', type: 'int' },
    { name: 'chain_id', type: 'string', doc: 'sha256 of genesis' },
    { name: 'profile', type: 'string' },
    { name: 'genesis', type: 'string' },
    { name: 'block_number', type: 'long', doc: 'the last block of the state' },
    { name: 'block_id', type: 'string' },
    { name: 'oldest_block', type: 'long', doc: 'the first block in the file' },
    {
      name: 'state_hash',
      type: 'string',
      doc: 'sum of sha256(key, value) over all rows of the state, as eight integers of 32 bits',
    },
    { name: 'disk_format', type: 'int' },
  ],
};

const column: Schema = {
  type: 'record',
  name: 'Column',
  doc: 'A member of the rows of a chunk, in the order of the members; row by row, the cells of all members are the rows as they lie on the disk.',
  fields: [
    { name: 'member', type: 'string' },
    {
      name: 'form',
      type: { type: 'enum', name: 'Form', symbols: ['cells', 'accounts'] },
      doc: 'accounts: cells has a number a row, split: how many accounts of table account are passed since the last row of that table that said so, the first account being the first one passed',
    },
    { name: 'lengths', type: 'bytes', doc: 'of the cells, a number a row, split; nothing where all are equally long' },
    {
      name: 'cells',
      type: 'bytes',
      doc: 'the shortest first, of one length in the order of the rows, split where they have up to 64 bytes. Split is: the first bytes of all, then the second ones, and so on; numbers are four bytes, the lowest first',
    },
  ],
};

const chunk: Schema = {
  type: 'record',
  name: 'Chunk',
  doc: 'Stands behind the columns of rows of one table, in the order of their keys; about a MiB of them.',
  fields: [
    { name: 'table', type: 'string' },
    { name: 'rows', type: 'long' },
    {
      name: 'sha256',
      type: sha256,
      doc: 'of the table in UTF-8, a zero byte, how many rows there are as four bytes, and of each column the member, the form, lengths and cells, each behind its length as four bytes, the lowest first',
    },
  ],
};

const end: Schema = {
  type: 'record',
  name: 'End',
  doc: 'The last record: without it the file is cut off.',
  fields: [
    { name: 'chunks', type: 'long' },
    { name: 'rows', type: 'long' },
    { name: 'sha256', type: 'Sha256', doc: 'of the Header in Avro, and the sha256 of each Chunk' },
  ],
};

/** Of a snapshot's records. */
export const snapshotSchema: Schema = [header, column, chunk, end];

/** The same as a type. */
export const snapshotType = avsc.Type.forSchema(snapshotSchema);

const headerType = avsc.Type.forSchema(header);

/** A header as it is packed. */
export function packedHeader(value: SnapshotHeader): Buffer {
  return headerType.toBuffer(value);
}
