import { mkdir } from 'node:fs/promises';

import binding from '@nxtedition/rocksdb/binding.js';
import type { ColumnContext, ColumnOptions, DatabaseContext } from '@nxtedition/rocksdb/binding.js';

import { assert, present } from '../base/assert.ts';
import { Fault } from '../base/fault.ts';
import { WalLimiter } from './wal_limiter.ts';
import type { Change, Column, KeyRange, KeyValueEntry, KeyValueReader, KeyValueStore, WriteBatch } from './key_value.ts';

/** Settings of the disk; every one has a default. */
export interface RocksDbOptions {
  /** Blocks of files that are kept in memory, for all columns together: most of it for the rows that are read at random. */
  readonly cacheBytes?: number | undefined;
  /** Makes a database where there is none; true unless said. */
  readonly create?: boolean;
}

type ColumnContexts = Readonly<Record<Column, { readonly column: ColumnContext }>>;

const MEBIBYTE = 1024 * 1024;
const DEFAULT_CACHE_BYTES = 256 * MEBIBYTE;
const BACKGROUND_THREADS = 2; // one to flush and one to compact: neither is on the way of a block

/**
 * Opens or creates the database in `folder`, which only one process can do at a time. Fault `configuration` when another
 * has it, `damaged_data` when files are missing or contradict their checksums, `disk` when the system refuses.
 */
export async function openRocksDb(folder: string, { create = true, ...options }: RocksDbOptions = {}): Promise<RocksDbStore> {
  if (create) await mkdir(folder, { recursive: true });
  const database = binding.db_init(folder);
  const settings = {
    createIfMissing: create,
    parallelism: BACKGROUND_THREADS,
    walCompression: false, // costs the writer more than the disk saves
    columns: { default: UNUSED, ...columnSettings(options.cacheBytes ?? DEFAULT_CACHE_BYTES) },
  };
  const contexts = await new Promise<ColumnContexts>((resolve, reject) => {
    binding.db_open(database, settings, (error, opened) => {
      if (error === null) resolve(contextsOf(opened));
      else reject(faultOf(error, folder));
    });
  });
  return new RocksDbStore(database, contexts);
}

/** Whether a process has the database of a folder open. Nothing is read or changed: it is opened in a way that must fail behind the lock. */
export async function isOpenElsewhere(folder: string): Promise<boolean> {
  const database = binding.db_init(folder);
  return await new Promise((resolve) => {
    const settings = { createIfMissing: false, errorIfExists: true };
    binding.db_open(database, settings, (error) => resolve(error !== null && codeOf(error) === 'LEVEL_LOCKED'));
  });
}

/** Reads the database that another thread of this process has opened. Stop reading before that thread closes it. */
export function attachReader(handle: bigint): KeyValueReader {
  return attachStore(handle);
}

/** The same for the one thread that writes. Closing the result closes the database for every thread. */
export function attachStore(handle: bigint): KeyValueStore {
  const database = binding.db_init(handle);
  const opened = binding.db_open(database, {}, () => {});
  return new RocksDbStore(database, contextsOf(opened));
}

/** A database on the disk. Every call is synchronous: an asynchronous read costs five times as much as the read. */
export class RocksDbStore implements KeyValueStore {
  readonly #database: DatabaseContext;
  readonly #columns: ColumnContexts;
  /** One for all writes: its memory is outside the heap, where the collector sees no need to free what many would hold. */
  readonly #batch = binding.batch_init();
  readonly #walLimiter = new WalLimiter(LOG_BYTES, BUFFER_BYTES);
  #open = true;

  constructor(database: DatabaseContext, contexts: ColumnContexts) {
    this.#database = database;
    this.#columns = contexts;
  }

  /** Opens the same database in other threads of the process. */
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

