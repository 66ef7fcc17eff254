import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import type { RebuildProgress } from '../chain/ledger/recorded_tables.ts';
import {
  DISK_FORMAT,
  HEAD_COLUMN,
  rangeNodesKey,
  readHead,
  sideBlockRange,
  votersKey,
  type HeadRecord,
} from '../state/head_record.ts';
import type { KeyValueReader } from '../storage/key_value.ts';
import { isOpenElsewhere, openRocksDb, type RocksDbStore } from '../storage/rocksdb.ts';
import { View } from '../storage/view.ts';
import { BEFORE_OPEN, forgetBeforeOpen, keepBeforeOpen, restoreBeforeOpen } from './before_open.ts';
import { databaseFiles, removeUnfinished } from './database_files.ts';
import { inUse, lockFolder } from './folder_lock.ts';
import { findLoss, readPromise, type FolderPromise } from './folder_promise.ts';
import { FOREIGN_HEAD_FILE } from './foreign_head.ts';
import { HeadJournalFile, JOURNAL_FILE, headMark, rewriteJournal } from './head_journal.ts';
import { IDENTITY_FILE, readIdentity, requireIdentity, writeIdentity } from './identity.ts';
import { makeProgress, type Progress } from '../system/progress.ts';
import { onDisk } from '../system/system_error.ts';
import { requireOwnRecords } from './log_records.ts';
import { MISSED_SLOTS_FILE } from './missed_slots_file.ts';
import { ZERO_HASH160 } from '../values/hash.ts';
import { SLOT_HISTORY_FILE } from '../witness/signing/slot_history_file.ts';
import { isRefuted, UNVERIFIED_FILE } from './unverified_blocks.ts';
import { FROM_ELSEWHERE, withWayOut } from './way_out.ts';

const SIDE_BLOCKS = 1000; // more are the work of an attacker

/** Options for opening the chain of a folder. */
export interface OpenOptions {
  /** The chain that must be in the folder or that is to be started; it may be determined while the database opens. */
  readonly chainId: string | Promise<string>;
  readonly cacheBytes?: number | undefined;
  /** The operator accepts this block as the head, whatever the folder promises. */
  readonly acceptHead?: number | undefined;
  /** Blocks that the operator has named. */
  readonly checkpoints?: readonly (readonly [number, string])[] | undefined;
}

/**
 * A folder with a chain, used by one process at a time. Files outside the database record which chain it holds and
 * which head that chain has, so the next start notices lost data and never silently starts the chain again.
 */
export class DataFolder {
  readonly path: string;
  readonly #release: () => void;
  #chainId = '';
  #isNew = false;

  private constructor(path: string, release: () => void) {
    this.path = path;
    this.#release = release;
  }

