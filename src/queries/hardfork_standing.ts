import { quorumOfCount } from '../blocks/finality/voters.ts';
import { hardforkName } from '../state/hardfork_plan.ts';
import { protocolVersion, type Hardfork } from '../state/hardforks.ts';
import { requiredHardforkVotes } from '../state/hardfork_votes.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { hardforkProperty } from '../state/tables/hardfork_property.ts';
import { witnesses } from '../state/tables/witness.ts';
import { witnessSchedule } from '../state/tables/witness_schedule.ts';
import type { RowReader } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Seconds } from '../values/time.ts';
import type { Version } from '../values/version.ts';

/** The version that a scheduled witness runs, and the one that it votes for. */
export interface ScheduledVersion {
  readonly owner: AccountName;
  readonly running_version: Version;
  readonly hardfork_version_vote: Version;
  readonly hardfork_time_vote: Seconds;
}

/** A version above the active one, and the scheduled witnesses that vote for it at that time. */
export interface VersionVotes {
  readonly version: Version;
  readonly time: Seconds;
  readonly witnesses: readonly AccountName[];
}

/** A hardfork whose time in this program is another one than on the chain. */
export interface MovedTime {
  readonly version: Version;
  /** The time that this program declares. */
  readonly declared: Seconds;
  /** The time by which the chain has applied it, on which the witnesses agreed, or for which most of them vote. */
  readonly time: Seconds;
  readonly by: 'applied' | 'agreed' | 'voted';
}

/** A hardfork that a development chain will apply with that block. */
export interface PlannedVersion {
  readonly name: string;
  readonly version: Version;
  readonly block: number;
}

/** The next hardfork, as the chain, its scheduled witnesses and this program see it. */
export interface HardforkStanding {
  /** A version above the active one that the witnesses have agreed on; undefined while they have agreed on none. */
  readonly agreed: { readonly version: Version; readonly time: Seconds } | undefined;
  /** That of the last hardfork that this program knows. */
  readonly supported: Version;
  readonly scheduled: readonly ScheduledVersion[];
  /** Those with the most votes first. */
  readonly votes: readonly VersionVotes[];
  /** The number of scheduled witnesses that must vote for the same version and time. */
  readonly required: number;
  /** Places of a full round. */
  readonly places: number;
  /** The number of witnesses of a full round that the chain needs to go on. */
  readonly quorum: number;
  readonly isPrivateNet: boolean;
  /** Hardforks whose time a release has moved, while the chain goes by another one. */
  readonly moved: readonly MovedTime[];
  /** Hardforks that the chain will apply without votes, next first; none but on development chains. */
  readonly planned: readonly PlannedVersion[];
}

/** Reads how the chain stands to the next hardfork. */
export function hardforkStanding(rows: RowReader, parameters: ChainParameters): HardforkStanding {
  const {
    last_hardfork: last,
    current_hardfork_version: current,
    next_hardfork: version,
    next_hardfork_time: time,
    processed_hardforks: processed,
  } = rows.only(hardforkProperty);
  const schedule = rows.only(witnessSchedule);
  const { max_witnesses: places } = parameters.genesis;
  const names = schedule.current_shuffled_witnesses.slice(0, schedule.num_scheduled_witnesses);
  const scheduled = names.flatMap((name) => rows.get(witnesses, name) ?? []).map(scheduledVersion);
  const agreed = version > current ? { version, time } : undefined;
  const votes = newerVotes(current, scheduled);
  // Planned ones have the time of their block.
  const declared = parameters.hardforks.filter(({ id }) => !parameters.hardforkBlocks.has(id));
  return {
    agreed,
    supported: protocolVersion(parameters.hardforks),
    scheduled,
    votes,
    required: requiredHardforkVotes(parameters, schedule),
    places,
    quorum: quorumOfCount(places),
    isPrivateNet: parameters.isPrivateNet,
    moved: [
      ...declared.flatMap((hardfork) => moveTime(hardfork, processed[hardfork.id], 'applied')),
      ...declared.flatMap((hardfork) => listMovedTimes(hardfork, { agreed, votes, scheduled: scheduled.length })),
    ],
    planned: parameters.hardforks.slice(last).flatMap((hardfork): PlannedVersion[] => {
      const block = parameters.hardforkBlocks.get(hardfork.id);
      return block === undefined ? [] : [{ name: hardforkName(hardfork), version: hardfork.version, block }];
    }),
  };
}

function moveTime(
  { version, time: declared }: Hardfork,
  time: Seconds | undefined,
  by: MovedTime['by'],
): readonly MovedTime[] {
  return time === undefined || time === declared ? [] : [{ version, declared, time, by }];
}

type Votes = Pick<HardforkStanding, 'agreed' | 'votes'> & { readonly scheduled: number };

/** The same of a hardfork that the chain has not applied. */
function listMovedTimes(hardfork: Hardfork, { agreed, votes, scheduled }: Votes): readonly MovedTime[] {
  if (agreed?.version === hardfork.version) return moveTime(hardfork, agreed.time, 'agreed');
  const most = votes.find(
    ({ version, witnesses: voters }) => version === hardfork.version && 2 * voters.length > scheduled,
  );
  return moveTime(hardfork, most?.time, 'voted');
}

function scheduledVersion({
  owner,
  running_version,
  hardfork_version_vote,
  hardfork_time_vote,
}: ScheduledVersion): ScheduledVersion {
  return { owner, running_version, hardfork_version_vote, hardfork_time_vote };
}

function newerVotes(current: Version, scheduled: readonly ScheduledVersion[]): VersionVotes[] {
  const votes = new Map<string, VersionVotes>();
  for (const { owner, hardfork_version_vote: version, hardfork_time_vote: time } of scheduled) {
    if (version <= current) continue;
    const key = `${version} ${time}`;
    votes.set(key, { version, time, witnesses: [...(votes.get(key)?.witnesses ?? []), owner] });
  }
  return [...votes.values()].toSorted(
    (a, b) => b.witnesses.length - a.witnesses.length || b.version - a.version || a.time - b.time,
  );
}
