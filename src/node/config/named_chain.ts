import { readFileSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { parsePublicKey, type PublicKey } from '../../values/public_key.ts';
import { profileNamed } from '../chain_settings.ts';
import { whyItFailed } from '../system_error.ts';
import type { ChainSettings } from '../threads/messages.ts';

/** How the settings name the chain. Keys are public keys, as text. */
export interface NamedChain {
  readonly profile: string;
  /** Possible paths of the genesis file; the first that can be read is used. */
  readonly genesisFiles: readonly string[];
  /** The key that signs the first witness's blocks, in place of the profile's or the genesis's. */
  readonly initialSigningKey: string | undefined;
}

/** A private net. */
export interface NamedPrivateNet extends NamedChain {
  readonly miningKey: string;
  readonly accountKey: string | undefined;
}

/** The chain of that profile, genesis file and key. Throws Fault `configuration` that says which of them is wrong. */
export function chainNamed({ profile, genesisFiles, initialSigningKey }: NamedChain): ChainSettings {
  const key = initialSigningKey === undefined ? undefined : requireKey('initial-signing-key', initialSigningKey, profile);
  return { profileName: profile, genesisText: firstText(genesisFiles), initialSigningKey: key };
}

/**
 * The private net of that key. Its genesis is built in unless there is a file, in which case the mining key only marks the net as
 * private, as in the lineage (wire.md 13.2).
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
      cause = error; // try the next file
    }
  }
  throw new Fault('configuration', `cannot read the genesis file ${files.join(' nor ')}: ${whyItFailed(cause)}`, cause);
}
