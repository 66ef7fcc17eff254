import { present } from '../base/assert.ts';
import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import { makeOrigin, privateNetOrigin, type ChainOrigin } from '../chain/chain_origin.ts';
import { chainParameters, type ChainParameters } from '../state/parameters.ts';
import { profiles, type Profile } from '../values/profile.ts';
import { nearest } from '../base/nearest.ts';

/** The profile of that name; otherwise Fault `configuration` that lists the known ones. */
export function profileNamed(name: string): Profile {
  const profile = profiles[name];
  if (profile !== undefined) return profile;
  throw new Fault(
    'configuration',
    `unknown profile "${name}"; the nearest known profile is "${nearest(name, Object.keys(profiles))}"`,
  );
}

/** The origin of the chain (rpc_conventions.md#the-chain-of-a-node): a genesis file, made a private net by a key, or that key alone. */
function readOrigin({ genesisText, privateNetKey }: ChainSettings, profile: Profile): ChainOrigin {
  if (genesisText === undefined) return privateNetOrigin(profile, present(privateNetKey, 'a genesis or a key'));
  const origin = makeOrigin(Buffer.from(genesisText), profile);
  return privateNetKey === undefined ? origin : { ...origin, genesis: { ...origin.genesis, is_private_net: true } };
}

/** The parameters of the chain that the settings name. Each thread derives its own; throws Fault `configuration`. */
export function readParameters(settings: ChainSettings): ChainParameters {
  const profile = profileNamed(settings.profileName);
  try {
    const { genesis, chainId } = readOrigin(settings, profile);
    return chainParameters(profile, genesis, chainId, settings.initialSigningKey);
  } catch (error) {
    if (error instanceof Refusal) throw new Fault('configuration', `the genesis file: ${error.message}`, error);
    throw error;
  }
}

/** The settings that every thread of a node is started with: they identify the chain, and contain no handles. */
export interface ChainSettings {
  readonly profileName: string;
  /**
   * The exact text of the genesis file; its sha256 is the chain id. Undefined for the private net of a key, whose
   * genesis is built in.
   */
  readonly genesisText: string | undefined;
  /** Overrides the first witness's initial signing key, 66 hex digits. */
  readonly initialSigningKey: string | undefined;
  /** Makes the chain a private net; without a genesis file the first account has this key, 66 hex digits. */
  readonly privateNetKey?: string;
}
