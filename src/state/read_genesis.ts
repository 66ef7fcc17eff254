import type { Json } from '../codec/json.ts';
import { mismatch } from '../codec/decode_error.ts';
import type { Notation } from '../codec/notation.ts';
import type { Profile } from '../values/profile.ts';
import { NULL_KEY } from '../values/public_key.ts';
import { genesisFile, type Genesis } from './genesis_file.ts';
import { rulesOf, type RuleSet } from './rules/index.ts';
import { requireSound } from './sound_genesis.ts';

/** The rule set named by a genesis, or the profile's. */
export function ruleSetOf({ rules }: Pick<Genesis, 'rules'>, profile: Profile): RuleSet {
  return rules === 'interface' || rules === 'lineage' ? rules : profile.rules;
}

/** How a genesis file of that profile is written. */
export function genesisNotation(profile: Profile): Notation {
  return { ...profile, dialect: profile.rules === 'lineage' ? 'legacy' : 'default', operationForm: 'pair' };
}

/** Reads the JSON of a genesis file. Refuses values that no chain could run with, and names the member. */
export function readGenesis(json: Json, profile: Profile): Genesis {
  const genesis = genesisFile.fromJson(json, genesisNotation(profile));
  if (genesis.symbol !== profile.coinSymbol) mismatch(`symbol ${profile.coinSymbol}, the profile's own`, genesis.symbol);
  if (!['', 'interface', 'lineage'].includes(genesis.rules)) mismatch('rules "interface" or "lineage"', genesis.rules);
  requireSound(genesis, rulesOf(ruleSetOf(genesis, profile)));
  const initial_public_key = genesis.initial_public_key === NULL_KEY ? profile.initialSigningKey : genesis.initial_public_key;
  return { ...genesis, initial_public_key };
}
