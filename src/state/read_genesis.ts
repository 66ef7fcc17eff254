import type { Json } from '../codec/json.ts';
import { mismatch } from '../codec/decode_error.ts';
import type { Profile } from '../values/profile.ts';
import { NULL_KEY } from '../values/public_key.ts';
import { genesisFile, type Genesis } from './genesis_file.ts';
import { rulesOf, type RuleSet } from './rules/index.ts';
import { requireSound } from './sound_genesis.ts';

/** The rule set named by a genesis, or the profile's. */
export function ruleSetOf({ rules }: Pick<Genesis, 'rules'>, profile: Profile): RuleSet {
  return rules === 'interface' || rules === 'lineage' ? rules : profile.rules;
}

/** Reads the JSON of a genesis file. Refuses values that no chain could run with, and names the member. */
export function readGenesis(json: Json, profile: Profile): Genesis {
  const dialect = profile.rules === 'lineage' ? 'legacy' : 'default';
  const genesis = genesisFile.fromJson(json, { ...profile, dialect, operationForm: 'pair' });
  if (genesis.symbol !== profile.coinSymbol) mismatch(`symbol ${profile.coinSymbol}, the profile's own`, genesis.symbol);
  if (!['', 'interface', 'lineage'].includes(genesis.rules)) mismatch('rules "interface" or "lineage"', genesis.rules);
  requireSound(genesis, rulesOf(ruleSetOf(genesis, profile)));
  const initial_public_key = genesis.initial_public_key === NULL_KEY ? profile.initialSigningKey : genesis.initial_public_key;
  return { ...genesis, initial_public_key };
}
