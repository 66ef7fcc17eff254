import { existsSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Fault } from '../base/fault.ts';
import type { HeadRecord } from '../state/head_record.ts';
import type { ChainParameters } from '../state/parameters.ts';
import type { KeyValueReader } from '../storage/key_value.ts';
import { DataFolder } from '../data_folder/data_folder.ts';
import { noteForeignHead } from '../data_folder/foreign_head.ts';
import { writeWholeFile } from '../system/whole_file.ts';
import { cleaningUp, undoingOnError } from '../system/first_cause.ts';
import { onDisk } from '../system/system_error.ts';
import { chainOfSnapshot, forkParameters } from './chain_of_snapshot.ts';
import { SnapshotLoading } from './load_snapshot.ts';
import { openSnapshot, OTHER_COPY, type OpenSnapshot } from './read_snapshot.ts';
import type { SnapshotHeader } from './snapshot_schema.ts';

/** The result of loading. */
export interface LoadedSnapshot {
  readonly head: HeadRecord;
  readonly genesisFile: string;
}

/** The chain to load, and the way of taking it. */
export interface Loading {
  /** The chain that is wanted; any when undefined. */
  readonly chainId?: string | undefined;
  /** True when it is taken as it is; otherwise the node that begins there waits for peers that have its block. */
  readonly isOwn: boolean;
  /** The path of the genesis; undefined for beside the database. */
  readonly genesisFile?: string | undefined;
  /** The genesis of a fork that begins with the state of the file; undefined where the chain of the file goes on. */
  readonly forkGenesis?: string | undefined;
}

/**
 * Makes a data folder of a snapshot, with its genesis beside the database. Whatever fails, nothing of it stays. Fault
 * `configuration` when the folder holds a chain, or the snapshot is of another one than is wanted.
 */
export async function loadIntoFolder(path: string, folder: string, loading: Loading): Promise<LoadedSnapshot> {
  const { isOwn, genesisFile = join(folder, 'genesis.json') } = loading;
  const snapshot = openSnapshot(path);
  const { parameters, genesis } = readChain(path, snapshot.header, loading);
  const made = onDisk(`cannot make the data folder ${folder}`, () => mkdirSync(folder, { recursive: true }));
  return await undoingOnError(
    async () => await namingFile(path, lockedLoad),
    async () => removeFolders(folder, made),
  );

  async function lockedLoad(): Promise<LoadedSnapshot> {
    const data = await DataFolder.lock(folder, 'snapshot load');
    return await cleaningUp(
      async () => {
        if (data.holdsChain)
          throw new Fault('configuration', `${folder} holds a chain already: load the snapshot into another folder`);
        const head = await loadOpened(data, snapshot, { parameters, isOwn, genesis, genesisFile });
        return { head, genesisFile };
      },
      async () => data.release(),
    );
  }
}

interface ChainOfLoad {
  readonly parameters: ChainParameters;
  readonly genesis: string;
}

function readChain(path: string, header: SnapshotHeader, { chainId, forkGenesis }: Loading): ChainOfLoad {
  const parameters = chainOfSnapshot(path, header, chainId);
  if (forkGenesis === undefined) return { parameters, genesis: header.genesis };
  return { parameters: forkParameters(path, header, forkGenesis), genesis: forkGenesis };
}

/** The folders that were made for what is not there, each empty again. */
function removeFolders(folder: string, made: string | undefined): void {
  if (made === undefined) return;
  for (let each = resolve(folder); each.startsWith(resolve(made)); each = dirname(each))
    if (existsSync(each)) rmdirSync(each);
}

async function loadOpened(
  data: DataFolder,
  { header, chunks }: OpenSnapshot,
  { parameters, isOwn, genesis, genesisFile }: ChainOfLoad & { readonly isOwn: boolean; readonly genesisFile: string },
): Promise<HeadRecord> {
  const store = await data.open({ chainId: parameters.chainId });
  return await undoingOnError(fill, async () => data.abandon());

  async function fill(): Promise<HeadRecord> {
    return await cleaningUp(
      async () => {
        const loading = new SnapshotLoading(store, parameters);
        for (const chunk of chunks) loading.add(chunk);
        const head = loading.finish(header);
        if (!isOwn) noteForeignHead(data.path, { number: header.block_number, id: header.block_id });
        await begin(data, { store, head, genesis, genesisFile });
        return head;
      },
      async () => await store.close(),
    );
  }
}

interface Beginning {
  readonly store: KeyValueReader;
  readonly head: HeadRecord;
  readonly genesis: string;
  readonly genesisFile: string;
}

/** From here on the folder holds the chain. */
async function begin(data: DataFolder, { store, head, genesis, genesisFile }: Beginning): Promise<void> {
  writeWholeFile(genesisFile, genesis);
  await undoingOnError(
    async () => await data.begunAt(store, head),
    async () => rmSync(genesisFile, { force: true }),
  );
}

/** The parts of a snapshot don't know its file. */
async function namingFile<T>(path: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'damaged_data' || error.message.includes(path)) throw error;
    throw new Fault('damaged_data', `${path} is damaged: ${error.message}; ${OTHER_COPY}`, error);
  }
}
