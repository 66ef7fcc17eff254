import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Fault } from '../../src/base/fault.ts';
import type { ChainHead } from '../../src/chain/chain_options.ts';
import { Chain } from '../../src/chain/chain.ts';
import { DataFolder, type OpenOptions } from '../../src/data_folder/data_folder.ts';
import type { HeadJournalFile } from '../../src/data_folder/head_journal.ts';
import { verifyStore } from '../../src/data_folder/verify/verify_store.ts';
import type { RocksDbStore } from '../../src/storage/rocksdb.ts';
import { produce, testParameters, makeTransaction, transferJson } from '../builders/chain.ts';

export const parameters = testParameters();

/** A chain in a folder, open. */
export interface OpenFolder {
  readonly chain: Chain;
  readonly store: RocksDbStore;
  close(): Promise<void>;
}

/** Opens the chain of a folder as a node does, or begins it there. */
export async function openFolder(
  path: string,
  options: Partial<OpenOptions & { durable: boolean }> = {},
): Promise<OpenFolder> {
  const folder = await DataFolder.lock(path, 'test');
  let journal: HeadJournalFile | undefined;
  try {
    const store = await folder.open({ chainId: parameters.chainId, ...options });
    journal = folder.journal((fault) => assert.fail(fault));
    const chain = new Chain({ store, parameters, durable: options.durable ?? true, journal });
    folder.begun();
    const close = async (): Promise<void> => {
      journal?.close();
      await store.close();
      folder.release();
    };
    return { chain, store, close };
  } catch (error) {
    folder.release();
    throw error;
  }
}

/** Blocks, each with a transfer that is in no other. */
export function makeBlocks(chain: Chain, count: number): void {
  for (let block = 0; block < count; block++) {
    chain.accept(
      makeTransaction(
        chain,
        parameters,
        [transferJson('alice', 'bob', 1 + block, `block ${chain.head.number + 1}`)],
        ['alice'],
      ),
    );
    produce(chain);
  }
}

/**
 * A folder of a chain that was closed, with everything that a node leaves: tables of all columns, and a log with a
 * block taken back.
 */
export async function stoppedFolder(path: string, blocks = 12): Promise<ChainHead> {
  for (const part of [blocks - 4, 4]) {
    const opened = await openFolder(path);
    makeBlocks(opened.chain, part);
    await opened.close();
  }
  const { chain, close } = await openFolder(path);
  makeBlocks(chain, 3);
  chain.undo();
  makeBlocks(chain, 2);
  const { head } = chain;
  await close();
  return head;
}

/** The kind of a file: what it is called without its number. */
export function fileKind(name: string): string {
  return name.replace(/\d+/, 'N');
}

/** The files of a folder with their sizes; locks are empty and say nothing. */
export function readFiles(folder: string): { readonly name: string; readonly bytes: number }[] {
  const names = readdirSync(folder).filter((name) => name !== 'LOCK');
  return names
    .map((name) => ({ name, bytes: statSync(join(folder, name)).size }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads the files of a folder, to check that nothing was changed. */
export function readContents(folder: string): ReadonlyMap<string, string> {
  return new Map(readFiles(folder).map(({ name }) => [name, readFileSync(join(folder, name), 'latin1')]));
}

/** The outcome of opening a damaged folder. */
export type Outcome = 'sound' | 'refused' | 'refused while reading';

/**
 * Starts from a damaged copy of a folder and reads everything. Fails unless the chain is whole, or the program says
 * that it isn't, with a name: shorter in silence, or a new chain, is what must never be.
 */
export async function openOutcome(
  sound: string,
  head: ChainHead,
  damage: (copy: string) => void,
  point: string,
): Promise<Outcome> {
  const copy = mkdtempSync(join(tmpdir(), 'pharos-damaged-'));
  try {
    cpSync(sound, copy, { recursive: true });
    damage(copy);
    return await started(copy, head, readContents(copy), point);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function started(
  copy: string,
  head: ChainHead,
  damaged: ReadonlyMap<string, string>,
  point: string,
): Promise<Outcome> {
  let opened: OpenFolder;
  try {
    opened = await openFolder(copy);
  } catch (error) {
    assertNamed(error, copy, point);
    assert.deepEqual([...readContents(copy)], [...damaged], `${point}: a folder that is refused stays as it is`);
    return 'refused';
  }
  try {
    const { problems } = verifyStore(opened.store, parameters, () => {});
    if (problems.length > 0) throw new Fault('damaged_data', problems.join('\n'));
    assert.deepEqual(opened.chain.head, head, `${point}: the chain is whole`);
    makeBlocks(opened.chain, 1);
    return 'sound';
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    assertNamed(error, copy, point);
    return 'refused while reading';
  } finally {
    // A database that was damaged may not close well, either.
    await opened.close().catch(() => undefined);
  }
}

/** The message names a file, or that blocks are missing, for which the log is to blame. */
function assertNamed(error: unknown, copy: string, point: string): void {
  if (!(error instanceof Fault)) throw error;
  assert.equal(error.code, 'damaged_data', `${point}: ${error.message}`);
  const names = new RegExp(`${copy}/?(?:\\S*)|\\.sst|MANIFEST|CURRENT|\\.log`);
  assert.match(error.message, names, point);
}
