import { refusals } from '../base/refusal.ts';
import { hardfork as hardforkEvent } from '../operations/virtual/hardfork.ts';
import { headOf, type ChainState } from '../state/chain_state.ts';
import { hardforkProperty } from '../state/tables/hardfork_property.ts';
import { accounts } from '../state/tables/account.ts';
import { witnesses, type Witness } from '../state/tables/witness.ts';
import { adjustProxiedVotes, ownVoteWeight, finishVotes } from '../state/votes.ts';
import type { Seconds } from '../values/time.ts';
import { versionOf, versionText, type Version } from '../values/version.ts';

const refuse = refusals({
  unknown_hardfork: {
    text: 'the witnesses have agreed on hardfork {version}, which this software does not know; run a newer one',
    lineageCode: 4_090_000,
  },
});

/** A protocol change that this software supports. */
export interface Hardfork {
  readonly id: number;
  readonly version: Version;
  /** It may not be applied before this time. */
  readonly time: Seconds;
}

/** 2018-12-03T12:00:00 and 2019-02-26T12:00:00. */
const HARDFORK_1: Hardfork = { id: 1, version: versionOf(1, 1, 0), time: 1_543_838_400 };
const HARDFORK_2: Hardfork = { id: 2, version: versionOf(1, 2, 0), time: 1_551_182_400 };

/** All hardforks after genesis, in order. */
export const knownHardforks: readonly Hardfork[] = [HARDFORK_1, HARDFORK_2];

const ROWS_PER_STEP = 1000; // rows read at once when a hardfork touches all of a table

/** How many hardforks a first block of that time applies before anything else. */
export function hardforksDue(timestamp: Seconds): number {
  return knownHardforks.filter(({ time }) => time <= timestamp).length;
}

/** Applies the hardforks that were known when the chain started: block 1 does so before its transactions. */
export function applyFirstHardforks(state: ChainState, count: number): void {
  const last = knownHardforks[count - 1];
  if (last === undefined) return;
  for (const witness of allWitnesses(state)) {
    state.rows.put(witnesses, {
      ...witness,
      running_version: last.version,
      hardfork_version_vote: last.version,
      hardfork_time_vote: last.time,
    });
  }
  const next_hardfork_time = state.parameters.genesis.genesis_time;
  for (const known of knownHardforks.slice(0, count)) {
    state.rows.put(hardforkProperty, { ...state.rows.only(hardforkProperty), next_hardfork: known.version, next_hardfork_time });
    applyHardfork(state, known);
  }
}

/** Applies the hardforks that the witnesses agreed on and whose time has come (chain.md 5.10). */
export function applyDueHardforks(state: ChainState): void {
  for (;;) {
    const { last_hardfork, current_hardfork_version, next_hardfork, next_hardfork_time } = state.rows.only(hardforkProperty);
    if (current_hardfork_version >= next_hardfork || next_hardfork_time > headOf(state).time) return;
    applyHardfork(state, knownHardforks[last_hardfork] ?? refuse.unknown_hardfork({ version: versionText(next_hardfork) }));
  }
}

function applyHardfork(state: ChainState, { id, version, time }: Hardfork): void {
  if (id === HARDFORK_1.id) recountVotes(state);
  const property = state.rows.only(hardforkProperty);
  const processed_hardforks = [...property.processed_hardforks, time];
  state.rows.put(hardforkProperty, { ...property, processed_hardforks, last_hardfork: id, current_hardfork_version: version });
  state.emit(hardforkEvent.of({ hardfork_id: id }));
}

/**
 * Recounts all votes from the accounts' balances. Proxied votes are counted in addition to those stored with the proxies, a defect that
 * replays depend on; at block 1 there are no votes or proxies yet, so there is nothing to count.
 */
function recountVotes(state: ChainState): void {
  for (const witness of allWitnesses(state)) state.rows.put(witnesses, { ...witness, votes: 0n });
  if (headOf(state).head_block_number === 0) return;
  for (let from = 0n; ; from += BigInt(ROWS_PER_STEP)) {
    const some = state.rows.range(accounts.by_id, { from: [from], limit: ROWS_PER_STEP });
    for (const account of some) adjustProxiedVotes(state, account.name, ownVoteWeight(state, account));
    finishVotes(state);
    if (some.length < ROWS_PER_STEP) return;
  }
}

function allWitnesses(state: ChainState): Witness[] {
  return state.rows.range(witnesses.by_id, { limit: Infinity });
}
