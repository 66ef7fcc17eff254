import { emitVirtual } from './history.ts';
import { byName } from './names.ts';
import { refuse } from './refusal.ts';
import type { State } from './state.ts';
import { propagate, accountStake } from './votes.ts';

// chain_rules.md#hardforks.

export const HARDFORKS = [
  { id: 1, version: '1.1.0', time: 1_543_838_400 },
  { id: 2, version: '1.2.0', time: 1_551_182_400 },
] as const;
type Hardfork = (typeof HARDFORKS)[number];

const isOlder = (a: string, b: string): boolean => a.localeCompare(b, 'en', { numeric: true }) < 0;

/** 5.4 step 2: the first block brings every hardfork whose time has come. */
export function applyFirstHardforks(state: State, timestamp: number): void {
  const due = HARDFORKS.filter(({ time }) => time <= timestamp);
  const newest = due.at(-1);
  if (newest === undefined) return;
  const vote = { runningVersion: newest.version, hardforkVersionVote: newest.version, hardforkTimeVote: newest.time };
  for (const owner of [...state.witnesses.keys()]) state.changeWitness(owner, vote);
  state.single.hardforks = { ...state.single.hardforks, next: newest.version, nextTime: state.parameters.genesisTime };
  for (const hardfork of due) applyHardfork(state, hardfork);
}

/** 5.4 step 21. */
export function processHardforks(state: State): void {
  for (;;) {
    const { current, next, nextTime, last } = state.single.hardforks;
    if (!isOlder(current, next) || nextTime > state.headTime) return;
    applyHardfork(state, HARDFORKS.find(({ id }) => id === last + 1) ?? refuse('unknown hardfork'));
  }
}

function applyHardfork(state: State, { id, version, time }: Hardfork): void {
  if (id === 1) recountVotes(state);
  const { hardforks } = state.single;
  state.single.hardforks = { ...hardforks, processed: [...hardforks.processed, time], last: id, current: version };
  emitVirtual(state, 'hardfork', { hardfork_id: id });
}

/** Proxied votes are not cleared first, so existing ones double (17, D11). */
function recountVotes(state: State): void {
  for (const owner of [...state.witnesses.keys()]) state.changeWitness(owner, { votes: 0n });
  for (const name of [...state.accounts.keys()].sort(byName))
    propagate(state, name, accountStake(state, state.account(name)));
}
