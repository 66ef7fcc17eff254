import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { openLog } from '../base/log.ts';
import { DataFolder } from '../data_folder/data_folder.ts';
import { readPromise } from '../data_folder/folder_promise.ts';
import { cleaningUp } from '../system/first_cause.ts';
import { askForSnapshot } from '../snapshot/ask_for_snapshot.ts';
import { download } from '../snapshot/download.ts';
import { loadIntoFolder } from '../snapshot/load_into_folder.ts';
import { inspectHeader } from '../snapshot/read_snapshot.ts';
import { onDisk } from '../system/system_error.ts';
import type { PlannedHardfork } from '../state/hardfork_plan.ts';
import { chainFolder, genesisPath, noteSeed } from './dev_folder.ts';
import { readPlannedHardforks } from './dev_genesis.ts';
import { forkGenesisText } from './fork_genesis.ts';
import type { JoinedChain } from './joined_chain.ts';

/** The origin of a forked development chain, and its folder. */
export interface ForkPlace {
  /** A path or an address of a snapshot, or the address of a running node of this machine. */
  readonly source: string;
  readonly dataDir: string;
  readonly fresh: boolean;
  readonly seed: string;
  /** The fork that another node makes; one is begun here when undefined. */
  readonly joined: JoinedChain | undefined;
  /** Those that its blocks apply without votes; as the fork that is there already has them when undefined. */
  readonly hardforks: readonly PlannedHardfork[] | undefined;
}

const HTTP = /^https?:/i;

/**
 * Puts the state that a fork begins with into its folder; one that is there already goes on. Returns the profile of its
 * chain. Fault `configuration` where the folder holds another chain; then, and whenever there is no state to be had,
 * nothing is changed.
 */
export async function beginFork(place: ForkPlace): Promise<string | undefined> {
  const { source, dataDir, fresh } = place;
  const isThere = !fresh && readPromise(chainFolder(dataDir)) !== undefined;
  // What is elsewhere is not fetched again to see whether it is the same.
  if (isThere && HTTP.test(source)) return requireFork(place);
  return await withFile(source, async (file) => {
    const header = inspectHeader(file);
    const { hardforks = isThere ? readPlannedHardforks(readGenesisText(dataDir)) : [] } = place;
    const forkGenesis = place.joined?.genesisText ?? forkGenesisText(header, place.seed, hardforks);
    if (isThere) requireSame(place, forkGenesis);
    else await load(file, forkGenesis, place);
    return header.profile;
  });
}

async function load(file: string, forkGenesis: string, { dataDir, fresh, seed, joined }: ForkPlace): Promise<void> {
  if (fresh) await startOver(dataDir);
  await loadIntoFolder(file, chainFolder(dataDir), { isOwn: true, genesisFile: genesisPath(dataDir), forkGenesis });
  if (joined === undefined) noteSeed(dataDir, seed);
}

async function startOver(dataDir: string): Promise<void> {
  const folder = await DataFolder.lock(chainFolder(dataDir), 'dev');
  try {
    folder.abandon();
  } finally {
    folder.release();
  }
}

function requireSame({ dataDir, source }: ForkPlace, forkGenesis: string): void {
  if (readGenesisText(dataDir) !== forkGenesis) throw anotherChain(dataDir, source);
}

function requireFork({ dataDir, source }: ForkPlace): undefined {
  if (!/"fork"/.test(readGenesisText(dataDir))) throw anotherChain(dataDir, source);
}

function readGenesisText(dataDir: string): string {
  const file = genesisPath(dataDir);
  return existsSync(file) ? onDisk(`cannot read ${file}`, () => readFileSync(file, 'utf8')) : '';
}

function anotherChain(dataDir: string, source: string): Fault {
  return new Fault(
    'configuration',
    `the chain in ${dataDir} is no fork of ${source}, or one with another --seed or --hardfork, says ${genesisPath(dataDir)}: start over with --fresh, or name another --data-dir`,
  );
}

/** Removes the fetched file again when the state is in its place, or can't be had. */
async function withFile<T>(source: string, use: (file: string) => Promise<T>): Promise<T> {
  if (!HTTP.test(source)) return await use(source);
  const folder = onDisk('cannot make a temporary folder', () => mkdtempSync(join(tmpdir(), 'pharos-fork-')));
  return await cleaningUp(
    async () => {
      const file = join(folder, 'state.avro');
      if (isNode(source)) await askForSnapshot(source, file);
      else await download(source, file, { clock: systemClock, log: openLog({ level: 'warning' }, 'fork') });
      return await use(file);
    },
    async () => rmSync(folder, { recursive: true, force: true }),
  );
}

/** A file has a name; a node has none. */
function isNode(source: string): boolean {
  return URL.canParse(source) && new URL(source).pathname === '/';
}
