import avsc, { type Schema } from 'avsc';

/** Of the records below; a program that knows another one must not guess. */
export const SNAPSHOT_FORMAT = 1;

/** What a snapshot is of. */
export interface SnapshotHeader {
  readonly format: number;
  readonly chain_id: string;
  /** The words of the chain: the name of a profile. */
  readonly profile: string;
  /** The exact text whose sha256 is the chain's id. */
  readonly genesis: string;
  /** The last block of the state; it is irreversible. */
  readonly block_number: number;
  readonly block_id: string;
  /** The first block that the file has. */
  readonly oldest_block: number;
  readonly state_hash: string;
  /** Of keys and values (chain/head_record.ts). */
  readonly disk_format: number;
}

/** A row as it lies on the disk. */
export interface SnapshotRow {
  readonly key: Buffer;
  readonly value: Buffer;
}

/** Stands behind some rows of a table, which are in the order of their keys. */
export interface ChunkSeal {
  readonly table: string;
  readonly rows: number;
  /** Of the table's name, a zero, and each key and value behind its length as four bytes, the lowest first. */
  readonly sha256: Buffer;
}

/** Rows that are written, checked and loaded together. */
export interface SnapshotChunk {
  readonly seal: ChunkSeal;
  readonly rows: readonly SnapshotRow[];
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
  readonly Row?: SnapshotRow;
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
    { name: 'state_hash', type: 'string', doc: 'sum of sha256(key, value) over all rows of the state, as eight integers of 32 bits' },
    { name: 'disk_format', type: 'int' },
  ],
};

const row: Schema = {
  type: 'record',
  name: 'Row',
  doc: 'A row as it lies on the disk. The first byte of its key is the number of its table. Rows are in the order of their keys.',
  fields: [
    { name: 'key', type: 'bytes' },
    { name: 'value', type: 'bytes' },
  ],
};

const chunk: Schema = {
  type: 'record',
  name: 'Chunk',
  doc: 'Stands behind rows of one table, about a MiB of them.',
  fields: [
    { name: 'table', type: 'string' },
    { name: 'rows', type: 'long', doc: 'how many there are since the chunk before' },
    {
      name: 'sha256',
      type: sha256,
      doc: 'of the table in UTF-8, a zero byte, and of each row the key and the value, each behind its length as four bytes, the lowest first',
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
export const snapshotSchema: Schema = [header, row, chunk, end];

/** The same as a type. */
export const snapshotType = avsc.Type.forSchema(snapshotSchema);

const headerType = avsc.Type.forSchema(header);

/** A header as it is packed. */
export function packedHeader(value: SnapshotHeader): Buffer {
  return headerType.toBuffer(value);
}
