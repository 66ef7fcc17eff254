import { sha256 } from '../crypto/hashes.ts';
import {
  packedHeader,
  type ChunkSeal,
  type SnapshotColumn,
  type SnapshotEnd,
  type SnapshotHeader,
} from './snapshot_schema.ts';

/** Seals rows of a table, as the schema says. */
export function sealChunk(table: string, rows: number, columns: readonly SnapshotColumn[]): ChunkSeal {
  const parts: Uint8Array[] = [Buffer.from(`${table}\0`), number(rows)];
  for (const { member, form, lengths, cells } of columns)
    for (const part of [Buffer.from(member), Buffer.from(form), lengths, cells]) parts.push(number(part.length), part);
  return { table, rows, sha256: Buffer.from(sha256(Buffer.concat(parts))) };
}

function number(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** The sums at the end of a snapshot, over everything before it. */
export class SnapshotSum {
  /** 32 bytes for each MiB of rows. */
  readonly #digests: Uint8Array[];
  #rows = 0;

  constructor(header: SnapshotHeader) {
    this.#digests = [packedHeader(header)];
  }

  add({ rows, sha256: digest }: ChunkSeal): void {
    this.#rows += rows;
    this.#digests.push(digest);
  }

  get end(): SnapshotEnd {
    return {
      chunks: this.#digests.length - 1,
      rows: this.#rows,
      sha256: Buffer.from(sha256(Buffer.concat(this.#digests))),
    };
  }
}
