import { existsSync, constants, copyFileSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { requireTables } from '../chain/ledger/recorded_tables.ts';
import { readHead } from '../state/head_record.ts';
import type { KeyValueStore } from '../storage/key_value.ts';
import { openRocksDb, type RocksDbStore } from '../storage/rocksdb.ts';
import { folderElsewhere } from './folder_elsewhere.ts';
import { findHolder, isNode, lockFolder } from './folder_lock.ts';
import { findLoss, readPromise } from './folder_promise.ts';
import { isProcessAlive } from '../system/alive_process.ts';
import { systemErrorCode, onDisk } from '../system/system_error.ts';
import { requireOwnRecords } from './log_records.ts';
import { withWayOut } from './way_out.ts';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { BEFORE_OPEN } from './before_open.ts';
import { databaseFiles } from './database_files.ts';

/** A copy's name begins so; the number of its process follows. */
const COPY = 'pharos-copy-';
const LEFT_COPY = new RegExp(`^${COPY}(\\d{1,10})-\\w{6}$`);

/** A view of a data folder: nothing in it is changed, whatever is written to the copy. */
export interface FolderCopy {
  readonly store: KeyValueStore;
  /** The reason why the database lacks what the folder promises; undefined when it has everything. */
  readonly loss: Fault | undefined;
  close(): Promise<void>;
}

/**
 * Opens an unused data folder for reading. Fault `damaged_data` when it can't be read, `configuration` when it never
 * was one.
 */
export async function openFolderCopy(folder: string, command: string): Promise<FolderCopy> {
  requireUnused(folder, command);
  if (!existsSync(folder)) throw new Fault('configuration', `there is no folder ${folder}`);
  const release = lockIfWritable(folder, command);
  try {
    const promise = readPromise(folder);
    if (promise === undefined) throw new Fault('configuration', `${folder} holds no chain`);
    const { copy, remove } = copyDatabase(folder);
    let store: RocksDbStore | undefined;
    const close = async (): Promise<void> => {
      await store?.close();
      remove();
    };
    try {
      requireOwnRecords(copy);
      store = await openRocksDb(copy, { create: false });
      const head = readHead(store);
      if (head !== undefined) requireTables(store);
      const loss =
        promise instanceof Fault
          ? promise
          : head === undefined
            ? undefined
            : await findLoss(folder, store, head, promise.head);
      return { store, loss, close: () => close().then(release) };
    } catch (error) {
      await close().catch(() => undefined); // the first error is the cause
      if (promise instanceof Fault) throw promise;
      throw store === undefined ? withWayOut(error) : error;
    }
  } catch (error) {
    release();
    throw error;
  }
}

/** The commands that read a folder, and what does the same for a node that runs. */
const whileNodeRuns: Readonly<Record<string, string>> = {
  verify:
    'pharos doctor says how the running node is; verify a copy of its last backup, or the folder once the node has stopped',
  'snapshot create': 'the node itself writes one: --url with its address instead of --data-dir',
  export: 'the node itself gives its blocks: --url with its address instead of --data-dir',
};

/**
 * Fault `configuration` when a running node has the folder, with the way to get the same from that node. A relative
 * folder that isn't here is looked for where running nodes were started.
 */
export function requireUnused(folder: string, command: string): void {
  const elsewhere = existsSync(folder) ? undefined : folderElsewhere(folder);
  const found = elsewhere?.folder ?? folder;
  const [holder, instead] = [findHolder(found), whileNodeRuns[command]];
  if (holder === undefined || holder.pid === process.pid || !isNode(holder) || instead === undefined) return;
  const has = `process ${holder.pid} (pharos ${holder.command}) has it`;
  throw new Fault('configuration', `${found} is in use by another process: ${has}; ${instead}`);
}

/** A read-only disk needs no lock, because no process can start writing to it. */
function lockIfWritable(folder: string, command: string): () => void {
  try {
    return lockFolder(folder, command);
  } catch (error) {
    const isReadOnly =
      error instanceof Fault && ['EROFS', 'EACCES', 'EPERM'].includes(systemErrorCode(error.cause) ?? '');
    if (!isReadOnly) throw error;
    return () => undefined;
  }
}

/**
 * Removes copies of commands that were ended before they could: a log may be large, and the disk of temporary files
 * small. Those of others are not ours to remove.
 */
export function removeLeftCopies(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = LEFT_COPY.exec(name) ?? [];
    if (pid === undefined || isProcessAlive(Number(pid))) continue;
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch (error) {
      if (!['EACCES', 'EPERM'].includes(systemErrorCode(error) ?? '')) throw error;
    }
  }
}

/**
 * A copy of a database for reading only: our RocksDB binding can only open for writing, and opening must not change the
 * original. Table files, nearly all of the data, never change, so the copy links to them; the write-ahead log is
 * copied.
 */
function copyDatabase(folder: string): { readonly copy: string; readonly remove: () => void } {
  const kept = join(folder, BEFORE_OPEN);
  const source = resolve(existsSync(kept) ? kept : folder);
  return onDisk(`cannot copy the log of ${folder}`, () => {
    removeLeftCopies(tmpdir());
    const copy = mkdtempSync(join(tmpdir(), `${COPY}${process.pid}-`));
    const remove = (): void => rmSync(copy, { recursive: true, force: true });
    try {
      for (const name of databaseFiles(source)) {
        const [from, to] = [join(source, name), join(copy, name)];
        if (name.endsWith('.sst')) symlinkSync(from, to);
        else copyFileSync(from, to, constants.COPYFILE_FICLONE);
      }
    } catch (error) {
      remove();
      throw error;
    }
    return { copy, remove };
  });
}