  /**
   * Locks the folder, creating it if necessary. Fault `configuration` when another process uses it, `disk` when it
   * can't be written.
   */
  static async lock(path: string, command: string): Promise<DataFolder> {
    onDisk(`cannot make the data folder ${path}`, () => mkdirSync(path, { recursive: true }));
    const release = lockFolder(path, command);
    try {
      // A process in another container, whose process id means nothing here, still holds the database's own lock.
      if (existsSync(join(path, 'LOCK')) && (await isOpenElsewhere(path)))
        throw inUse(path, 'one that this machine shows no number of');
      onDisk(`cannot tidy the data folder ${path}`, () => removeUnfinished(path));
      return new DataFolder(path, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** True when the folder holds a chain, damaged or not. */
  get holdsChain(): boolean {
    return readPromise(this.path) !== undefined;
  }

  get #isBegun(): boolean {
    try {
      return readIdentity(this.path)?.state === 'begun';
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  }

  /**
   * Removes the chain. If the process is killed meanwhile, the folder's identity says that the remains may be
   * discarded.
   */
  startOver(): void {
    // On a full disk what was begun can be removed all the same.
    if (!this.#isBegun) writeIdentity(this.path, { state: 'begun' });
    onDisk(`cannot empty the data folder ${this.path}`, () => {
      for (const name of [
        BEFORE_OPEN,
        ...databaseFiles(this.path),
        JOURNAL_FILE,
        UNVERIFIED_FILE,
        FOREIGN_HEAD_FILE,
        SLOT_HISTORY_FILE,
        MISSED_SLOTS_FILE,
      ])
        rmSync(join(this.path, name), { recursive: true, force: true });
    });
  }

  /**
   * Opens the database. Fault `damaged_data` when it lacks what the folder promises: then all files stay as they were.
   * For a new chain, call `begun` once its first state is written.
   */
  async open(options: OpenOptions): Promise<RocksDbStore> {
    onDisk(`cannot read the data folder ${this.path}`, () => restoreBeforeOpen(this.path));
    if (isRefuted(this.path, options.checkpoints ?? [])) this.startOver();
    const promise = onDisk(`cannot read the data folder ${this.path}`, () => readPromise(this.path));
    if (promise === undefined) return await this.#create(options);
    if (promise instanceof Fault && options.acceptHead === undefined) throw promise;
    return await this.#reopen(options, promise);
  }

  /** Call when the first state of a new chain is on disk: from then on the folder promises it. */
  begun(): void {
    if (!this.#isNew) return;
    writeIdentity(this.path, { state: 'complete', chainId: this.#chainId, diskFormat: DISK_FORMAT });
    this.#isNew = false;
  }

  /** Opens the head journal, for the writer of the chain. */
  journal(failed: (fault: Fault) => void): HeadJournalFile {
    return new HeadJournalFile(this.path, failed);
  }

  /** Call when the first state of a chain from elsewhere is on disk: from then on the folder promises that head. */
  async begunAt(store: KeyValueReader, head: HeadRecord): Promise<void> {
    rewriteJournal(this.path, await headMark(store, head));
    this.begun();
  }

  /** Deletes the chain of this folder, so that another one can begin here. The database must be closed. */
  abandon(): void {
    this.startOver();
    onDisk(`cannot empty the data folder ${this.path}`, () => {
      for (const name of [IDENTITY_FILE, 'LOCK']) rmSync(join(this.path, name), { force: true });
    });
  }

  /** Unlocks the folder. */
  release(): void {
    this.#release();
  }

  async #create({ chainId, cacheBytes }: OpenOptions): Promise<RocksDbStore> {
    this.#chainId = await chainId;
    this.startOver();
    this.#isNew = true;
    return await openRocksDb(this.path, { create: true, cacheBytes });
  }

  async #reopen(options: OpenOptions, promise: FolderPromise | Fault): Promise<RocksDbStore> {
    onDisk(`cannot open the data folder ${this.path}`, () => keepBeforeOpen(this.path));
    let store: RocksDbStore | undefined;
    try {
      requireOwnRecords(this.path);
      store = await openRocksDb(this.path, { create: false, cacheBytes: options.cacheBytes });
      await this.#require(store, promise, options);
    } catch (error) {
      await store?.close().catch(() => undefined); // the first error is the cause
      restoreBeforeOpen(this.path);
      throw store === undefined ? withWayOut(promise instanceof Fault ? promise : error) : error;
    }
    onDisk(`cannot open the data folder ${this.path}`, () => forgetBeforeOpen(this.path));
    return store;
  }

  /**
   * Requires that the store holds that chain and has what the folder promises, unless the operator accepts its head as
   * it is.
   */
  async #require(
    store: RocksDbStore,
    promise: FolderPromise | Fault,
    { chainId, acceptHead }: OpenOptions,
  ): Promise<void> {
    const id = await chainId;
    if (!(promise instanceof Fault)) requireIdentity(promise.identity, id);
    const head = readHead(store);
    if (head === undefined)
      throw new Fault('damaged_data', `the database in ${this.path} holds no chain; ${FROM_ELSEWHERE}`);
    if (head.chain_id !== id)
      throw new Fault('configuration', `the data is of chain ${head.chain_id}, the genesis of chain ${id}`);
    const loss = promise instanceof Fault ? promise : await findLoss(this.path, store, head, promise.head);
    if (loss !== undefined && acceptHead !== head.head_block_number) throw loss;
    const { fitTables } = await import('../chain/ledger/recorded_tables.ts');
    await readFirst(store, head);
    fitTables(store, rebuildProgress());
    if (loss === undefined) return;
    rewriteJournal(this.path, await headMark(store, head));
    writeIdentity(this.path, { state: 'complete', chainId: id, diskFormat: DISK_FORMAT });
  }
}

/**
 * Reads what a chain reads when it opens. RocksDB looks at a part of a file only when it is asked for a row of it, and
 * damage that is found now lets the files be put back.
 */
async function readFirst(store: KeyValueReader, { head_block_number: head }: HeadRecord): Promise<void> {
  const { dynamicGlobalProperties } = await import('../state/tables/dynamic_global_property.ts');
  const { hardforkProperty } = await import('../state/tables/hardfork_property.ts');
  const rows = new View(store, 2);
  rows.get(dynamicGlobalProperties, null);
  rows.get(hardforkProperty, null);
  store.range(HEAD_COLUMN, { ...sideBlockRange(ZERO_HASH160), limit: SIDE_BLOCKS });
  for (const key of [rangeNodesKey, votersKey])
    store.range(HEAD_COLUMN, { lower: key(0), upper: key(head + 1), reverse: true, limit: 1 });
}

/** Shows how far the indexes are rebuilt; without a terminal, one line says that they are. */
function rebuildProgress(): RebuildProgress {
  let progress: Progress | undefined;
  return (read, total) => {
    if (progress === undefined && !process.stderr.isTTY)
      process.stderr.write(`pharos: rebuilding indexes that this version declares differently, from ${total} rows\n`);
    progress ??= makeProgress('rows', 0, total);
    progress.update(read);
    if (read === total) progress.stop();
  };
}
