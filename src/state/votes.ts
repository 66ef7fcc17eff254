import { assert } from '../base/assert.ts';
import { replacing } from '../codec/struct.ts';
import type { AccountName } from '../values/account_name.ts';
import { checkedInt64 } from '../values/asset.ts';
import { MAX_ACCOUNT_VOTES, UINT128_MAX } from '../values/limits.ts';
import type { ChainState } from './chain_state.ts';
import { requireAccount, requireRow } from './lookups.ts';
import { MAX_PROXY_RECURSION_DEPTH } from './parameters.ts';
import { isStanding } from './stopped_witnesses.ts';
import { accounts, type Account } from './tables/account.ts';
import { stoppedWitnesses } from './tables/stopped_witness.ts';
import { witnesses, witnessRow } from './tables/witness.ts';
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
export function votesOf({ rows, consequences }: ChainState, account: AccountName): WitnessVote[] {
  const votes = rows.range(witnessVotes.by_account_witness, { from: [account], to: [account], limit: MAX_ACCOUNT_VOTES });
  consequences.countVotes(votes.length);
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
  const chosen = state.consequences.chosenBy(account.name, () => chosenBy(state, account.name));
  for (const witness of chosen) adjustWitnessVotes(state, witness, delta);
}

/** For whom an account votes. Where no vote waits to be removed, the keys of the votes say it. */
function chosenBy(state: ChainState, account: AccountName): AccountName[] {
  const { rows, consequences } = state;
  if (rows.first(stoppedWitnesses.by_id) !== undefined) return votesOf(state, account).map(({ witness }) => witness);
  const own: [AccountName] = [account];
  const votes = rows.keys(witnessVotes, witnessVotes.by_account_witness, { from: own, to: own, limit: MAX_ACCOUNT_VOTES });
  consequences.countVotes(votes.length);
  return votes.map(({ witness }) => witness);
}

/** Changes a witness's votes; `finishVotes` brings them into its row. */
export function adjustWitnessVotes({ rows, consequences }: ChainState, owner: AccountName, delta: bigint): void {
  const before = consequences.votesOf(owner) ?? requireRow(rows, witnesses, owner, owner).votes;
  const votes = checkedInt64(before + delta);
  assert(votes !== -1n, 'a witness has votes to move with');
  consequences.setVotes(owner, votes);
}

const withVotes = replacing(witnessRow, ['votes', 'virtual_position', 'virtual_last_update', 'virtual_scheduled_time']);

/**
 * Moves all witnesses whose votes have changed in virtual time, which has stood still since; all 128-bit arithmetic wraps (chain.md
 * 9.5). The lineage moves them at each change, and comes to the same: a second change at the same time finds nothing travelled.
 */
export function finishVotes({ rows, consequences }: ChainState): void {
  if (!consequences.isUnfinished) return;
  const now = rows.only(witnessSchedule).current_virtual_time;
  for (const [owner, votes] of consequences.takeVotes()) {
    const witness = requireRow(rows, witnesses, owner, owner);
    const travelled = BigInt.asUintN(128, witness.votes * (now - witness.virtual_last_update));
    const virtual_position = BigInt.asUintN(128, witness.virtual_position + travelled);
    const arrival = BigInt.asUintN(128, now + lapsUntil(virtual_position, votes));
    const virtual_scheduled_time = arrival < now ? UINT128_MAX : arrival;
    rows.put(witnesses, withVotes(witness, { votes, virtual_position, virtual_last_update: now, virtual_scheduled_time }));
  }
}

/** How long a witness at `position` needs to the end of its lap. */
function lapsUntil(position: bigint, votes: bigint): bigint {
  return (UINT128_MAX - position) / BigInt.asUintN(128, votes + 1n);
}
