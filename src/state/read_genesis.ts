import type { Json } from '../codec/json.ts';
import { Refusal } from '../base/refusal.ts';
import { inMember, mismatch } from '../codec/decode_error.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import type { Profile } from '../values/profile.ts';
import { NULL_KEY } from '../values/public_key.ts';
import { genesisForkPoint, genesisFile, type Genesis } from './genesis_file.ts';
import { genesisMembers } from './genesis_members.ts';
import { planProblem } from './hardfork_plan.ts';
import { getRules, type RuleSet } from './rules/index.ts';
import { requireSound } from './sound_genesis.ts';

/** The rule set named by a genesis, or the profile's. */
export function chooseRuleSet({ rules }: Pick<Genesis, 'rules'>, profile: Profile): RuleSet {
  return rules === 'interface' || rules === 'lineage' ? rules : profile.rules;
}

/** The encoding of a genesis file of that profile. */
export function genesisEncoding(profile: Profile): EncodingOptions {
  return { ...profile, dialect: profile.rules === 'lineage' ? 'legacy' : 'default', operationForm: 'pair' };
}

/** Reads the JSON of a genesis file. Refuses values that no chain could run with, and names the member. */
export function readGenesis(json: Json, profile: Profile): Genesis {
  const genesis = genesisFile.fromJson(json, genesisEncoding(profile));
  if (genesis.symbol !== profile.coinSymbol)
    inMember('symbol', () => mismatch(`${profile.coinSymbol}, the profile's own,`, genesis.symbol));
  if (!['', 'interface', 'lineage'].includes(genesis.rules))
    inMember('rules', () => mismatch('"interface" or "lineage"', genesis.rules));
  const ruleSet = chooseRuleSet(genesis, profile);
  requireSound(genesis, getRules(ruleSet));
  if (genesis.finality === true && ruleSet === 'lineage')
    refuseFinality('the rule set lineage has no votes that make blocks final');
  if (genesis.finality === true && genesisForkPoint(genesis) !== undefined)
    refuseFinality('votes name all blocks from 1 on, and the first block of a fork has another number');
  requirePlan(genesis, ruleSet);
  const initial_public_key =
    genesis.initial_public_key === NULL_KEY ? profile.initialSigningKey : genesis.initial_public_key;
  return { ...genesis, initial_public_key };
}

/** A chain of the lineage follows the votes in its blocks. */
function requirePlan(genesis: Genesis, ruleSet: RuleSet): void {
  const { hardfork_blocks: plan, genesis_time } = genesis;
  const fork = genesisForkPoint(genesis);
  const beginning = { block: (fork?.block_number ?? 0) + 1, time: fork === undefined ? genesis_time : undefined };
  const problem =
    ruleSet === 'lineage' && plan.length > 0
      ? 'under the rule set lineage hardforks follow the votes in blocks; leave the member out'
      : planProblem(plan, beginning);
  if (problem !== undefined) throw new Refusal('bad_genesis', `hardfork_blocks: ${problem}`);
}

/** Returns whether votes with certificates make the blocks of a chain final. */
export function hasFinality(genesis: Genesis, ruleSet: RuleSet): boolean {
  if (ruleSet === 'lineage' || genesisForkPoint(genesis) !== undefined) return false;
  return genesis.finality ?? genesisMembers.finality.unsaid;
}

function refuseFinality(why: string): never {
  throw new Refusal('bad_genesis', `finality: ${why}; leave the member out, or set it to false`);
}
