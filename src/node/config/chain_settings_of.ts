import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../base/fault.ts';
import type { ChainSettings } from '../threads/messages.ts';
import { chainNamed, privateNetNamed } from './named_chain.ts';
import type { OptionValues } from './options.ts';
import { dataDirOf } from './standby_settings.ts';

/** The chain that the settings name. Throws Fault `configuration`. */
export function chainSettingsOf(values: OptionValues): ChainSettings {
  const miningKey = values['initminer-mining-pubkey'];
  const file = values['genesis-json'] ?? (miningKey === undefined ? genesisBesideDatabase(values) : undefined);
  const genesisFiles = file === undefined ? [] : [file];
  const named = { profile: values.profile ?? 'default', genesisFiles, initialSigningKey: values['initial-signing-key'] };
  if (miningKey !== undefined) return privateNetNamed({ ...named, miningKey, accountKey: values['initminer-account-pubkey'] });
  if (file === undefined) fail('genesis-json is missing: which chain is this node to run? (`pharos dev` makes one of its own)');
  return chainNamed(named);
}

/** A snapshot leaves the genesis there. */
function genesisBesideDatabase(values: OptionValues): string | undefined {
  const path = join(dataDirOf(values), 'genesis.json');
  return existsSync(path) ? path : undefined;
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
