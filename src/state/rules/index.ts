/**
 * Where the two rule sets differ: each rule once, with its two values (precedence.md, "Rules of the chain"). The genesis
 * says which set a chain follows, so the chain id commits to it.
 */
const rules = {
  /** A voting proxy leaves the account's own votes stored, and clearing it makes them count again. */
  proxy_keeps_votes: { interface: true, lineage: false },
  /** Liquid coins strengthen a vote as vesting shares do. */
  balance_votes: { interface: false, lineage: true },
  /** Stopping a witness deletes its record and the votes for it, instead of clearing its key. */
  witness_stop_deletes: { interface: true, lineage: false },
  /** The only witness of the running round that can sign may not give up its key: no block would follow any more. */
  round_keeps_a_producer: { interface: true, lineage: false },
  /** How long an account must have been inactive before its reset account may act, in seconds. */
  reset_inactivity_seconds: { interface: 60 * 86_400, lineage: 0 },
  /** Only witnesses of the running round may publish prices. */
  feeds_of_round_only: { interface: true, lineage: false },
  /** What an account vested stays for the chain's `minimum_vesting_seconds`. */
  minimum_vesting: { interface: true, lineage: false },
  /** A withdrawal of a negative amount is accepted. */
  negative_withdrawals: { interface: false, lineage: true },
  /** What is sent to `none` counts as burned, which keeps the sum of all coins. */
  null_account_burns: { interface: true, lineage: false },
  /** What an empty custom payload costs, in base fees: the lineage's length wraps around. */
  empty_payload_base_fees: { interface: 1n, lineage: 1_048_576n },
  /** Authorities may name accounts with generated names. */
  generated_names_in_authorities: { interface: true, lineage: false },
  /** Every signature has one form and those of a transaction one order: nobody else can make another block or transaction of one. */
  one_signature_form: { interface: true, lineage: false },
  /** How many different accounts one check of authorities may look into, those included whose authority is asked for. */
  authority_visits: { interface: 125, lineage: Infinity },
  /** The key index follows genesis, deletion, reset and recovery. */
  complete_key_index: { interface: true, lineage: false },
  /** The key index says who has the null key, which is no point of the curve and nobody's. */
  null_key_listed: { interface: false, lineage: true },
  /** The sequence number of an account's first history entry. */
  first_history_sequence: { interface: 0, lineage: 1 },
  /** What comes in earns interest for exactly the blocks that it is held: 1 to 2 400 until the account's next turn, never 0. */
  exact_interest_turns: { interface: true, lineage: false },
  /** Holdings above all coins of the period count as all of them; else as nothing. Neither refuses the block. */
  excess_holdings_count: { interface: true, lineage: false },
  /** Interest never takes more out of the pool of fees than there is. */
  interest_within_fee_pool: { interface: true, lineage: false },
  /** Interest is reckoned from the supply of the genesis itself, whose percentages sum up and whose pools lose no unit. */
  sound_economy: { interface: true, lineage: false },
  /** All of the promotion pool may be taken once the coinbase years are over. */
  promotion_pool_opens: { interface: true, lineage: false },
  /** A sponsor that can't pay is passed over, and nobody pays more than the required fee without having signed. */
  fees_need_consent: { interface: true, lineage: false },
  /** A block is final once enough of the round have built on it, from the genesis' `confirmations_from_block` on. */
  early_confirmations: { interface: true, lineage: false },
  /** A vote that stands already, or taking back one that doesn't, is accepted and changes nothing. */
  idempotent_votes: { interface: true, lineage: false },
  /** Without the property `key` witness_set_properties needs the owner's active authority instead of the signing key's. */
  properties_by_owner: { interface: true, lineage: false },
  /** The genesis says in how many instalments, and how far apart, vesting shares are withdrawn. */
  genesis_sets_withdrawals: { interface: true, lineage: false },
  /** Vesting shares are protected against dilution, by the genesis' `dilution_protection_percent`. */
  dilution_protection: { interface: true, lineage: false },
  /** How much of each kind of what has become due a block works off; the rest is left to the next ones. */
  due_per_block: { interface: 100, lineage: Infinity },
  /** A transaction, and what a block pays out, moves and changes only so much beyond the rows that it names (state/consequences.ts). */
  bounded_consequences: { interface: true, lineage: false },
} as const;

export type RuleSet = 'interface' | 'lineage';

type Widened<T> = T extends boolean ? boolean : T extends bigint ? bigint : number;

/** The values of all rules in one set. */
export type Rules = { readonly [K in keyof typeof rules]: Widened<(typeof rules)[K]['interface']> };

/** Every rule at the value that the set gives it. */
export function rulesOf(set: RuleSet): Rules;
export function rulesOf(set: RuleSet): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(rules).map(([name, values]) => [name, values[set]]));
}
