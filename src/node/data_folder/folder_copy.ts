import { existsSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { readHead } from '../../state/head_record.ts';
import type { KeyValueStore } from '../../storage/key_value.ts';
import { openRocksDb } from '../../storage/rocksdb.ts';
import { copyDatabase } from './database_copy.ts';
import { lockFolder } from './folder_lock.ts';
import { lossIn, promiseOf } from './folder_promise.ts';
import { systemCodeOf } from '../system_error.ts';
import { withWayOut } from './way_out.ts';

/** A view of a data folder: nothing in it is changed, whatever is written to the copy. */
export interface FolderCopy {
  readonly store: KeyValueStore;
  /** Why the database lacks what the folder promises; undefined when it has everything. */
  readonly loss: Fault | undefined;
  close(): Promise<void>;
}

/** Opens an unused data folder for reading. Fault `damaged_data` when it can't be read, `configuration` when it never was one. */
export async function openFolderCopy(folder: string, command: string): Promise<FolderCopy> {
  if (!existsSync(folder)) throw new Fault('configuration', `there is no folder ${folder}`);
  const release = lockIfWritable(folder, command);
  try {
    const promise = promiseOf(folder);
    if (promise === undefined) throw new Fault('configuration', `${folder} holds no chain`);
    const { copy, remove } = copyDatabase(folder);
    try {
      const store = await openRocksDb(copy, { create: false });
      const close = async (): Promise<void> => {
        await store.close();
        remove();
        release();
      };
      const head = readHead(store);
      if (promise instanceof Fault || head === undefined) return { store, loss: promise instanceof Fault ? promise : undefined, close };
      return { store, loss: await lossIn(folder, store, head, promise.head), close };
    } catch (error) {
      remove();
      throw promise instanceof Fault ? promise : withWayOut(error);
    }
  } catch (error) {
    release();
    throw error;
  }
}

/** A read-only disk needs no lock, because no process can start writing to it. */
function lockIfWritable(folder: string, command: string): () => void {
  try {
    return lockFolder(folder, command);
  } catch (error) {
    const isReadOnly = error instanceof Fault && ['EROFS', 'EACCES', 'EPERM'].includes(systemCodeOf(error.cause) ?? '');
    if (!isReadOnly) throw error;
    return () => undefined;
  }
}
