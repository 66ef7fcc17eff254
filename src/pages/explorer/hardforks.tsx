import type { ComponentChildren } from 'preact';
import type { Result } from '../../client/index.ts';
import { Answer, useAsked } from './asked.tsx';
import { AccountLink, AccountLinks, Facts, Section, Table, type Column } from './parts.tsx';
import { momentText } from './zone.tsx';

type Hardforks = Result<'database_api.get_hardfork_properties'>;
type ScheduledVersion = Hardforks['scheduled'][number];

/** The next hardfork: what is agreed on, who votes for it, and what the operator has to look at. */
export function HardforkPart({ turn }: { readonly turn: number }) {
  const asked = useAsked(
    'hardforks',
    async (client) => await client.call('database_api.get_hardfork_properties', {}),
    turn,
  );
  return (
    <Section title="Hardforks">
      <Answer asked={asked}>
        {(hardforks) => (
          <>
            {hardforks.warnings.map(({ name, text, advice }) => (
              <p key={name} class="notice">
                {text}: {advice}
              </p>
            ))}
            <Facts of={hardforkFacts(hardforks)} />
            <Table
              caption="Versions of the scheduled witnesses"
              columns={columns}
              rows={hardforks.scheduled}
              keyOf={({ owner }) => owner}
              none="No witness is scheduled yet."
            />
          </>
        )}
      </Answer>
    </Section>
  );
}

/** The versions that the chain knows and votes for, without those of each witness. */
export function HardforkFacts() {
  const asked = useAsked('hardforks', async (client) => await client.call('database_api.get_hardfork_properties', {}));
  return <Answer asked={asked}>{(hardforks) => <Facts of={hardforkFacts(hardforks)} />}</Answer>;
}

function hardforkFacts(hardforks: Hardforks): Parameters<typeof Facts>[0]['of'] {
  const { current_hardfork_version: current, supported_version: supported, required_votes: required } = hardforks;
  return [
    ['Active version', current],
    ['This program knows', supported],
    ['Next hardfork', nextText(hardforks)],
    ...hardforks.planned.map(({ name, version, block_num: block }): readonly [string, ComponentChildren] => [
      `Planned: ${name}`,
      `version ${version}, with block ${block}`,
    ]),
    ['Votes needed', String(required)],
    ...hardforks.votes.map(({ version, time, witnesses }): readonly [string, ComponentChildren] => [
      `Votes for ${version} at ${momentText(time)}`,
      <>
        {witnesses.length}: <AccountLinks of={witnesses} />
      </>,
    ]),
  ];
}

function nextText({
  current_hardfork_version: current,
  next_hardfork: next,
  next_hardfork_time: due,
}: Hardforks): string {
  return next === current ? 'none pending' : `${next}, ${momentText(due)}`;
}

/** The vote of a witness that votes for no version, and the version of one that has not reported any. */
const NO_VERSION = '0.0.0';

/** The version that a witness runs: it reports one with its first block, and with each change. */
function runsText(version: string): string {
  return version === NO_VERSION ? 'not reported' : version;
}

/** The version that it runs, and the one that it votes for if that is another. */
export function Version({
  of: { running_version: runs, hardfork_version_vote: vote },
}: {
  readonly of: Pick<ScheduledVersion, 'running_version' | 'hardfork_version_vote'>;
}) {
  return (
    <>
      {runsText(runs)} {runs !== vote && vote !== NO_VERSION && <small>votes for {vote}</small>}
    </>
  );
}

const columns: readonly Column<ScheduledVersion>[] = [
  { name: 'Witness', kind: 'text', cell: ({ owner }) => <AccountLink name={owner} /> },
  { name: 'Runs', kind: 'text', cell: ({ running_version: version }) => runsText(version) },
  {
    name: 'Votes for',
    kind: 'text',
    cell: ({ hardfork_version_vote: vote, hardfork_time_vote: time }) =>
      vote === NO_VERSION ? 'no version' : `${vote}, from ${momentText(time)}`,
  },
];
