import { readFileSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { parsePublicKey, type PublicKey } from '../../values/public_key.ts';
import { profileNamed } from '../chain_settings.ts';
import type { ChainSettings } from '../threads/messages.ts';

/** How the chain is named by whoever starts the program. Keys are public ones, as text. */
export interface NamedChain {
  readonly profile: string;
  /** Where the genesis may lie; the first file that can be read counts. */
  readonly genesisFiles: readonly string[];
  /** Signs the first witness's blocks, instead of the profile's or the genesis's key. */
  readonly initialSigningKey: string | undefined;
}

/** A chain that is a private net. */
export interface NamedPrivateNet extends NamedChain {
  readonly miningKey: string;
  readonly accountKey: string | undefined;
}

/** The chain of that profile, genesis file and key. Fault `configuration` that says which of them does not fit. */
export function chainNamed({ profile, genesisFiles, initialSigningKey }: NamedChain): ChainSettings {
  const key = initialSigningKey === undefined ? undefined : requireKey('initial-signing-key', initialSigningKey, profile);
  return { profileName: profile, genesisText: firstText(genesisFiles), initialSigningKey: key };
}

/**
 * The private net of that key; its genesis is built in unless there is a file, in which case the mining key says no more than that
 * the net is private, as in the lineage (wire.md 13.2).
 */
export function privateNetNamed({ miningKey, accountKey, ...named }: NamedPrivateNet): ChainSettings {
  const { profile, genesisFiles } = named;
  const mining = requireKey('initminer-mining-pubkey', miningKey, profile);
  const account = accountKey === undefined ? undefined : requireKey('initminer-account-pubkey', accountKey, profile);
  if (genesisFiles.length > 0 && account === undefined) return { ...chainNamed(named), privateNetKey: mining };
  return { profileName: profile, genesisText: undefined, initialSigningKey: mining, privateNetKey: account ?? mining };
}

function requireKey(setting: string, text: string, profile: string): PublicKey {
  const { keyPrefix } = profileNamed(profile);
  const key = parsePublicKey(text, keyPrefix);
  if (key === undefined) throw new Fault('configuration', `${setting}: not a public key with prefix ${keyPrefix}`);
  return key;
}

function firstText(files: readonly string[]): string {
  let cause: unknown;
  for (const file of files) {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      cause = error; // the next place may have it
    }
  }
  throw new Fault('configuration', `cannot read the genesis file ${files.join(' nor ')}`, cause);
}
