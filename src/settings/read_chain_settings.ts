import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../base/fault.ts';
import { chainNamed, privateNetNamed } from './named_chain.ts';
import type { SettingsOf } from './options.ts';
import { readDataDir } from './store_settings.ts';
import { profileNamed, type ChainSettings } from './chain_settings.ts';
import type { Profile } from '../values/profile.ts';

/** The chain that the settings name. Throws Fault `configuration`. */
export function readChainSettings(values: SettingsOf<'chain' | 'store'>): ChainSettings {
  const miningKey = values['initminer-mining-pubkey'];
  const file = values['genesis-json'] ?? (miningKey === undefined ? genesisBesideDatabase(values) : undefined);
  const genesisFiles = file === undefined ? [] : [file];
  const named = {
    profile: values.profile ?? 'default',
    genesisFiles,
    initialSigningKey: values['initial-signing-key'],
  };
  if (miningKey !== undefined)
    return privateNetNamed({ ...named, miningKey, accountKey: values['initminer-account-pubkey'] });
  if (file === undefined)
    fail('genesis-json is missing: which chain is this node to run? (`pharos dev` makes one of its own)');
  return chainNamed(named);
}

/** The profile of the chain. Throws Fault `configuration` for one that is unknown. */
export function readProfile({ profile = 'default' }: SettingsOf<'chain'>): Profile {
  return profileNamed(profile);
}

/** True when a key makes the chain a private net. */
export function isPrivateNet({ 'initminer-mining-pubkey': key }: SettingsOf<'chain'>): boolean {
  return key !== undefined;
}

/** True when the operator names the genesis, and so the chain, before there is a database. */
export function namesGenesis({ 'genesis-json': file }: SettingsOf<'chain'>): boolean {
  return file !== undefined;
}

/** A snapshot leaves the genesis there. */
function genesisBesideDatabase(values: SettingsOf<'store'>): string | undefined {
  const path = join(readDataDir(values), 'genesis.json');
  return existsSync(path) ? path : undefined;
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
