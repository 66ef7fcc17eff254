import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { DISK_FORMAT, readHead } from '../../chain/head_record.ts';
import { isOpenElsewhere, openRocksDb, type RocksDbStore } from '../../storage/rocksdb.ts';
import { BEFORE_OPEN, forgetBeforeOpen, keepBeforeOpen, restoreBeforeOpen } from './before_open.ts';
import { databaseFiles, removeUnfinished } from './database_files.ts';
import { inUse, lockFolder } from './folder_lock.ts';
import { lossIn, promiseOf, type FolderPromise } from './folder_promise.ts';
import { HeadJournalFile, JOURNAL_FILE, markOf, rewriteJournal } from './head_journal.ts';
import { requireIdentity, writeIdentity } from './identity.ts';
import { onDisk } from '../system_error.ts';
import { FROM_ELSEWHERE, withWayOut } from './way_out.ts';

/** How a chain in a folder is opened. */
export interface OpenOptions {
  /** The chain that must lie there, or is to be begun; it may be found out while the database is opened. */
  readonly chainId: string | Promise<string>;
  readonly cacheBytes?: number | undefined;
  /** Whoever runs the program takes this block for the head, whatever the folder says that there should be. */
  readonly acceptHead?: number | undefined;
}

/**
 * A folder with a chain, which one process has at a time. It says itself, outside of the database, which chain lies there and which head
 * that has: what is gone is missed at the next start, and never made anew.
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

  /** Locks the folder, and makes it where there is none. Fault `configuration` when another process has it, `disk` when it can't be written. */
  static async lock(path: string, command: string): Promise<DataFolder> {
    onDisk(`cannot make the data folder ${path}`, () => mkdirSync(path, { recursive: true }));
    const release = lockFolder(path, command);
    try {
      // A process in another container, whose number means nothing here, has the lock of the database all the same.
      if (existsSync(join(path, 'LOCK')) && (await isOpenElsewhere(path))) throw inUse(path, 'one that this machine shows no number of');
      onDisk(`cannot tidy the data folder ${path}`, () => removeUnfinished(path));
      return new DataFolder(path, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Whether a chain lies there, damaged or not. */
  get holdsChain(): boolean {
    return promiseOf(this.path) !== undefined;
  }

  /** Removes the chain. Killed meanwhile, the folder says that what is left of it is nobody's. */
  startOver(): void {
    writeIdentity(this.path, { state: 'begun' });
    onDisk(`cannot empty the data folder ${this.path}`, () => {
      for (const name of [BEFORE_OPEN, ...databaseFiles(this.path), JOURNAL_FILE])
        rmSync(join(this.path, name), { recursive: true, force: true });
    });
  }

  /**
   * Opens the database. Fault `damaged_data` when it isn't what the folder promises: then everything lies there as before. A new chain
   * is `begun` by whoever has written its first state.
   */
  async open(options: OpenOptions): Promise<RocksDbStore> {
    onDisk(`cannot read the data folder ${this.path}`, () => restoreBeforeOpen(this.path));
    const promise = onDisk(`cannot read the data folder ${this.path}`, () => promiseOf(this.path));
    if (promise === undefined) return await this.#create(options);
    if (promise instanceof Fault && options.acceptHead === undefined) throw promise;
    return await this.#reopen(options, promise);
  }

  /** The first state of a new chain is on the disk: from now on the folder promises it. */
  begun(): void {
    if (!this.#isNew) return;
    writeIdentity(this.path, { state: 'complete', chainId: this.#chainId, diskFormat: DISK_FORMAT });
    this.#isNew = false;
  }

  /** For whoever writes the chain. */
  journal(failed: (fault: Fault) => void): HeadJournalFile {
    return new HeadJournalFile(this.path, failed);
  }

  /** Others may have the folder. */
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
      store = await openRocksDb(this.path, { create: false, cacheBytes: options.cacheBytes });
      await this.#require(store, promise, options);
    } catch (error) {
      await store?.close().catch(() => undefined); // the first error says why
      restoreBeforeOpen(this.path);
      throw store === undefined ? withWayOut(promise instanceof Fault ? promise : error) : error;
    }
    onDisk(`cannot open the data folder ${this.path}`, () => forgetBeforeOpen(this.path));
    return store;
  }

  /** The store must be that chain's and have what the folder promises, unless somebody accepts its head as it is. */
  async #require(store: RocksDbStore, promise: FolderPromise | Fault, { chainId, acceptHead }: OpenOptions): Promise<void> {
    const id = await chainId;
    if (!(promise instanceof Fault)) requireIdentity(promise.identity, id);
    const head = readHead(store);
    if (head === undefined) throw new Fault('damaged_data', `the database in ${this.path} holds no chain; ${FROM_ELSEWHERE}`);
    if (head.chain_id !== id) throw new Fault('configuration', `the data is of chain ${head.chain_id}, the genesis of chain ${id}`);
    const loss = promise instanceof Fault ? promise : await lossIn(this.path, store, head, promise.head);
    if (loss === undefined) return;
    if (acceptHead !== head.head_block_number) throw loss;
    rewriteJournal(this.path, await markOf(store, head));
    writeIdentity(this.path, { state: 'complete', chainId: id, diskFormat: DISK_FORMAT });
  }
}
