import { existsSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { HeadRecord } from '../../chain/head_record.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { DataFolder } from '../data_folder/data_folder.ts';
import { noteForeignHead } from '../data_folder/foreign_head.ts';
import { writeWholeFile } from '../data_folder/whole_file.ts';
import { cleaningUp } from '../first_cause.ts';
import { chainOfSnapshot } from './chain_of_snapshot.ts';
import { SnapshotLoading } from './load_snapshot.ts';
import { openSnapshot, type OpenSnapshot } from './read_snapshot.ts';

/** What was loaded. */
export interface LoadedSnapshot {
  readonly head: HeadRecord;
  readonly genesisFile: string;
}

/** What is loaded, and how it is taken. */
export interface Loading {
  /** The chain that is wanted; any when undefined. */
  readonly chainId?: string | undefined;
  /** Whether it is taken as it is; otherwise the node that begins there waits for peers that have its block. */
  readonly isOwn: boolean;
}

/**
 * Makes a data folder of a snapshot, with its genesis beside the database. Whatever fails, nothing of it stays. Fault `configuration` when the
 * folder holds a chain, or the snapshot is of another one than is wanted.
 */
export async function loadIntoFolder(path: string, folder: string, { chainId, isOwn }: Loading): Promise<LoadedSnapshot> {
  const snapshot = openSnapshot(path);
  const parameters = chainOfSnapshot(path, snapshot.header, chainId);
  const isNew = !existsSync(folder);
  const data = await DataFolder.lock(folder, 'snapshot load');
  let isWhole = false;
  return await cleaningUp(
    async () => {
      if (data.holdsChain) throw new Fault('configuration', `${folder} holds a chain already: load the snapshot into another folder`);
      const head = await loadInto(data, snapshot, { parameters, isOwn });
      const genesisFile = join(folder, 'genesis.json');
      writeWholeFile(genesisFile, snapshot.header.genesis);
      isWhole = true;
      return { head, genesisFile };
    },
    async () => {
      data.release();
      if (!isWhole && isNew) rmdirSync(folder);
    },
  );
}

async function loadInto(
  data: DataFolder,
  { header, chunks }: OpenSnapshot,
  { parameters, isOwn }: { readonly parameters: ChainParameters; readonly isOwn: boolean },
): Promise<HeadRecord> {
  let head: HeadRecord | undefined;
  const store = await data.open({ chainId: parameters.chainId });
  try {
    return await cleaningUp(
      async () => {
        const loading = new SnapshotLoading(store, parameters);
        for (const chunk of chunks) loading.add(chunk);
        head = loading.finish(header);
        if (!isOwn) noteForeignHead(data.path, { number: header.block_number, id: header.block_id });
        await data.begunAt(store, head);
        return head;
      },
      async () => await store.close(),
    );
  } catch (error) {
    data.abandon();
    throw error;
  }
}
