import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { systemClock } from '../base/clock.ts';
import type { ChainParameters } from '../state/parameters.ts';
import type { Profile } from '../values/profile.ts';
import { readParameters } from '../settings/chain_settings.ts';
import type { DataFolder } from '../data_folder/data_folder.ts';
import { writeWholeFile } from '../system/whole_file.ts';
import { parseMembers, toMembers } from '../system/json_members.ts';
import { onDisk } from '../system/system_error.ts';
import { orderedPlan, type PlannedHardfork } from '../state/hardfork_plan.ts';
import {
  devGenesisText,
  devPublicKey,
  listDevWitnesses,
  readPlannedHardforks,
  type DevGenesisOptions,
} from './dev_genesis.ts';
import type { JoinedChain } from './joined_chain.ts';

/** This file keeps the value of `--seed`; it is absent without the flag. */
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

/**
 * The chain in the folder; a new one when there is none, or with `fresh`. Fault where it isn't the one that is asked
 * for.
 */
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
  const seed = readSeed(place.dataDir);
  const genesisText = onDisk(`cannot read ${file}`, () => readFileSync(file, 'utf8'));
  requireGenesis(profile, genesisText, file);
  requireSeed(profile, { dataDir: place.dataDir, seed, genesisText });
  refuseAnother(place, seed, genesisText);
  return { profileName: profile.name, genesisText, seed };
}

/** Goes on with a joined chain, or begins to. */
export function openJoinedChain({ dataDir, fresh }: DevPlace, chain: JoinedChain, folder: DataFolder): JoinedChain {
  if (fresh) folder.startOver();
  const file = genesisPath(dataDir);
  const isAnother =
    folder.holdsChain &&
    (!existsSync(file) || onDisk(`cannot read ${file}`, () => readFileSync(file, 'utf8')) !== chain.genesisText);
  if (isAnother)
    throw new Fault(
      'configuration',
      `another chain lies in ${dataDir}: follow this one in another --data-dir, or start over with --fresh`,
    );
  writeWholeFile(file, chain.genesisText);
  return chain;
}

/** Throws Fault `damaged_data` for a file that is no genesis, `configuration` for one that wants votes. Another genesis is found out by its chain id. */
function requireGenesis({ name: profileName }: Profile, genesisText: string, file: string): void {
  if (genesisParameters(profileName, genesisText, file).hasFinality)
    throw new Fault(
      'configuration',
      `${file}: a development chain owns its time and has no votes, so none of its blocks would become irreversible; write "finality": false into it, or run the chain by pharos run`,
    );
}

function genesisParameters(profileName: string, genesisText: string, file: string): ChainParameters {
  try {
    return readParameters({ profileName, genesisText, initialSigningKey: undefined });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const remedy = 'put it back from a copy, or start over with --fresh';
    throw new Fault('damaged_data', `${file} is damaged: ${error.message}; ${remedy}`, error);
  }
}

/** Keys that nobody can make again would be shown as those of the accounts. */
function requireSeed(
  profile: Profile,
  { dataDir, seed, genesisText }: { readonly dataDir: string; readonly seed: string; readonly genesisText: string },
): void {
  if (genesisText.includes(devPublicKey('initminer', profile, seed))) return;
  const [file, genesis] = [join(dataDir, SEED_FILE), genesisPath(dataDir)];
  throw new Fault(
    'damaged_data',
    `the keys in ${genesis} are not made of the seed in ${file}, so one of the two is damaged or missing: put it back (the seed is the text that --seed was given, without a line end), or start over with --fresh`,
  );
}

/** The seed first: a genesis whose keys nobody has would be of no use. */
function begin({ dataDir, accounts, witnesses, hardforks, seed = '' }: DevPlace, profile: Profile, file: string): void {
  noteSeed(dataDir, seed);
  writeWholeFile(
    file,
    devGenesisText(profile, Math.trunc(systemClock.nowMs() / 1000), {
      ...{ accounts, seed, witnesses, hardforks },
      impersonator: true,
    }),
  );
}

function readSeed(dataDir: string): string {
  const file = join(dataDir, SEED_FILE);
  return existsSync(file) ? onDisk(`cannot read ${file}`, () => readFileSync(file, 'utf8')) : '';
}

/** A chain has its accounts and keys for ever. */
function refuseAnother(
  { dataDir, accounts, witnesses, hardforks, seed }: DevPlace,
  seedThere: string,
  genesisText: string,
): void {
  const there = listAccounts(genesisText).length;
  // What a fork's snapshot has of accounts is nobody's flag.
  const flag =
    seed !== undefined && seed !== seedThere
      ? '--seed'
      : accounts !== undefined && accounts !== there
        ? `--accounts ${accounts}`
        : witnesses !== undefined && witnesses !== 1 + listDevWitnesses(genesisText).length
          ? `--witnesses ${witnesses}`
          : undefined;
  if (flag === undefined && hardforks !== undefined)
    refuseOtherPlan(dataDir, hardforks, readPlannedHardforks(genesisText));
  if (flag !== undefined)
    throw new Fault(
      'configuration',
      `the chain in ${dataDir} was not made with this ${flag} (it has ${there} accounts): leave the flag out, start over with --fresh, or name another --data-dir`,
    );
}

/** A chain has the plan of its genesis for ever; a fork of it may have another one. */
function refuseOtherPlan(dataDir: string, asked: readonly PlannedHardfork[], there: readonly PlannedHardfork[]): void {
  if (planText(asked) === planText(there)) return;
  const made = there.length === 0 ? 'without --hardfork' : `with --hardfork ${planText(there)}`;
  throw new Fault(
    'configuration',
    `the chain in ${dataDir} was made ${made}: leave the flag out, start over with --fresh, or begin a fork of a snapshot of it (--fork), which may have ${planText(asked)}`,
  );
}

function planText(plan: readonly PlannedHardfork[]): string {
  return orderedPlan(plan)
    .map(({ name, block }) => `${name}@${block}`)
    .join(' --hardfork ');
}

/** The names of the accounts that a genesis of ours funds, without those that only make blocks. */
export function listAccounts(genesisText: string): readonly string[] {
  const { initial_accounts: accounts } = parseMembers(genesisText) ?? {};
  if (!Array.isArray(accounts)) return [];
  const witnesses = new Set(listDevWitnesses(genesisText));
  return accounts.flatMap((account: unknown) => {
    const { name } = toMembers(account) ?? {};
    return typeof name === 'string' && !witnesses.has(name) ? [name] : [];
  });
}
