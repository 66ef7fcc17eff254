import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { systemClock } from '../../base/clock.ts';
import type { Profile } from '../../values/profile.ts';
import { parametersOf } from '../chain_settings.ts';
import type { DataFolder } from '../data_folder/data_folder.ts';
import { writeWholeFile } from '../data_folder/whole_file.ts';
import { onDisk } from '../system_error.ts';
import { devGenesisText, type DevGenesisOptions } from './dev_genesis.ts';
import type { JoinedChain } from './joined_chain.ts';

/** What `--seed` said; absent where it said nothing. */
const SEED_FILE = 'seed.txt';

/** The database of a development chain. */
export function chainFolder(dataDir: string): string {
  return join(dataDir, 'chain');
}

/** Its genesis. */
export function genesisPath(dataDir: string): string {
  return join(dataDir, 'genesis.json');
}

/** Keeps what the keys of a chain are made of. */
export function noteSeed(dataDir: string, seed: string): void {
  const file = join(dataDir, SEED_FILE);
  if (seed === '') onDisk(`cannot remove ${file}`, () => rmSync(file, { force: true }));
  else writeWholeFile(file, seed);
}

/** A development chain's folder, and what its user wants of it. */
export interface DevPlace extends DevGenesisOptions {
  readonly dataDir: string;
  readonly fresh: boolean;
}

/** A chain that is made here, and what the keys of its accounts are made of. */
export interface OwnDevChain extends JoinedChain {
  readonly seed: string;
}

/** The chain in the folder; a new one when there is none, or with `fresh`. Fault where it isn't the one that is asked for. */
export function openDevChain(place: DevPlace, profile: Profile, folder: DataFolder): OwnDevChain {
  const file = genesisPath(place.dataDir);
  if (place.fresh) folder.startOver();
  const isMissing = !existsSync(file);
  if (isMissing && !place.fresh && folder.holdsChain)
    throw new Fault(
      'damaged_data',
      `${file} is missing, and the chain in ${folder.path} is known by it; put the file back, or start over with --fresh`,
    );
  if (isMissing || place.fresh) begin(place, profile, file);
  const seed = seedIn(place.dataDir);
  const genesisText = onDisk(`cannot read ${file}`, () => readFileSync(file, 'utf8'));
  requireGenesis(profile, genesisText, file);
  refuseAnother(place, seed, genesisText);
  return { profileName: profile.name, genesisText, seed };
}

/** Goes on with a joined chain, or begins to. */
export function openJoinedChain({ dataDir, fresh }: DevPlace, chain: JoinedChain, folder: DataFolder): JoinedChain {
  if (fresh) folder.startOver();
  const file = genesisPath(dataDir);
  const isAnother =
    folder.holdsChain && (!existsSync(file) || onDisk(`cannot read ${file}`, () => readFileSync(file, 'utf8')) !== chain.genesisText);
  if (isAnother)
    throw new Fault('configuration', `another chain lies in ${dataDir}: follow this one in another --data-dir, or start over with --fresh`);
  writeWholeFile(file, chain.genesisText);
  return chain;
}

/** Throws Fault `damaged_data` for a file that is no genesis. Another genesis is found out by its chain id. */
function requireGenesis({ name: profileName }: Profile, genesisText: string, file: string): void {
  try {
    parametersOf({ profileName, genesisText, initialSigningKey: undefined });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const remedy = 'put it back from a copy, or start over with --fresh';
    throw new Fault('damaged_data', `${file} is damaged: ${error.message}; ${remedy}`, error);
  }
}

/** The seed first: a genesis whose keys nobody has would be of no use. */
function begin({ dataDir, accounts, seed = '' }: DevPlace, profile: Profile, file: string): void {
  noteSeed(dataDir, seed);
  writeWholeFile(file, devGenesisText(profile, Math.trunc(systemClock.nowMs() / 1000), { accounts, seed, impersonator: true }));
}

function seedIn(dataDir: string): string {
  const file = join(dataDir, SEED_FILE);
  return existsSync(file) ? onDisk(`cannot read ${file}`, () => readFileSync(file, 'utf8')) : '';
}

/** A chain has its accounts and keys for ever. */
function refuseAnother({ dataDir, accounts, seed }: DevPlace, seedThere: string, genesisText: string): void {
  const there = accountsIn(genesisText).length;
  // What a fork's snapshot has of accounts is nobody's flag.
  const flag =
    seed !== undefined && seed !== seedThere
      ? '--seed'
      : accounts !== undefined && accounts !== there
        ? `--accounts ${accounts}`
        : undefined;
  if (flag !== undefined)
    throw new Fault(
      'configuration',
      `the chain in ${dataDir} was not made with this ${flag} (it has ${there} accounts): leave the flag out, start over with --fresh, or name another --data-dir`,
    );
}

/** The names of the accounts that a genesis of ours funds. */
export function accountsIn(genesisText: string): readonly string[] {
  const { initial_accounts = [] } = readAccounts(genesisText);
  return initial_accounts.map(({ name }) => name);
}

function readAccounts(text: string): { readonly initial_accounts?: readonly { readonly name: string }[] };
function readAccounts(text: string): unknown {
  const genesis: unknown = JSON.parse(text);
  return genesis;
}
