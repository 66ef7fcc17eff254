import { mkdir } from 'node:fs/promises';

import binding from '@nxtedition/rocksdb/binding.js';
import type { ColumnContext, ColumnOptions, DatabaseContext } from '@nxtedition/rocksdb/binding.js';

import { MEBIBYTE } from '../base/bytes.ts';
import { assert, present } from '../base/assert.ts';
import { Fault } from '../base/fault.ts';
import { WalLimiter } from './wal_limiter.ts';
import {
  NO_BYTES,
  type Column,
  type ColumnBytes,
  type KeyRange,
  type KeyValueEntry,
  type KeyValueReader,
  type KeyValueStore,
  type PreparedChanges,
  type WriteBatch,
} from './key_value.ts';
import { PinnedStore, type ColumnCursor } from './pinned_store.ts';

/** Options of the database; all have defaults. */
export interface RocksDbOptions {
  /** Size of the block cache for all columns together; most of it is for rows, which are read at random. */
  readonly cacheBytes?: number | undefined;
  /** Creates the database if there is none; true by default. */
  readonly create?: boolean;
}

type ColumnContexts = Readonly<Record<Column, { readonly column: ColumnContext }>>;

const DEFAULT_CACHE_BYTES = 256 * MEBIBYTE;
const BACKGROUND_THREADS = 2; // one to flush and one to compact; neither delays a block

/**
 * Opens or creates the database in `folder`; only one process at a time can have it open. Fault `configuration` if
 * another has it open, `damaged_data` if files are missing or fail their checksums, `disk` for other system errors.
 */
export async function openRocksDb(
  folder: string,
  { create = true, ...options }: RocksDbOptions = {},
): Promise<RocksDbStore> {
  if (create) await mkdir(folder, { recursive: true });
  const database = binding.db_init(folder);
  const settings = {
    createIfMissing: create,
    parallelism: BACKGROUND_THREADS,
    walCompression: false, // costs the writer more time than it saves on disk
    columns: { default: UNUSED, ...columnSettings(options.cacheBytes ?? DEFAULT_CACHE_BYTES) },
  };
  const contexts = await new Promise<ColumnContexts>((resolve, reject) => {
    binding.db_open(database, settings, (error, opened) => {
      if (error === null) resolve(columnContexts(opened));
      else reject(toFault(error, folder));
    });
  });
  return new RocksDbStore(database, contexts);
}

/**
 * True when a process has the database in a folder open. Reads and changes nothing: the attempt to open it must fail
 * after the lock.
 */
export async function isOpenElsewhere(folder: string): Promise<boolean> {
  const database = binding.db_init(folder);
  return await new Promise((resolve) => {
    const settings = { createIfMissing: false, errorIfExists: true };
    binding.db_open(database, settings, (error) => resolve(error !== null && rocksErrorCode(error) === 'LEVEL_LOCKED'));
  });
}

/**
 * A reader of the database that another thread of this process has opened. Stop reading before that thread closes it.
 */
export function attachReader(handle: bigint): KeyValueReader {
  return attachStore(handle);
}

/**
 * The state that the database has now, for a long read in another thread. Close it before the database. Fault `runtime`
 * when it is written all the time.
 */
export function pinStore(handle: bigint): PinnedStore {
  return PinnedStore.of(attached(handle));
}

/** The same for the single writer thread. Closing the result closes the database for every thread. */
export function attachStore(handle: bigint): KeyValueStore {
  return attached(handle);
}

function attached(handle: bigint): RocksDbStore {
  const database = binding.db_init(handle);
  const opened = binding.db_open(database, {}, () => {});
  return new RocksDbStore(database, columnContexts(opened));
}

/** A RocksDB database. Every call is synchronous: an asynchronous read costs five times as much. */
export class RocksDbStore implements KeyValueStore {
  readonly #database: DatabaseContext;
  readonly #columns: ColumnContexts;
  /**
   * Shared by all writes that are not prepared: its memory is outside the heap, so the garbage collector would not be
   * prompted to free unused ones.
   */
  readonly #batch: NativeBatch;
  readonly #walLimiter = new WalLimiter(LOG_BYTES, BUFFER_BYTES);
  #open = true;

  constructor(database: DatabaseContext, contexts: ColumnContexts) {
    this.#database = database;
    this.#columns = contexts;
    this.#batch = this.prepare();
  }

