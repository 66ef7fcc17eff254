import { present } from '../../base/assert.ts';
import { replacing } from '../../codec/struct.ts';
import { headProperties, type ChainState } from '../../state/chain_state.ts';
import { requiredHardforkVotes } from '../../state/hardfork_votes.ts';
import { requireRow } from '../../state/lookups.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { hardforkProperty } from '../../state/tables/hardfork_property.ts';
import { scheduledBy, witnesses, witnessRow, type Witness } from '../../state/tables/witness.ts';
import { witnessSchedule, type WitnessSchedule } from '../../state/tables/witness_schedule.ts';
import type { AccountName } from '../../values/account_name.ts';
import { UINT128_MAX } from '../../values/limits.ts';
import { NULL_KEY } from '../../values/public_key.ts';
import { scheduledNames } from './slots.ts';
import { shuffled } from './shuffle.ts';

const ROWS_PER_STEP = 100; // rows read at once on a walk that mostly ends after a round's length
const TIMESHARE_WEIGHT = 3;

const withPosition = replacing(witnessRow, ['virtual_position', 'virtual_last_update', 'virtual_scheduled_time']);

/**
 * At the end of a round: determines who produces in the next one, what they agree on, and their order
 * (chain_rules.md#witness-schedule).
 */
export function updateWitnessSchedule(state: ChainState): void {
  const { head_block_number, time } = headProperties(state);
  const { max_witnesses } = state.parameters.genesis;
  if (head_block_number % max_witnesses !== 0) return;
  const schedule = state.rows.only(witnessSchedule);
  const elected = electedWitnesses(state);
  const timeshare = timeshareWitnesses(state, elected);
  const current_virtual_time = advanceVirtualTime(state, timeshare);
  const majority_version = majorityVersion(state, schedule);
  voteOnHardfork(state, schedule);
  const names = [...elected, ...timeshare.chosen].map(({ owner }) => owner);
  // No witness can produce any more. Rules that keep a producer prevent this; in the lineage, no block can follow.
  const median = medianProperties(state, names.length === 0 ? [''] : names);
  const weight = names.length;
  state.rows.put(witnessSchedule, {
    current_virtual_time,
    next_shuffle_block_num: head_block_number + Math.max(names.length, 1),
    current_shuffled_witnesses: padded(shuffled(names, time), max_witnesses),
    num_scheduled_witnesses: Math.max(names.length, 1),
    // The lineage stores both in a byte, which wraps above 85 witnesses.
    top19_weight: weight & 0xff,
    timeshare_weight: (TIMESHARE_WEIGHT * weight) & 0xff,
    witness_pay_normalization_factor: elected.length + TIMESHARE_WEIGHT * timeshare.chosen.length,
    majority_version,
    ...median,
  });
  state.rows.put(dynamicGlobalProperties, { ...headProperties(state), maximum_block_size: median.maximum_block_size });
}

function padded(names: readonly AccountName[], length: number): AccountName[] {
  return [...names, ...Array.from({ length: length - names.length }, () => '')];
}

/** The witnesses with the most votes; those without a signing key do not want to be scheduled. */
function electedWitnesses(state: ChainState): Witness[] {
  const { max_voted_witnesses } = state.parameters.genesis;
  const elected: Witness[] = [];
  let page = state.rows.range(witnesses.by_vote_name, { limit: ROWS_PER_STEP });
  for (;;) {
    for (const witness of page) {
      if (witness.signing_key !== NULL_KEY && elected.length < max_voted_witnesses) elected.push(witness);
    }
    const last = page[ROWS_PER_STEP - 1];
    if (last === undefined || elected.length === max_voted_witnesses) break;
    page = state.rows.range(witnesses.by_vote_name, { after: [last.votes, last.owner], limit: ROWS_PER_STEP });
  }
  for (const witness of elected) mark(state, witness.owner, scheduledBy.votes);
  return elected;
}

interface Timeshare {
  /** All witnesses that the walk passed, chosen or not. */
  readonly met: readonly Witness[];
  readonly chosen: readonly Witness[];
}

/** The witnesses that are next in virtual time fill the remaining places. */
function timeshareWitnesses(state: ChainState, elected: readonly Witness[]): Timeshare {
  const places = state.parameters.genesis.max_witnesses - elected.length;
  const taken = new Set(elected.map(({ owner }) => owner));
  const met: Witness[] = [];
  const chosen: Witness[] = [];
  let page = places > 0 ? state.rows.range(witnesses.by_schedule_time, { limit: ROWS_PER_STEP }) : [];
  for (;;) {
    for (const witness of page) {
      if (chosen.length === places) break;
      met.push(witness);
      if (witness.signing_key !== NULL_KEY && !taken.has(witness.owner)) chosen.push(witness);
    }
    const last = page[ROWS_PER_STEP - 1];
    if (last === undefined || chosen.length === places) break;
    page = state.rows.range(witnesses.by_schedule_time, {
      after: [last.virtual_scheduled_time, last.id],
      limit: ROWS_PER_STEP,
    });
  }
  for (const witness of chosen) mark(state, witness.owner, scheduledBy.time);
  return { met, chosen };
}

