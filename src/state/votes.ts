import { assert } from '../base/assert.ts';
import { replacing } from '../codec/struct.ts';
import type { AccountName } from '../values/account_name.ts';
import { checkedInt64 } from '../values/asset.ts';
import { MAX_ACCOUNT_VOTES, UINT128_MAX } from '../values/limits.ts';
import type { ChainState } from './chain_state.ts';
import { requireAccount, requireRow } from './lookups.ts';
import { MAX_PROXY_RECURSION_DEPTH } from './parameters.ts';
import { isInForce } from './stopped_witnesses.ts';
import { accounts, type Account } from './tables/account.ts';
import { stoppedWitnesses } from './tables/stopped_witness.ts';
import { witnesses, witnessRow } from './tables/witness.ts';
import { witnessSchedule } from './tables/witness_schedule.ts';
import { witnessVotes, type WitnessVote } from './tables/witness_vote.ts';

/** The voting weight of an account's own holdings: VESTS, and in rule set `lineage` COIN as well. */
export function ownVoteWeight(state: ChainState, account: Account): bigint {
  return state.parameters.rules.balance_votes ? account.balance + account.vesting_shares : account.vesting_shares;
}

/** The weight of the account's votes: its own weight plus what others have proxied to it. */
export function voteWeight(state: ChainState, account: Account): bigint {
  return account.proxied_vsf_votes.reduce((sum, votes) => sum + votes, ownVoteWeight(state, account));
}

/** All valid votes of an account, by witness name. */
export function accountVotes({ rows, consequences }: ChainState, account: AccountName): WitnessVote[] {
  const votes = rows.range(witnessVotes.by_account_witness, {
    from: [account],
    to: [account],
    limit: MAX_ACCOUNT_VOTES,
  });
  consequences.countVotes(votes.length);
  return votes.filter((vote) => isInForce(rows, vote));
}

/**
 * Propagates a change of an account's weight: up its chain of proxies, or to the witnesses that it votes for
 * (chain_rules.md#votes). Also a change of 0, because it updates their virtual time.
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

/** The same for weights from several depths: `deltas[0]` is the account's own, the others are proxied to it. */
export function adjustProxiedVoteVector(
  state: ChainState,
  name: AccountName,
  deltas: readonly bigint[],
  depth = 0,
): void {
  const account = requireAccount(state.rows, name);
  const reach = MAX_PROXY_RECURSION_DEPTH - depth;
  if (account.proxy === '') {
    const total = deltas.slice(0, reach + 1).reduce((sum, delta) => sum + delta, 0n);
    adjustVotedWitnesses(state, account, total);
    return;
  }
  if (reach <= 0) return;
  const proxy = requireAccount(state.rows, account.proxy);
  const proxied = deltas
    .slice(0, reach)
    .reduce((votes, delta, index) => withAdded(votes, index + depth, delta), proxy.proxied_vsf_votes);
  state.rows.put(accounts, { ...proxy, proxied_vsf_votes: proxied });
  adjustProxiedVoteVector(state, account.proxy, deltas, depth + 1);
}

function withAdded(votes: readonly bigint[], index: number, delta: bigint): readonly bigint[] {
  return votes.map((sum, at) => (at === index ? checkedInt64(sum + delta) : sum));
}

function adjustVotedWitnesses(state: ChainState, account: Account, delta: bigint): void {
  // Most accounts have no votes; their transfers must not look for any.
  if (account.witnesses_voted_for === 0) return;
  const chosen = state.consequences.chosenBy(account.name, () => chosenWitnesses(state, account.name));
  for (const witness of chosen) adjustWitnessVotes(state, witness, delta);
}

/** The witnesses that an account votes for. If no votes are waiting to be removed, the keys of the votes are enough. */
function chosenWitnesses(state: ChainState, account: AccountName): AccountName[] {
  const { rows, consequences } = state;
  if (rows.first(stoppedWitnesses.by_id) !== undefined)
    return accountVotes(state, account).map(({ witness }) => witness);
  const own: [AccountName] = [account];
  const votes = rows.keys(witnessVotes, witnessVotes.by_account_witness, {
    from: own,
    to: own,
    limit: MAX_ACCOUNT_VOTES,
  });
  consequences.countVotes(votes.length);
  return votes.map(({ witness }) => witness);
}

/** Changes a witness's votes; `finishVotes` writes them to its row. */
export function adjustWitnessVotes({ rows, consequences }: ChainState, owner: AccountName, delta: bigint): void {
  const before = consequences.votesOf(owner) ?? requireRow(rows, witnesses, owner, owner).votes;
  const votes = checkedInt64(before + delta);
  assert(votes !== -1n, 'a witness has votes to move with');
  consequences.setVotes(owner, votes);
}

const withVotes = replacing(witnessRow, ['votes', 'virtual_position', 'virtual_last_update', 'virtual_scheduled_time']);

/**
 * Updates the virtual time of all witnesses whose votes have changed; the schedule's virtual time has not advanced
 * meanwhile. All 128-bit arithmetic wraps (chain_rules.md#votes). The lineage updates at each change, with the same
 * result: a second change at the same virtual time finds no distance travelled.
 */
export function finishVotes({ rows, consequences }: ChainState): void {
  if (!consequences.isUnfinished) return;
  const now = rows.only(witnessSchedule).current_virtual_time;
  for (const [owner, votes] of consequences.takeVotes()) {
    const witness = requireRow(rows, witnesses, owner, owner);
    const travelled = BigInt.asUintN(128, witness.votes * (now - witness.virtual_last_update));
    const virtual_position = BigInt.asUintN(128, witness.virtual_position + travelled);
    const arrival = BigInt.asUintN(128, now + lapNumber(virtual_position, votes));
    const virtual_scheduled_time = arrival < now ? UINT128_MAX : arrival;
    rows.put(
      witnesses,
      withVotes(witness, { votes, virtual_position, virtual_last_update: now, virtual_scheduled_time }),
    );
  }
}

/** The virtual time that a witness at `position` needs to the end of its lap. */
function lapNumber(position: bigint, votes: bigint): bigint {
  return (UINT128_MAX - position) / BigInt.asUintN(128, votes + 1n);
}
