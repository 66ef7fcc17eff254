import assert from 'node:assert/strict';
import { quorumOfCount } from '../../src/blocks/finality/voters.ts';
import type { HardforkStanding } from '../../src/queries/hardfork_standing.ts';
import { parseTime } from '../../src/values/time.ts';
import { parseVersion } from '../../src/values/version.ts';

const LATER = '2027-01-01T00:00:00';
const requireVersion = (text: string): number => parseVersion(text) ?? assert.fail(text);

/** Differences of a standing; `votes` are the versions that the first witnesses vote for, all at one time. */
type Differences = Partial<Omit<HardforkStanding, 'votes'>> & { readonly votes?: readonly string[] };

/** The standing of a chain at version 1.2.0 whose scheduled witnesses w0, w1 … run these versions. */
export function makeStanding(
  running: readonly string[],
  { votes: voted = [], ...rest }: Differences = {},
): HardforkStanding {
  const time = parseTime(LATER) ?? assert.fail(LATER);
  const current = requireVersion('1.2.0');
  const scheduled = running.map((version, k) => ({
    owner: `w${k}`,
    running_version: requireVersion(version),
    hardfork_version_vote: requireVersion(voted[k] ?? '1.2.0'),
    hardfork_time_vote: time,
  }));
  const versions = [...new Set(voted)].map(requireVersion);
  const required = quorumOfCount(running.length);
  return {
    ...{ agreed: undefined, supported: current, scheduled },
    votes: versions.map((version) => ({
      version,
      time,
      witnesses: scheduled.filter((each) => each.hardfork_version_vote === version).map(({ owner }) => owner),
    })),
    // A round without witnesses is none that can vote.
    required: running.length === 0 ? 0 : required,
    ...{
      places: running.length,
      quorum: running.length === 0 ? 0 : required,
      isPrivateNet: false,
      moved: [],
      planned: [],
    },
    ...rest,
  };
}