function mark(state: ChainState, owner: AccountName, schedule: number): void {
  const witness = requireRow(state.rows, witnesses, owner, owner);
  if (witness.schedule !== schedule) state.rows.put(witnesses, { ...witness, schedule });
}

/** All witnesses that the walk passed start another lap from the time at which the last of them arrived. */
function advanceVirtualTime(state: ChainState, { met }: Timeshare): bigint {
  const now = met.at(-1)?.virtual_scheduled_time ?? state.rows.only(witnessSchedule).current_virtual_time;
  for (const { owner } of met) {
    const witness = requireRow(state.rows, witnesses, owner, owner);
    const next = BigInt.asUintN(128, now + lap(witness));
    if (next < now) return restartVirtualTime(state);
    state.rows.put(
      witnesses,
      withPosition(witness, { virtual_position: 0n, virtual_last_update: now, virtual_scheduled_time: next }),
    );
  }
  return now;
}

/** Virtual time has overflowed: all witnesses start again. */
function restartVirtualTime(state: ChainState): bigint {
  for (const witness of state.rows.range(witnesses.by_id, { limit: Infinity })) {
    const virtual_scheduled_time = lap(witness);
    // Most witnesses of many have no votes, so they are at the start already.
    if (!isAtStart(witness, virtual_scheduled_time)) {
      state.rows.put(
        witnesses,
        withPosition(witness, { virtual_position: 0n, virtual_last_update: 0n, virtual_scheduled_time }),
      );
    }
  }
  return 0n;
}

function isAtStart(
  { virtual_position, virtual_last_update, virtual_scheduled_time }: Witness,
  scheduled: bigint,
): boolean {
  return virtual_position === 0n && virtual_last_update === 0n && virtual_scheduled_time === scheduled;
}

function lap({ votes }: Witness): bigint {
  return UINT128_MAX / BigInt.asUintN(128, votes + 1n);
}

function scheduledWitnesses(state: ChainState, schedule: WitnessSchedule): Witness[] {
  return scheduledNames(schedule).flatMap((name) => state.rows.get(witnesses, name) ?? []);
}

/** The highest version such that enough witnesses of the ending round run it or a higher one. */
function majorityVersion(state: ChainState, schedule: WitnessSchedule): number {
  const versions = scheduledWitnesses(state, schedule).map(({ running_version }) => running_version);
  versions.sort((a, b) => b - a);
  return versions[Math.max(requiredHardforkVotes(state.parameters, schedule), 1) - 1] ?? schedule.majority_version;
}

/** The lowest hardfork and time that enough witnesses of the ending round vote for becomes the next one. */
function voteOnHardfork(state: ChainState, schedule: WitnessSchedule): void {
  const counts = new Map<string, { readonly version: number; readonly time: number; count: number }>();
  for (const { hardfork_version_vote: version, hardfork_time_vote: time } of scheduledWitnesses(state, schedule)) {
    const key = `${version} ${time}`;
    const entry = counts.get(key) ?? { version, time, count: 0 };
    entry.count++;
    counts.set(key, entry);
  }
  const required = requiredHardforkVotes(state.parameters, schedule);
  const agreed = [...counts.values()].filter(({ count }) => count >= required);
  agreed.sort((a, b) => a.version - b.version || a.time - b.time);
  const property = state.rows.only(hardforkProperty);
  const next = agreed[0];
  state.rows.put(hardforkProperty, {
    ...property,
    next_hardfork: next?.version ?? property.current_hardfork_version,
    next_hardfork_time: next?.time ?? property.next_hardfork_time,
  });
}

/** The median of the new round's witnesses, for each property separately. */
function medianProperties(
  state: ChainState,
  names: readonly AccountName[],
): Pick<WitnessSchedule, 'account_creation_fee' | 'maximum_block_size'> {
  const members = names.map((name) => requireRow(state.rows, witnesses, name, name));
  const middle = Math.trunc(members.length / 2);
  const byFee = members.toSorted((a, b) =>
    a.account_creation_fee.amount < b.account_creation_fee.amount
      ? -1
      : a.account_creation_fee.amount > b.account_creation_fee.amount
        ? 1
        : 0,
  );
  const bySize = members.toSorted((a, b) => a.maximum_block_size - b.maximum_block_size);
  return {
    account_creation_fee: present(byFee[middle], 'a median witness').account_creation_fee,
    maximum_block_size: present(bySize[middle], 'a median witness').maximum_block_size,
  };
}
