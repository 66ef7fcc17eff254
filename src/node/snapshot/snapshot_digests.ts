import { sha256 } from '../../crypto/hashes.ts';
import { packedHeader, type ChunkSeal, type SnapshotEnd, type SnapshotHeader, type SnapshotRow } from './snapshot_schema.ts';

/** Seals rows of a table, as the schema says. */
export function sealOf(table: string, rows: readonly SnapshotRow[]): ChunkSeal {
  const parts: Uint8Array[] = [Buffer.from(`${table}\0`)];
  for (const { key, value } of rows) parts.push(counted(key), key, counted(value), value);
  return { table, rows: rows.length, sha256: Buffer.from(sha256(Buffer.concat(parts))) };
}

function counted({ length }: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(length);
  return bytes;
}

/** What the end of a snapshot says of everything before it. */
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
    return { chunks: this.#digests.length - 1, rows: this.#rows, sha256: Buffer.from(sha256(Buffer.concat(this.#digests))) };
  }
}
