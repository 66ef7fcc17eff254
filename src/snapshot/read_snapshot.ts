import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { ROW_FORMAT } from '../state/head_record.ts';
import { NotAContainer, OtherRecords, recordsOfContainer } from './avro_container.ts';
import { sealChunk, SnapshotSum } from './snapshot_digests.ts';
import {
  formerFormats,
  SNAPSHOT_FORMAT,
  snapshotType,
  type ChunkSeal,
  type SnapshotChunk,
  type SnapshotColumn,
  type SnapshotEnd,
  type SnapshotHeader,
  type SnapshotRecord,
} from './snapshot_schema.ts';

/** A snapshot that is being read. */
export interface OpenSnapshot {
  readonly header: SnapshotHeader;
  /** In order, each as it was written; Fault `damaged_data` where one isn't, or where the file ends too early. */
  readonly chunks: Generator<SnapshotChunk>;
}

/** A chunk has a MiB of rows, and one row more: a part of a block or a message, of which the largest are a block. */
const LARGEST_CHUNK = 128 * 1024 * 1024;
/** Advice for a file that can't be read. */
export const OTHER_COPY = 'get another copy, or have a node write one with pharos snapshot create';

/** No row has as many members. */
const MOST_COLUMNS = 100;

/**
 * Opens a snapshot. Fault `configuration` when there is none, or one of another format; `damaged_data` when it can't be
 * read.
 */
export function openSnapshot(path: string): OpenSnapshot {
  requireFile(path);
  const snapshot = openWhatever(path);
  blamingDamage(path, () => requireFormat(path, snapshot.header));
  return snapshot;
}

/**
 * Runs a check of what a header says. A header that asks for another program, chain or profile may itself be damaged,
 * which only the sums at the end of the file show: then Fault `damaged_data`, because nothing that a person says cures
 * it.
 */
export function blamingDamage<T>(path: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof Fault && error.code === 'configuration') requireSums(path);
    throw error;
  }
}

function requireSums(path: string): void {
  const { chunks } = openWhatever(path);
  while (chunks.next().done !== true);
}

/** Of any format. The file is open only while it is read, so that a reader who stops early leaves no handle behind. */
function openWhatever(path: string): OpenSnapshot {
  const header = readHeader(path);
  requireWords(path, header);
  return { header, chunks: checkedChunks(path, header) };
}

function readHeader(path: string): SnapshotHeader {
  for (const { Header: header } of readRecords(path)) {
    if (header === undefined) throw damaged(path, 'it does not begin with a header');
    return header;
  }
  throw damaged(path, 'it is cut off');
}

const [DIGEST, BLOCK_ID] = [/^[0-9a-f]{64}$/, /^[0-9a-f]{40}$/];
const PROFILE = /^[\w.-]{1,64}$/;

/** People read them in messages, so nothing else may stand there. */
function requireWords(path: string, { chain_id, state_hash, block_id, profile }: SnapshotHeader): void {
  const areWords = DIGEST.test(chain_id) && DIGEST.test(state_hash) && BLOCK_ID.test(block_id) && PROFILE.test(profile);
  if (!areWords) throw damaged(path, 'its header is none');
}

function requireFile(path: string): void {
  if (!existsSync(path)) throw new Fault('configuration', `there is no file ${path}`);
  if (!statSync(path).isFile()) throw new Fault('configuration', `${path} is no file`);
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw new Fault('configuration', `${path} can't be read by this user`, error);
  }
}

/** Reads the header of a snapshot. Faults as those of `openSnapshot`. */
export function inspectHeader(path: string): SnapshotHeader {
  return openSnapshot(path).header;
}

function requireFormat(path: string, { format, disk_format }: SnapshotHeader): void {
  if (format !== SNAPSHOT_FORMAT) throw otherFormat(path, format);
  if (disk_format !== ROW_FORMAT)
    throw new Fault(
      'configuration',
      `${path} has rows of format ${disk_format}; this program reads format ${ROW_FORMAT}`,
    );
}

/** Reads the chunks; the sum at the end fails when another file has come into its place since the header was read. */
function* checkedChunks(path: string, header: SnapshotHeader): Generator<SnapshotChunk> {
  const records = readRecords(path);
  records.next();
  const sum = new SnapshotSum(header);
  let [columns, bytes] = [newColumns(), 0];
  for (const { Column: column, Chunk: seal, End: end } of records) {
    if (column !== undefined) {
      bytes += column.lengths.length + column.cells.length;
      if (bytes > LARGEST_CHUNK || columns.length === MOST_COLUMNS)
        throw damaged(path, 'a chunk is larger than any can be');
      columns.push(column);
    } else if (seal !== undefined) {
      requireSealed(path, seal, columns);
      sum.add(seal);
      yield { seal, columns };
      [columns, bytes] = [newColumns(), 0];
    } else {
      return requireEnd(path, {
        end,
        expected: columns.length === 0 ? sum.end : undefined,
        isLast: records.next().done === true,
      });
    }
  }
  throw damaged(path, 'it is cut off');
}

/** No chunk has more rows than bytes, so that none is made of nothing. */
function requireSealed(path: string, { table, rows, sha256 }: ChunkSeal, columns: readonly SnapshotColumn[]): void {
  const bytes = columns.reduce((sum, { cells }) => sum + cells.length, 0);
  if (!(rows > 0 && rows <= bytes) || !sha256.equals(sealChunk(table, rows, columns).sha256))
    throw damaged(path, `rows of ${namedTable(table)} are not what was written`);
}

/** Names a table for a message; a damaged name may hold anything, also what would spoil a terminal. */
export function namedTable(name: string): string {
  return /^[a-z_]{1,64}$/.test(name) ? `table ${name}` : 'a table without a name';
}

interface FoundEnd {
  readonly end: SnapshotEnd | undefined;
  /** Undefined in the middle of a chunk. */
  readonly expected: SnapshotEnd | undefined;
  readonly isLast: boolean;
}

function requireEnd(path: string, { end, expected, isLast }: FoundEnd): void {
  if (end === undefined) throw damaged(path, 'it has two headers');
  const { chunks, rows, sha256 } = end;
  const fits = chunks === expected?.chunks && rows === expected.rows && sha256.equals(expected.sha256);
  if (!fits) throw damaged(path, 'its end does not fit');
  if (!isLast) throw damaged(path, 'there is more behind its end');
}

function newColumns(): SnapshotColumn[] {
  return [];
}

/** The records of the file as they stand there. */
function readRecords(path: string): Generator<SnapshotRecord>;
function* readRecords(path: string): Generator {
  try {
    yield* recordsOfContainer(path, snapshotType);
  } catch (error) {
    const former = error instanceof OtherRecords ? formerFormats.get(error.fingerprint) : undefined;
    if (former !== undefined) throw otherFormat(path, former);
    throw error instanceof NotAContainer ? damaged(path, error.message, error) : error;
  }
}

function otherFormat(path: string, format: number): Fault {
  const why = `${path} is a snapshot of format ${format}; this program reads format ${SNAPSHOT_FORMAT}`;
  return new Fault('configuration', `${why}: load it with the version that wrote it, or have another one written`);
}

function damaged(path: string, why: string, cause?: unknown): Fault {
  return new Fault('damaged_data', `${path} is no snapshot, or it is damaged: ${why}; ${OTHER_COPY}`, cause);
}
