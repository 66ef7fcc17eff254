import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { onDisk } from '../system/system_error.ts';
import { databaseFiles } from './database_files.ts';

/** Records lie in blocks of this length, none across an end; what is too short for a header there is left out. */
const BLOCK_BYTES = 32 * 1024;
const LENGTH_AT = 4; // behind the checksum
const KIND_AT = 6;
const HEADER_BYTES = 7;

/** Kinds of whole records and of their parts; 0 is room that is not used yet. */
const [WHOLE, LAST] = [1, 4];
/** The same in logs whose files are used again, and a further one. */
const REUSED_KINDS: ReadonlySet<number> = new Set([5, 6, 7, 8, 11]);

/**
 * Fault `damaged_data` when a log of the database in `folder` has a record of a kind that is only in logs whose files
 * are used again, which those of Pharos never are: a single changed bit makes it, and behind a complete record RocksDB
 * would look for its end forever. Other damage is found by RocksDB itself. The format is that of RocksDB's
 * `db/log_format.h`.
 */
export function requireOwnRecords(folder: string): void {
  for (const name of logsOf(folder)) {
    const path = join(folder, name);
    const at = onDisk(`cannot read ${path}`, () => findReusedKind(path));
    if (at !== undefined) throw new Fault('damaged_data', `${path} is damaged: a record of unknown kind at byte ${at}`);
  }
}

/** The files that RocksDB reads as logs: the list of files that is in use, and those of blocks. */
function logsOf(folder: string): string[] {
  const current = join(folder, 'CURRENT');
  const inUse = existsSync(current) ? onDisk(`cannot read ${current}`, () => readFileSync(current, 'latin1')) : '';
  return databaseFiles(folder).filter((name) => name === inUse.trimEnd() || /^\d+\.log$/.test(name));
}

/** The place of the first such record; undefined when there is none, or RocksDB stops before it. */
function findReusedKind(path: string): number | undefined {
  const file = openSync(path, 'r');
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  try {
    let isBehindRecord = false;
    for (let from = 0; ; from += BLOCK_BYTES) {
      const length = readSync(file, block, 0, BLOCK_BYTES, from);
      const walked = walk(block.subarray(0, length));
      isBehindRecord ||= walked.completes;
      const { stopsAt } = walked;
      if (stopsAt !== undefined && isBehindRecord && isReused(block, stopsAt)) return from + stopsAt;
      if (stopsAt !== undefined || length < BLOCK_BYTES) return undefined;
    }
  } finally {
    closeSync(file);
  }
}

interface Walked {
  /** A complete record ends in the block. */
  readonly completes: boolean;
  /** A reader stops here; undefined when it goes on to the next block. */
  readonly stopsAt: number | undefined;
}

function walk(block: Buffer): Walked {
  let completes = false;
  for (let at = 0; at + HEADER_BYTES <= block.length;) {
    const length = block.readUInt16LE(at + LENGTH_AT);
    const kind = block.readUInt8(at + KIND_AT);
    if (kind === 0 && length === 0) break;
    if (kind > LAST || at + HEADER_BYTES + length > block.length) return { completes, stopsAt: at };
    completes ||= kind === WHOLE || kind === LAST;
    at += HEADER_BYTES + length;
  }
  return { completes, stopsAt: undefined };
}

/** A wrong length before it would have led into the middle of a record: then RocksDB stops at the checksum of that. */
function isReused(block: Buffer, stopsAt: number): boolean {
  if (!REUSED_KINDS.has(block.readUInt8(stopsAt + KIND_AT))) return false;
  for (let at = 0; at < stopsAt;) {
    const end = at + HEADER_BYTES + block.readUInt16LE(at + LENGTH_AT);
    if (block.readUInt32LE(at) !== maskedChecksum(block.subarray(at + KIND_AT, end))) return false;
    at = end;
  }
  return true;
}

/** CRC-32C, turned by 15 bits with a number added, as RocksDB's `util/crc32c.h` has it. */
function maskedChecksum(bytes: Uint8Array): number {
  let sum = 0xffff_ffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0x82f6_3b78 : 0);
  }
  const crc = ~sum >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282_ead8) >>> 0;
}