  range(column: Column, { lower, upper, reverse = false, limit }: KeyRange): KeyValueEntry[] {
    const bounds = { gte: lower, lt: upper, reverse, limit: Math.min(limit, LARGEST_LIMIT) };
    const encodings = { keyEncoding: 'buffer', valueEncoding: 'buffer', fillCache: true } as const;
    const database = this.#opened();
    const { rows } = faulting(() => binding.db_query(database, { ...this.#columns[column], ...bounds, ...encodings }));
    const entries: KeyValueEntry[] = [];
    for (let at = 0; at < rows.length; at += 2) entries.push({ key: present(rows[at], 'a key'), value: present(rows[at + 1], 'a value') });
    return entries;
  }

  version(): number {
    return binding.db_get_latest_sequence(this.#opened());
  }

  write(batch: WriteBatch, durable: boolean): void {
    const database = this.#opened();
    faulting(() => {
      this.#writeNow(database, batch, durable);
      for (const filling of this.#walLimiter.due()) this.#writeNow(database, filling, false);
    });
  }

  async close(): Promise<void> {
    const database = this.#opened();
    this.#open = false;
    await new Promise<void>((resolve, reject) => {
      binding.db_close(database, (error) => (error === null ? resolve() : reject(faultOf(error))));
    });
  }

  #writeNow(database: DatabaseContext, { changes }: WriteBatch, durable: boolean): void {
    binding.batch_clear(this.#batch);
    for (const change of changes) this.#add(change);
    binding.batch_write(database, this.#batch, { sync: durable });
  }

  #add(change: Change): void {
    const { column, key, value } = change;
    this.#walLimiter.count(change);
    if (value === undefined) binding.batch_del(this.#batch, key, this.#columns[column]);
    else binding.batch_put(this.#batch, key, value, this.#columns[column]);
  }

  #opened(): DatabaseContext {
    // The binding doesn't look, it crashes.
    assert(this.#open, 'the database is open');
    return this.#database;
  }
}

const LARGEST_LIMIT = 0x7fff_ffff; // the binding counts in 32 bits

/** RocksDB insists on a column `default`. */
const UNUSED: ColumnOptions = { compaction: 'level', memtableMemoryBudget: MEBIBYTE, cacheSize: 0 };

/** Opening reads the log again, a few milliseconds a mebibyte. */
const LOG_BYTES = 64 * MEBIBYTE;
const BUFFER_BYTES = { state: 8 * MEBIBYTE, order: 2 * MEBIBYTE, history: 8 * MEBIBYTE, block: 8 * MEBIBYTE } as const;
/** The binding wants the memory of four buffers, and derives the size of files from it. */
const BUFFERS = 4;
const LARGEST_CACHE = 4095 * MEBIBYTE; // the binding counts in 32 bits

function columnSettings(cacheBytes: number): Record<Column, ColumnOptions> {
  const settings = (column: Column, share: number): ColumnOptions => ({
    compaction: 'level',
    memtableMemoryBudget: BUFFERS * BUFFER_BYTES[column],
    cacheSize: Math.min(Math.floor(cacheBytes * share), LARGEST_CACHE),
  });
  return {
    // Rows are read at random, one by one, and each miss costs twice what a hit does; the others are read in stretches.
    state: { ...settings('state', 5 / 8), optimize: 'point-lookup' },
    order: settings('order', 1 / 8),
    // Nearly every look-up here is for the id of a transaction that isn't there: a filter answers at a quarter of the price.
    history: { ...settings('history', 1 / 8), optimize: 'point-lookup' },
    block: settings('block', 1 / 8),
  };
}

function contextsOf(opened: Readonly<Record<string, ColumnContext>> | number | undefined): ColumnContexts {
  assert(typeof opened === 'object', 'an open database lists its columns');
  const context = (column: Column): { readonly column: ColumnContext } => ({ column: present(opened[column], `column ${column}`) });
  return { state: context('state'), order: context('order'), history: context('history'), block: context('block') };
}

function faulting<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw error instanceof Error ? faultOf(error) : error;
  }
}

function codeOf(error: Error): unknown {
  return 'code' in error ? error.code : undefined;
}

/** A file that the database itself knows of is damage when it is gone; what else the system refuses may be right tomorrow. */
const IS_GONE = /No such file or directory/;

function faultOf(error: Error, folder = 'the data folder'): Fault {
  const code = codeOf(error);
  if (code === 'LEVEL_LOCKED') return new Fault('configuration', `${folder} is in use by another process`, error);
  if (code === 'LEVEL_CORRUPTION' || (code === 'LEVEL_IO_ERROR' && IS_GONE.test(error.message)))
    return new Fault('damaged_data', `the database in ${folder} is damaged: ${error.message}`, error);
  return new Fault('disk', `the database in ${folder} can't be used: ${error.message}`, error);
}
