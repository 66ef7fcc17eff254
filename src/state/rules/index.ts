import type { RowReader } from '../../storage/rows.ts';
import { hardforks, hasHardfork, type Hardfork } from '../hardforks.ts';

/**
 * The differences between the two rule sets: each rule once, with its two values (chain_rules.md#rule-sets).
 * The genesis names the set that a chain follows, so the chain id commits to it.
 */
const rules = {
  /** Setting a voting proxy keeps the account's own votes stored; clearing the proxy makes them count again. */
  proxy_keeps_votes: { interface: true, lineage: false },
  /** Liquid coins count in votes as vesting shares do. */
  balance_votes: { interface: false, lineage: true },
  /** Stopping a witness deletes its record and the votes for it, instead of clearing its key. */
  witness_stop_deletes: { interface: true, lineage: false },
  /**
   * The only witness of the current round that can sign may not give up its key, because no more blocks would follow.
   */
  round_keeps_a_producer: { interface: true, lineage: false },
  /** The inactive time after which the reset account of an account may act, in seconds. */
  reset_inactivity_seconds: { interface: 60 * 86_400, lineage: 0 },
  /** Only witnesses of the current round may publish prices. */
  feeds_of_round_only: { interface: true, lineage: false },
  /** Vested shares are locked for the chain's `minimum_vesting_seconds`. */
  minimum_vesting: { interface: true, lineage: false },
  /** A withdrawal of a negative amount is accepted. */
  negative_withdrawals: { interface: false, lineage: true },
  /** Coins sent to `none` count as burned, which preserves the sum of all coins. */
  null_account_burns: { interface: true, lineage: false },
  /** The cost of an empty custom payload, in base fees: the lineage's length calculation wraps around. */
  empty_payload_base_fees: { interface: 1n, lineage: 1_048_576n },
  /** Authorities may name accounts with generated names. */
  generated_names_in_authorities: { interface: true, lineage: false },
  /**
   * A name seed, the name of a witness property and the URL of an appointed witness may be no valid UTF-8, though JSON
   * has no such texts.
   */
  texts_of_any_bytes: { interface: false, lineage: true },
  /** A name of an application that would not come back unchanged is narrowed to one that does, instead of refused. */
  application_names_narrowed: { interface: false, lineage: true },
  /**
   * Each signature has one form, and those of a transaction one order, so that third parties can't alter blocks or
   * transactions.
   */
  one_signature_form: { interface: true, lineage: false },
  /**
   * The number of distinct accounts that one authority check may visit, including those whose authority is required.
   */
  authority_visits: { interface: 125, lineage: Infinity },
  /** Genesis, deletion, reset and recovery of accounts update the index of keys, too. */
  complete_key_index: { interface: true, lineage: false },
  /** The key index lists the null key, which is not a point on the curve and belongs to no one. */
  null_key_listed: { interface: false, lineage: true },
  /** The sequence number of an account's first history entry. */
  first_history_sequence: { interface: 0, lineage: 1 },
  /**
   * Incoming coins earn interest for exactly the blocks that they are held: 1 to 2 400 until the account's next turn,
   * never 0.
   */
  exact_interest_turns: { interface: true, lineage: false },
  /**
   * Holdings above the total coins of the period count as that total; otherwise as nothing. Neither makes the block
   * invalid.
   */
  excess_holdings_count: { interface: true, lineage: false },
  /** Interest never takes more out of the fee pool than it contains. */
  interest_within_fee_pool: { interface: true, lineage: false },
  /** Interest is calculated from the genesis's own supply; its percentages must add up, and its pools lose no unit. */
  sound_economy: { interface: true, lineage: false },
  /** The whole promotion pool is available once the coinbase years are over. */
  promotion_pool_opens: { interface: true, lineage: false },
  /** A sponsor that can't pay is skipped, and no one is charged more than the required fee without having signed. */
  fees_need_consent: { interface: true, lineage: false },
  /**
   * A block is irreversible once enough witnesses of the round have built on it, from the genesis's
   * `confirmations_from_block` on.
   */
  early_confirmations: { interface: true, lineage: false },
  /** Casting a vote that already exists, or withdrawing one that does not, is accepted and changes nothing. */
  idempotent_votes: { interface: true, lineage: false },
  /**
   * Without the property `key`, witness_set_properties requires the owner's active authority instead of the signing
   * key's.
   */
  properties_by_owner: { interface: true, lineage: false },
  /** The genesis sets the number and interval of instalments in which vesting shares are withdrawn. */
  genesis_sets_withdrawals: { interface: true, lineage: false },
  /** An instalment of a withdrawal is rounded up, so that there are never more instalments than stated. */
  instalments_round_up: { interface: true, lineage: false },
  /** Vesting shares are protected against dilution, according to the genesis's `dilution_protection_percent`. */
  dilution_protection: { interface: true, lineage: false },
  /** The number of due items of each kind that a block processes; the rest is left to the next blocks. */
  due_per_block: { interface: 100, lineage: Infinity },
  /**
   * Limits what a transaction, or a block's own payments, may change beyond the rows that are named
   * (state/consequences.ts).
   */
  bounded_consequences: { interface: true, lineage: false },
} as const;

export type RuleSet = 'interface' | 'lineage';

/** A rule that begins with a hardfork: until a chain has applied it, both sets have the value `before`. */
export interface HardforkRule<V = boolean> extends Readonly<Record<RuleSet, V>> {
  readonly since: Hardfork;
  readonly before: V;
}

/**
 * The rules that begin with a hardfork. Their values depend on the state, so only code that has the rows can read them
 * (`currentRule`): what checks transactions without a state can't disagree with the chain.
 */
export const hardforkRules = {
  /** Liquid coins that an account gets as interest count in votes at once. */
  interest_changes_votes: { since: hardforks.interestVotes, before: false, interface: false, lineage: true },
  /** A name seed has a largest length. */
  bounded_name_seeds: { since: hardforks.interestVotes, before: false, interface: true, lineage: true },
  /** The genesis sets the day on which witnesses need more vesting shares; before, it is the 96th. */
  genesis_sets_vesting_increase: { since: hardforks.interestVotes, before: false, interface: true, lineage: true },
  /** Operations without a fee are limited in number and bytes, for each account. */
  bounded_free_use: { since: hardforks.bandwidth, before: false, interface: true, lineage: true },
} as const satisfies Readonly<Record<string, HardforkRule<boolean | number | bigint>>>;

/** The value that a rule has at the rows' head, on a chain of that set. */
export function currentRule<V>(rows: RowReader, ruleSet: RuleSet, rule: HardforkRule<V>): V {
  const value = rule[ruleSet];
  return value === rule.before || hasHardfork(rows, rule.since) ? value : rule.before;
}

type Widened<T> = T extends boolean ? boolean : T extends bigint ? bigint : number;

/** The values of all rules in one set. */
export type Rules = { readonly [K in keyof typeof rules]: Widened<(typeof rules)[K]['interface']> };

/** Every rule with its value in the given set. */
export function getRules(set: RuleSet): Rules;
export function getRules(set: RuleSet): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(rules).map(([name, values]) => [name, values[set]]));
}
