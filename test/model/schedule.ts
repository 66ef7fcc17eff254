import type { Witness } from './records.ts';
import { known } from './refusal.ts';
import { byScheduleTime, byVoteName } from './schedule_order.ts';
import { shuffled } from './shuffle.ts';
import type { State } from './state.ts';
import { LAP, NULL_KEY, u128 } from './values.ts';

// chain_rules.md#witness-schedule: a new round.

const BYTE = 256;

export function updateSchedule(state: State): void {
  const voted = selectVoted(state);
  const { timeshare, processed, reached } = selectTimeshare(state, voted);
  const majorityVersion = countVersions(state);
  countHardforkVotes(state);
  const virtualTime = advance(state, processed, reached);
  const names = [...voted, ...timeshare];
  const scheduled = Math.max(names.length, 1);
  const list = Array.from(
    { length: Math.max(state.parameters.maxWitnesses, scheduled) },
    (_, index) => names[index] ?? '',
  );
  const weight = voted.length + timeshare.length;
  state.changeSchedule({
    virtualTime,
    majorityVersion,
    scheduled,
    witnesses: [...shuffled(list.slice(0, scheduled), state.headTime), ...list.slice(scheduled)],
    top19Weight: weight % BYTE,
    timeshareWeight: (3 * weight) % BYTE,
    payNormalization: voted.length + 3 * timeshare.length,
    nextShuffleBlock: state.globals.number + scheduled,
  });
  updateMedians(state);
}

/** 9.1, the voted part. */
function selectVoted(state: State): string[] {
  const names = byVoteName(state)
    .filter(({ signingKey }) => signingKey !== NULL_KEY)
    .slice(0, state.parameters.maxVotedWitnesses)
    .map(({ owner }) => owner);
  for (const owner of names) state.changeWitness(owner, { schedule: 'top19' });
  return names;
}

interface Timeshare {
  readonly timeshare: readonly string[];
  readonly processed: readonly string[];
  readonly reached: bigint;
}

/** 9.1, the time-shared part. */
function selectTimeshare(state: State, voted: readonly string[]): Timeshare {
  const timeshare: string[] = [];
  const processed: string[] = [];
  let reached = state.schedule.virtualTime;
  for (const { owner, signingKey, virtualScheduledTime } of byScheduleTime(state)) {
    if (voted.length + timeshare.length >= state.parameters.maxWitnesses) break;
    reached = virtualScheduledTime;
    processed.push(owner);
    if (signingKey === NULL_KEY || voted.includes(owner)) continue;
    timeshare.push(owner);
    state.changeWitness(owner, { schedule: 'timeshare' });
  }
  return { timeshare, processed, reached };
}

const lapTime = ({ votes }: Witness): bigint => LAP / u128(votes + 1n);

/** 9.1, step 3: where the processed witnesses stand in the next lap. */
function advance(state: State, processed: readonly string[], reached: bigint): bigint {
  for (const owner of processed) {
    const virtualScheduledTime = u128(reached + lapTime(known(state.witnesses.get(owner))));
    if (virtualScheduledTime < reached) return startOver(state);
    state.changeWitness(owner, { virtualPosition: 0n, virtualLastUpdate: reached, virtualScheduledTime });
  }
  return reached;
}

function startOver(state: State): bigint {
  state.changeSchedule({ virtualTime: 0n });
  for (const witness of [...state.witnesses.values()])
    state.changeWitness(witness.owner, {
      virtualPosition: 0n,
      virtualLastUpdate: 0n,
      virtualScheduledTime: lapTime(witness),
    });
  return 0n;
}

function versionNumber(version: string): number {
  const [major = 0, hardfork = 0, release = 0] = version.split('.').map(Number);
  return major * 0x100_0000 + hardfork * 0x1_0000 + release;
}

/** Returns the number of witnesses of the round that must agree. */
const requiredVotes = (state: State): number =>
  state.parameters.isPrivate
    ? Math.floor(state.schedule.scheduled / 2) + 1
    : state.parameters.hardforkRequiredWitnesses;

const roundWitnesses = (state: State): Witness[] =>
  state.round.map((owner) => state.witnesses.get(owner)).filter((witness) => witness !== undefined);

/** 9.2: the highest version that enough witnesses of the old round run, or later ones. */
function countVersions(state: State): string {
  const versions = roundWitnesses(state)
    .map(({ runningVersion }) => runningVersion)
    .sort((a, b) => versionNumber(b) - versionNumber(a));
  return versions[requiredVotes(state) - 1] ?? state.schedule.majorityVersion;
}

/** 9.2 */
function countHardforkVotes(state: State): void {
  const votes = roundWitnesses(state)
    .map(({ hardforkVersionVote, hardforkTimeVote }) => ({ version: hardforkVersionVote, time: hardforkTimeVote }))
    .sort((a, b) => versionNumber(a.version) - versionNumber(b.version) || a.time - b.time);
  const counted = votes.find(
    (vote) =>
      votes.filter(({ version, time }) => version === vote.version && time === vote.time).length >=
      requiredVotes(state),
  );
  const { hardforks } = state.single;
  state.single.hardforks =
    counted === undefined
      ? { ...hardforks, next: hardforks.current }
      : { ...hardforks, next: counted.version, nextTime: counted.time };
}

/** 9.4 */
function updateMedians(state: State): void {
  const witnesses = state.round.map((owner) => known(state.witnesses.get(owner)));
  const middle = Math.floor(witnesses.length / 2);
  const fees = witnesses.map(({ creationFee }) => creationFee).sort((a, b) => Number(a.amount - b.amount));
  const sizes = witnesses.map(({ maximumBlockSize }) => maximumBlockSize).sort((a, b) => a - b);
  const maximumBlockSize = known(sizes[middle]);
  state.changeSchedule({ creationFee: known(fees[middle]), maximumBlockSize });
  state.changeGlobals({ maximumBlockSize });
}
