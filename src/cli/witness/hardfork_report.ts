import type { Result } from '../../client/index.ts';

/** The next hardfork as the chain and its round stand to it. */
export type HardforkReport = Result<'database_api.get_hardfork_properties'>;

type ScheduledVersion = HardforkReport['scheduled'][number];

/** Describes the next hardfork as lines of a status: running versions, votes, and what would not work. */
export function hardforkLines(report: HardforkReport): readonly string[] {
  const { current_hardfork_version: current, next_hardfork: next, next_hardfork_time: due } = report;
  const { scheduled, planned, votes, required_votes: required, warnings } = report;
  return [
    next === current
      ? `version ${current} is active, no other is agreed on`
      : `version ${current} is active; ${next} becomes active at ${due}`,
    ...planned.map(({ name, version, block_num: block }) => `block ${block} applies ${name} (version ${version})`),
    `the round runs ${runningVersions(scheduled)}`,
    ...votes.map(
      ({ version, time, witnesses }) =>
        `${witnesses.length} of ${scheduled.length} vote for ${version} at ${time} (${witnesses.join(', ')}); ${required} are needed`,
    ),
    ...warnings.map(({ text, advice }) => `${text}: ${advice}`),
  ];
}

function runningVersions(scheduled: readonly ScheduledVersion[]): string {
  const owners = new Map<string, string[]>();
  for (const { running_version: version, owner } of scheduled)
    owners.set(version, [...(owners.get(version) ?? []), owner]);
  const [only] = owners;
  if (owners.size === 1 && only !== undefined) return only[0];
  return [...owners].map(([version, names]) => `${version} (${names.join(', ')})`).join('; ');
}
