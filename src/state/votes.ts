import { assert } from '../base/assert.ts';
import type { AccountName } from '../values/account_name.ts';
import { checkedInt64 } from '../values/asset.ts';
import { MAX_ACCOUNT_VOTES, UINT128_MAX } from '../values/limits.ts';
import type { ChainState } from './chain_state.ts';
import { requireAccount, requireRow } from './lookups.ts';
import { MAX_PROXY_RECURSION_DEPTH } from './parameters.ts';
import { isStanding } from './stopped_witnesses.ts';
import { accounts, type Account } from './tables/account.ts';
import { witnesses } from './tables/witness.ts';
import { witnessSchedule } from './tables/witness_schedule.ts';
import { witnessVotes, type WitnessVote } from './tables/witness_vote.ts';

/** What an account's own holdings count in a vote: VESTS, and in rule set `lineage` COIN as well. */
export function ownVoteWeight(state: ChainState, account: Account): bigint {
  return state.parameters.rules.balance_votes ? account.balance + account.vesting_shares : account.vesting_shares;
}

/** What a vote of the account counts: its own weight and what others proxied to it. */
export function voteWeight(state: ChainState, account: Account): bigint {
  return account.proxied_vsf_votes.reduce((sum, votes) => sum + votes, ownVoteWeight(state, account));
}

/** All votes of an account that count, by witness name. */
export function votesOf({ rows }: ChainState, account: AccountName): WitnessVote[] {
  const votes = rows.range(witnessVotes.by_account_witness, { from: [account], to: [account], limit: MAX_ACCOUNT_VOTES });
  return votes.filter((vote) => isStanding(rows, vote));
}

/**
 * Passes a change of an account's weight on: up its chain of proxies, or to the witnesses that it votes for (chain.md 9.5). A change
 * of 0 too: it moves their virtual time.
 */
export function adjustProxiedVotes(state: ChainState, name: AccountName, delta: bigint, depth = 0): void {
  const account = requireAccount(state.rows, name);
  if (account.proxy === '') {
    adjustVotedWitnesses(state, account, delta);
    return;
  }
  if (depth >= MAX_PROXY_RECURSION_DEPTH) return;
  const proxy = requireAccount(state.rows, account.proxy);
  state.rows.put(accounts, { ...proxy, proxied_vsf_votes: withAdded(proxy.proxied_vsf_votes, depth, delta) });
  adjustProxiedVotes(state, account.proxy, delta, depth + 1);
}

/** The same for weights that came from several depths: `deltas[0]` is the account's own, the others what it passes on. */
export function adjustProxiedVoteVector(state: ChainState, name: AccountName, deltas: readonly bigint[], depth = 0): void {
  const account = requireAccount(state.rows, name);
  const reach = MAX_PROXY_RECURSION_DEPTH - depth;
  if (account.proxy === '') {
    const total = deltas.slice(0, reach + 1).reduce((sum, delta) => sum + delta, 0n);
    adjustVotedWitnesses(state, account, total);
    return;
  }
  if (reach <= 0) return;
  const proxy = requireAccount(state.rows, account.proxy);
  const proxied = deltas.slice(0, reach).reduce((votes, delta, index) => withAdded(votes, index + depth, delta), proxy.proxied_vsf_votes);
  state.rows.put(accounts, { ...proxy, proxied_vsf_votes: proxied });
  adjustProxiedVoteVector(state, account.proxy, deltas, depth + 1);
}

function withAdded(votes: readonly bigint[], index: number, delta: bigint): readonly bigint[] {
  return votes.map((sum, at) => (at === index ? checkedInt64(sum + delta) : sum));
}

function adjustVotedWitnesses(state: ChainState, account: Account, delta: bigint): void {
  // Most accounts vote for nobody; their transfers must not look for votes.
  if (account.witnesses_voted_for === 0) return;
  for (const vote of votesOf(state, account.name)) adjustWitnessVotes(state, vote.witness, delta);
}

/** Changes a witness's votes and moves it in virtual time accordingly; all 128-bit arithmetic wraps (chain.md 9.5). */
export function adjustWitnessVotes(state: ChainState, owner: AccountName, delta: bigint): void {
  const witness = requireRow(state.rows, witnesses, owner, owner);
  const now = state.rows.only(witnessSchedule).current_virtual_time;
  const travelled = BigInt.asUintN(128, witness.votes * (now - witness.virtual_last_update));
  const virtual_position = BigInt.asUintN(128, witness.virtual_position + travelled);
  const votes = checkedInt64(witness.votes + delta);
  const arrival = BigInt.asUintN(128, now + lapsUntil(virtual_position, votes));
  const virtual_scheduled_time = arrival < now ? UINT128_MAX : arrival;
  state.rows.put(witnesses, { ...witness, votes, virtual_position, virtual_last_update: now, virtual_scheduled_time });
}

/** How long a witness at `position` needs to the end of its lap. */
function lapsUntil(position: bigint, votes: bigint): bigint {
  const speed = BigInt.asUintN(128, votes + 1n);
  assert(speed !== 0n, 'a witness has votes to move with');
  return (UINT128_MAX - position) / speed;
}
