import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { onDisk } from '../system/system_error.ts';
import { databaseFiles } from './database_files.ts';

const LOG_FILE = /^(?:\d+\.log|MANIFEST-\d+)$/;
/** Records lie in blocks of this length, none across an end; what is too short for a header there is left out. */
const BLOCK_BYTES = 32 * 1024;
const LENGTH_AT = 4; // behind the checksum
const KIND_AT = 6;
const HEADER_BYTES = 7;

/** Whole records and parts of them, and 0 for room that is not used yet. */
const LARGEST_KIND = 4;
/** The same kinds in logs whose files are used again. */
const REUSED_KINDS = { first: 5, last: 8 };

/**
 * Fault `damaged_data` when a log of the database in `folder` has a record of a kind that is only in logs whose files
 * are used again, which those of Pharos never are: a single changed bit makes it, and RocksDB would look for its end
 * forever. Other damage is found by RocksDB itself. The format is that of RocksDB's `db/log_format.h`.
 */
export function requireOwnRecords(folder: string): void {
  for (const name of databaseFiles(folder).filter((file) => LOG_FILE.test(file))) {
    const path = join(folder, name);
    const at = onDisk(`cannot read ${path}`, () => findReusedKind(path));
    if (at !== undefined) throw new Fault('damaged_data', `${path} is damaged: a record of unknown kind at byte ${at}`);
  }
}

/** Where the first such record begins; undefined where there is none up to the first one that RocksDB stops at. */
function findReusedKind(path: string): number | undefined {
  const file = openSync(path, 'r');
  try {
    const block = Buffer.allocUnsafe(BLOCK_BYTES);
    for (let from = 0; ; from += BLOCK_BYTES) {
      const length = readSync(file, block, 0, BLOCK_BYTES, from);
      const found = stopsAt(block.subarray(0, length));
      if (found !== undefined) return isReused(block, found) ? from + found : undefined;
      if (length < BLOCK_BYTES) return undefined;
    }
  } finally {
    closeSync(file);
  }
}

/** Where a reader of this block must stop; undefined when it goes on to the next one. */
function stopsAt(block: Buffer): number | undefined {
  for (let at = 0; at + HEADER_BYTES <= block.length;) {
    const length = block.readUInt16LE(at + LENGTH_AT);
    const kind = block.readUInt8(at + KIND_AT);
    if (kind === 0 && length === 0) return undefined;
    if (kind > LARGEST_KIND || at + HEADER_BYTES + length > block.length) return at;
    at += HEADER_BYTES + length;
  }
  return undefined;
}

function isReused(block: Buffer, at: number): boolean {
  const kind = block.readUInt8(at + KIND_AT);
  return kind >= REUSED_KINDS.first && kind <= REUSED_KINDS.last;
}