  /** Other threads of the process open the same database by this handle. */
  get handle(): bigint {
    return binding.db_get_handle(this.#opened());
  }

  get(column: Column, key: Uint8Array): Uint8Array | undefined {
    return this.getMany(column, [key])[0];
  }

  getMany(column: Column, keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    const database = this.#opened();
    return faulting(() => binding.db_get_many_sync(database, keys, this.#columns[column]));
  }

  range(column: Column, { lower, upper, reverse = false, limit, passing = false }: KeyRange): KeyValueEntry[] {
    const bounds = { gte: lower, lt: upper, reverse, limit: Math.min(limit, LARGEST_LIMIT) };
    const encodings = { keyEncoding: 'buffer', valueEncoding: 'buffer', fillCache: !passing } as const;
    const database = this.#opened();
    const { rows } = faulting(() => binding.db_query(database, { ...this.#columns[column], ...bounds, ...encodings }));
    return toEntries(rows);
  }

  /** Walks a column as it is now. */
  cursor(column: Column, reverse: boolean): ColumnCursor {
    const options = {
      ...this.#columns[column],
      reverse,
      keyEncoding: 'buffer',
      valueEncoding: 'buffer',
      fillCache: false,
    } as const;
    const iterator = binding.iterator_init(this.#opened(), options);
    return {
      seek: (key) => faulting(() => binding.iterator_seek(iterator, key)),
      next: (count) => toEntries(faulting(() => binding.iterator_nextv_sync(iterator, count)).rows),
      close: () => binding.iterator_close(iterator),
    };
  }

  version(): number {
    return binding.db_get_latest_sequence(this.#opened());
  }

  write(batch: WriteBatch, durable: boolean): void {
    const database = this.#opened();
    faulting(() => this.#writeNow(database, batch, durable));
    if (this.#walLimiter.isOverdue) this.tidy();
  }

  /** Keeps the write-ahead log short. */
  tidy(): void {
    const database = this.#opened();
    faulting(() => {
      for (const filling of this.#walLimiter.due()) this.#writeNow(database, filling, false);
    });
  }

  async close(): Promise<void> {
    const database = this.#opened();
    this.#open = false;
    await new Promise<void>((resolve, reject) => {
      binding.db_close(database, (error) => (error === null ? resolve() : reject(toFault(error))));
    });
  }

  prepare(): NativeBatch {
    return new NativeBatch(this.#columns);
  }

  #writeNow(database: DatabaseContext, { prepared, changes }: WriteBatch, durable: boolean): void {
    if (prepared === undefined) this.#batch.clear();
    const batch = prepared ?? this.#batch;
    assert(batch instanceof NativeBatch, 'a write was prepared by the store that it is for');
    for (const { column, key, value } of changes) {
      if (value === undefined) batch.delete(column, key);
      else batch.put(column, key, value);
    }
    batch.write(database, durable);
    this.#walLimiter.count(batch.bytes);
  }

  #opened(): DatabaseContext {
    // The binding does not check this; it would crash.
    assert(this.#open, 'the database is open');
    return this.#database;
  }
}

/** Changes as the bytes that are written, in memory of the database. */
class NativeBatch implements PreparedChanges {
  /** Calls of the binding are cheaper in a row than one by one (bench/tried.md). */
  readonly changesAtOnce = 512;
  readonly #batch = binding.batch_init();
  readonly #columns: ColumnContexts;
  readonly #bytes: ColumnBytes = { ...NO_BYTES };
  #size = 0;

  constructor(columns: ColumnContexts) {
    this.#columns = columns;
  }

  /** Of keys and values, by column. */
  get bytes(): Readonly<ColumnBytes> {
    return this.#bytes;
  }

  get size(): number {
    return this.#size;
  }

  put(column: Column, key: Uint8Array, value: Uint8Array): void {
    this.#size++;
    this.#bytes[column] += key.length + value.length;
    binding.batch_put(this.#batch, key, value, this.#columns[column]);
  }

  delete(column: Column, key: Uint8Array): void {
    this.#size++;
    this.#bytes[column] += key.length;
    binding.batch_del(this.#batch, key, this.#columns[column]);
  }

  clear(): void {
    this.#size = 0;
    Object.assign(this.#bytes, NO_BYTES);
    binding.batch_clear(this.#batch);
  }

  write(database: DatabaseContext, durable: boolean): void {
    binding.batch_write(database, this.#batch, { sync: durable });
  }
}

function toEntries(rows: readonly Uint8Array[]): KeyValueEntry[] {
  const entries: KeyValueEntry[] = [];
  for (let at = 0; at < rows.length; at += 2)
    entries.push({ key: present(rows[at], 'a key'), value: present(rows[at + 1], 'a value') });
  return entries;
}

const LARGEST_LIMIT = 0x7fff_ffff; // the binding counts in 32 bits

/** RocksDB requires a column `default`. */
const UNUSED: ColumnOptions = { compaction: 'level', memtableMemoryBudget: MEBIBYTE, cacheSize: 0 };

/** Opening replays the write-ahead log, which takes a few milliseconds per mebibyte. */
const LOG_BYTES = 64 * MEBIBYTE;
const BUFFER_BYTES = { state: 8 * MEBIBYTE, order: 2 * MEBIBYTE, history: 8 * MEBIBYTE, block: 8 * MEBIBYTE } as const;
/**
 * A block of a file is the least that is read, and has costs of its own when files are merged. Rows of `state` are read
 * one by one at random; the others in ranges, or hardly ever (bench/tried.md).
 */
const FILE_BLOCK_BYTES = { state: 4 * 1024, order: 16 * 1024, history: 8 * 1024, block: 16 * 1024 } as const;
/** The binding takes the memory of four buffers, and derives the file size from it. */
const BUFFERS = 4;
const LARGEST_CACHE = 4095 * MEBIBYTE; // the binding counts in 32 bits

/**
 * The caches of columns that are read in ranges fill with whatever passes, and the system keeps these files in memory as
 * well (README.md).
 */
const LARGEST_RANGE_CACHE = 16 * MEBIBYTE;
/**
 * Each new transaction asks the filters of `history` for its id: about 1.2 bytes for each transaction of the mix that the
 * chain has. A look-up whose filters have left the cache costs 22 µs more, or a read of the disk (bench/tried.md).
 */
const SHARE_OF_HISTORY = 1 / 8;
const LEAST_HISTORY_CACHE = 16 * MEBIBYTE;

function columnSettings(cacheBytes: number): Record<Column, ColumnOptions> {
  const settings = (column: Column, cacheSize: number): ColumnOptions => ({
    compaction: 'level',
    memtableMemoryBudget: BUFFERS * BUFFER_BYTES[column],
    // Levels from the third on are compressed all the same: this leaves out a dictionary for each file, which takes
    // long to train and saves nothing.
    compression: false,
    blockSize: FILE_BLOCK_BYTES[column],
    cacheSize: Math.min(Math.floor(cacheSize), LARGEST_CACHE),
    // Outside the cache they stay in memory for each file, and all files are open: a node would grow with its chain.
    cacheIndexAndFilterBlocks: true,
  });
  const historyCache = Math.max(cacheBytes * SHARE_OF_HISTORY, Math.min(cacheBytes / 3, LEAST_HISTORY_CACHE));
  const rangeCache = Math.min(cacheBytes / 12, LARGEST_RANGE_CACHE);
  return {
    // Rows are read one by one at random, and a cache miss costs twice as much as a hit; the other columns are read in
    // ranges.
    state: { ...settings('state', cacheBytes - historyCache - 2 * rangeCache), optimize: 'point-lookup' },
    order: settings('order', rangeCache),
    // Nearly every look-up here is for a transaction id that does not exist: a filter finds that out at a quarter of
    // the cost.
    history: { ...settings('history', historyCache), optimize: 'point-lookup' },
    block: settings('block', rangeCache),
  };
}

function columnContexts(opened: Readonly<Record<string, ColumnContext>> | number | undefined): ColumnContexts {
  assert(typeof opened === 'object', 'an open database lists its columns');
  const context = (column: Column): { readonly column: ColumnContext } => ({
    column: present(opened[column], `column ${column}`),
  });
  return { state: context('state'), order: context('order'), history: context('history'), block: context('block') };
}

function faulting<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw error instanceof Error ? toFault(error) : error;
  }
}

function rocksErrorCode(error: Error): unknown {
  return 'code' in error ? error.code : undefined;
}

/** A missing file that the database refers to means damaged data; other system errors may be temporary. */
const IS_GONE = /No such file or directory/;

function toFault(error: Error, folder = 'the data folder'): Fault {
  const code = rocksErrorCode(error);
  if (code === 'LEVEL_LOCKED') return new Fault('configuration', `${folder} is in use by another process`, error);
  if (code === 'LEVEL_CORRUPTION' || (code === 'LEVEL_IO_ERROR' && IS_GONE.test(error.message)))
    return new Fault('damaged_data', `the database in ${folder} is damaged: ${error.message}`, error);
  return new Fault('disk', `the database in ${folder} can't be used: ${error.message}`, error);
}
