import { readFileSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import { parsePublicKey, type PublicKey } from '../values/public_key.ts';
import { lineOfRefusal } from './genesis_place.ts';
import { readParameters, profileNamed, type ChainSettings } from './chain_settings.ts';
import { whyItFailed } from '../system/system_error.ts';

/** The chain as the settings name it. Keys are public keys, as text. */
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
  const key =
    initialSigningKey === undefined ? undefined : requireKey('initial-signing-key', initialSigningKey, profile);
  const { name } = profileNamed(profile);
  const { file, text: genesisText } = firstText(genesisFiles);
  const settings = { profileName: name, genesisText, initialSigningKey: key };
  requireGenesis(file, settings);
  return settings;
}

/**
 * The private net of that key. Its genesis is built in unless there is a file, in which case the mining key only marks
 * the net as private, as in the lineage (wire_format.md#genesis-and-chain-id).
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

/** Here, where the name of the file is known. */
function requireGenesis(file: string, settings: ChainSettings): void {
  try {
    readParameters(settings);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const line = lineOfRefusal(settings.genesisText ?? '', error.cause);
    const why = error.cause instanceof Refusal ? error.cause.message : error.message;
    const where = line === undefined ? '' : `line ${line}, `;
    throw new Fault(
      error.code,
      `${file} is no genesis of this program: ${where}${why}; put it back from a copy, or name another`,
      error,
    );
  }
}

function firstText(files: readonly string[]): { readonly file: string; readonly text: string } {
  let cause: unknown;
  for (const file of files) {
    try {
      return { file, text: readFileSync(file, 'utf8') };
    } catch (error) {
      cause = error; // try the next file
    }
  }
  throw new Fault('configuration', `cannot read the genesis file ${files.join(' nor ')}: ${whyItFailed(cause)}`, cause);
}
