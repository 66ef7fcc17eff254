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
  /** Vesting shares stay for the chain's `minimum_vesting_seconds` after the latest vesting. */
  minimum_vesting: { interface: true, lineage: false },
  /** A withdrawal of a negative amount is accepted. */
  negative_withdrawals: { interface: false, lineage: true },
  /** What is sent to `none` counts as burned, which keeps the sum of all coins. */
  null_account_burns: { interface: true, lineage: false },
  /** What an empty custom payload costs, in base fees: the original's length wraps around. */
  empty_payload_base_fees: { interface: 1n, lineage: 1_048_576n },
  /** Authorities may name accounts with generated names. */
  generated_names_in_authorities: { interface: true, lineage: false },
  /** Signatures have r and s in range and s in the lower half; the original compares with a byte-reversed bound. */
  strict_signatures: { interface: true, lineage: false },
  /** The key index follows genesis, deletion, reset and recovery. */
  complete_key_index: { interface: true, lineage: false },
  /** The sequence number of an account's first history entry. */
  first_history_sequence: { interface: 0, lineage: 1 },
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
