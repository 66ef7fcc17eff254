import { readFileSync } from 'node:fs';
import { Fault } from '../../base/fault.ts';
import { parsePublicKey, type PublicKey } from '../../values/public_key.ts';
import { profileNamed } from '../chain_settings.ts';
import type { ChainSettings } from '../threads/messages.ts';

/** How the chain is named by whoever starts the program. */
export interface NamedChain {
  readonly profile: string;
  /** Where the genesis may lie; the first file that can be read counts. */
  readonly genesisFiles: readonly string[];
  /** A public key as text; the profile's or the genesis's when left out. */
  readonly initialSigningKey: string | undefined;
}

/** The chain of that profile, genesis file and key. Fault `configuration` that says which of them does not fit. */
export function chainNamed({ profile, genesisFiles, initialSigningKey }: NamedChain): ChainSettings {
  const key = keyIn(initialSigningKey, profileNamed(profile).keyPrefix);
  return { profileName: profile, genesisText: firstText(genesisFiles), initialSigningKey: key };
}

function keyIn(text: string | undefined, keyPrefix: string): PublicKey | undefined {
  if (text === undefined) return undefined;
  const key = parsePublicKey(text, keyPrefix);
  if (key === undefined) throw new Fault('configuration', `initial-signing-key: not a public key with prefix ${keyPrefix}`);
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
