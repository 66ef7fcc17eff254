import type { ChainParameters } from '../../src/state/parameters.ts';
import { accounts, type Account } from '../../src/state/tables/account.ts';
import { accountAuthorities } from '../../src/state/tables/account_authority.ts';
import { accountFeeSponsors } from '../../src/state/tables/account_fee_sponsor.ts';
import { accountHistories } from '../../src/state/tables/account_history.ts';
import { keyLookups } from '../../src/state/tables/key_lookup.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { witnessVotes } from '../../src/state/tables/witness_vote.ts';
import type { CommittedRows } from '../../src/storage/rows.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';

const ALL = { limit: 1_000_000 } as const;
const REACH = 4; // how many steps a vote travels from proxy to proxy

/** Recomputes from scratch what the chain updates incrementally; returns each difference as a sentence. */
export function naiveDifferences(rows: CommittedRows, parameters: ChainParameters): string[] {
  return [
    ...voteDifferences(rows, parameters),
    ...counterDifferences(rows),
    ...keyDifferences(rows, parameters),
    ...historyGaps(rows, parameters),
  ];
}

/** Each account's weight follows the proxies to the account that votes, and counts for its witnesses. */
function voteDifferences(rows: CommittedRows, { rules }: ChainParameters): string[] {
  const all = new Map(rows.rows(accounts, ALL).map((account) => [account.name, account]));
  const votes = rows.rows(witnessVotes, ALL);
  const counted = new Map(rows.rows(witnesses, ALL).map(({ owner }) => [owner, 0n]));
  for (const account of all.values()) {
    const voter = effectiveVoter(all, account);
    if (voter === undefined) continue;
    const weight = account.vesting_shares + (rules.balance_votes ? account.balance : 0n);
    for (const vote of votes)
      if (vote.account === voter.name) counted.set(vote.witness, (counted.get(vote.witness) ?? 0n) + weight);
  }
  return rows
    .rows(witnesses, ALL)
    .flatMap(({ owner, votes: kept }) => differing(`votes for ${owner}`, kept, counted.get(owner)));
}

function effectiveVoter(all: ReadonlyMap<string, Account>, account: Account): Account | undefined {
  let at: Account | undefined = account;
  for (let step = 0; at !== undefined && at.proxy !== ''; step++) {
    if (step === REACH) return undefined;
    at = all.get(at.proxy);
  }
  return at;
}

function counterDifferences(rows: CommittedRows): string[] {
  const votes = countNames(rows.rows(witnessVotes, ALL), ({ account }) => account);
  const sponsored = countNames(rows.rows(accountFeeSponsors, ALL), ({ sponsor }) => sponsor);
  return rows
    .rows(accounts, ALL)
    .flatMap(({ name, witnesses_voted_for, sponsoring }) =>
      differing(`votes of ${name}`, witnesses_voted_for, votes.get(name) ?? 0).concat(
        differing(`sponsored by ${name}`, sponsoring, sponsored.get(name) ?? 0),
      ),
    );
}

/**
 * Under the rule set `interface` the key index holds exactly the keys of all owner and active authorities except the
 * null key.
 */
function keyDifferences(rows: CommittedRows, { rules }: ChainParameters): string[] {
  if (!rules.complete_key_index) return [];
  const kept = rows.rows(keyLookups, ALL).map(({ key, account }) => `${key} ${account}`);
  const there = rows
    .rows(accountAuthorities, ALL)
    .flatMap(({ account, owner, active }) =>
      [...owner.key_auths, ...active.key_auths].map(([key]) => ({ key, account })),
    )
    .filter(({ key }) => key !== NULL_KEY)
    .map(({ key, account }) => `${key} ${account}`);
  return differing('key index', kept.sort().join(), [...new Set(there)].sort().join());
}

/** The entries of each history are numbered without a gap. */
function historyGaps(rows: CommittedRows, { rules }: ChainParameters): string[] {
  const next = new Map<string, number>();
  return rows.rows(accountHistories, ALL).flatMap(({ account, first_sequence, entries }) => {
    const expected = next.get(account) ?? rules.first_history_sequence;
    next.set(account, first_sequence + entries.length);
    return differing(`history of ${account}`, first_sequence, expected);
  });
}

function countNames<T>(items: readonly T[], nameOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  return counts;
}

function differing<T>(what: string, kept: T, reckoned: T): string[] {
  return kept === reckoned ? [] : [`${what}: ${String(kept)}, reckoned ${String(reckoned)}`];
}
