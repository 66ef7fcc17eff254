import { byName } from './names.ts';
import type { Account } from './records.ts';
import { known } from './refusal.ts';
import type { State } from './state.ts';
import { LAP, u128 } from './values.ts';

// chain_rules.md#votes: the weight of votes, and how changes of it reach the witnesses.

const DEEPEST_PROXY = 4;

/** Returns an account's own voting stake, without the part that others lend it. */
export function accountStake(state: State, { balance, vesting }: Account): bigint {
  return state.rules.votesAreVestingShares ? vesting : balance + vesting;
}

export function voteWeight(state: State, name: string): bigint {
  const account = state.account(name);
  return account.proxied.reduce((sum, part) => sum + part, accountStake(state, account));
}

/** The witnesses that an account votes for, in the order of names. */
export function votedWitnesses(state: State, name: string): string[] {
  return [...state.votes.values()]
    .filter(({ account }) => account === name)
    .map(({ witness }) => witness)
    .sort(byName);
}

/** A change of an account's weight, handed on to its proxy or its witnesses. There is no exception for 0. */
export function propagate(state: State, name: string, delta: bigint, depth = 0): void {
  const { proxy } = state.account(name);
  if (proxy === '') {
    adjustVotedWitnesses(state, name, delta);
    return;
  }
  if (depth >= DEEPEST_PROXY) return;
  addProxied(state, proxy, depth, delta);
  propagate(state, proxy, delta, depth + 1);
}

/** The same for an account's whole weight, by depths: its own stake, then what is proxied to it. */
export function propagateAll(state: State, name: string, delta: readonly bigint[], depth = 0): void {
  const { proxy } = state.account(name);
  if (proxy === '') {
    const reaching = delta.slice(0, DEEPEST_PROXY - depth + 1);
    adjustVotedWitnesses(
      state,
      name,
      reaching.reduce((sum, part) => sum + part, 0n),
    );
    return;
  }
  if (depth >= DEEPEST_PROXY) return;
  for (let i = DEEPEST_PROXY - depth - 1; i >= 0; i--) addProxied(state, proxy, i + depth, delta[i] ?? 0n);
  propagateAll(state, proxy, delta, depth + 1);
}

function addProxied(state: State, name: string, depth: number, delta: bigint): void {
  const [a, b, c, d] = state.account(name).proxied;
  const add = (part: bigint, index: number): bigint => (index === depth ? part + delta : part);
  state.changeAccount(name, { proxied: [add(a, 0), add(b, 1), add(c, 2), add(d, 3)] });
}

function adjustVotedWitnesses(state: State, name: string, delta: bigint): void {
  for (const witness of votedWitnesses(state, name)) adjustWitness(state, witness, delta);
}

export function adjustWitness(state: State, owner: string, delta: bigint): void {
  if (delta === 0n && !state.rules.zeroChangesMoveTime) return;
  const { virtualTime } = state.schedule;
  const witness = known(state.witnesses.get(owner));
  const virtualPosition = u128(
    witness.virtualPosition + u128(u128(witness.votes) * u128(virtualTime - witness.virtualLastUpdate)),
  );
  const votes = witness.votes + delta;
  const scheduled = u128(virtualTime + u128(LAP - virtualPosition) / u128(votes + 1n));
  state.changeWitness(owner, {
    virtualPosition,
    virtualLastUpdate: virtualTime,
    votes,
    virtualScheduledTime: scheduled < virtualTime ? LAP : scheduled,
  });
}
