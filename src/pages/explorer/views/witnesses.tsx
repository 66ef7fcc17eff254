import type { Client, Result } from '../../../client/index.ts';
import { Answer, useAnswer, useAsked, useTitle } from '../asked.tsx';
import { chain, chainTime, head, headNumber, schedule } from '../live.tsx';
import { HardforkFacts, Version } from '../hardforks.tsx';
import { fetchMissedWeek, missedDays, type MissedDay, type MissedWeek } from '../missed_week.ts';
import { AccountLink, BlockLink, Fold, Pager, Said, Section, Table, Time, type Column } from '../parts.tsx';
import { RunningRound } from '../round.tsx';
import { viewLink, type ViewProps } from '../router.ts';
import { shownText } from '../sentences.ts';
import { timeText } from '../words.ts';
import { secondsText, toSeconds } from '../../../client/chain_time.ts';
import { countText } from '../../../values/words.ts';
import { witnessHealth } from '../../../client/witness_health.ts';

const PAGE = 60;

/** A witness with its prices, and its place by votes. */
interface Ranked {
  readonly place: number;
  readonly witness: Result<'database_api.find_witnesses'>['witnesses'][number];
}

/** Witnesses by their votes, and how they do. */
export function Witnesses({ route: { at } }: ViewProps) {
  useTitle('Witnesses');
  const first = Math.max(1, Number(/^\d+$/.exec(at)?.[0] ?? 1));
  const asked = useAsked(String(first), async (client) => await fetchWitnesses(client, first), headNumber.value);
  const round = schedule.value;
  const week = useAnswer('Slots missed lately', 'missed week', fetchMissedWeek, headNumber.value);
  return (
    <>
      <h1 tabIndex={-1}>Witnesses</h1>
      <p class="quiet">
        By votes.{' '}
        {round === undefined
          ? ''
          : `The blocks of this round are made by ${countText(round.num_scheduled_witnesses)} of them.`}{' '}
        {week !== undefined && sinceText(week.since)}
      </p>
      <Answer asked={asked}>
        {(witnesses) => (
          <>
            <Table
              caption="Witnesses by votes"
              columns={columns(week)}
              rows={witnesses}
              keyOf={({ witness }) => witness.owner}
              none="Nobody is a witness from here on. witness_update makes an account one."
            />
            <Pager
              newer={first === 1 ? undefined : viewLink('witnesses', '', '', first <= PAGE + 1 ? '' : first - PAGE)}
              older={witnesses.length < PAGE ? undefined : viewLink('witnesses', '', '', first + PAGE)}
              words={['← More votes', 'Fewer votes →']}
            />
          </>
        )}
      </Answer>
      <RunningRound />
      <Fold title="Missed slots, day by day">{() => <MissedDays />}</Fold>
      <Section title="Hardfork votes">
        <HardforkFacts />
      </Section>
    </>
  );
}

/** A node without totals of a week ago counts from its oldest ones on. */
function sinceText(since: string): string {
  const isWeek = toSeconds(since) <= toSeconds(chainTime.value) - WEEK + HOUR;
  const why = isWeek ? '' : ', because the node has no earlier totals of this chain';
  return `Missed slots of a week are counted from ${timeText(since)} UTC on${why}.`;
}

/** Slots that all witnesses together have missed. On a chain with gaps it takes more than a hundred calls. */
function MissedDays() {
  const [now, about] = [head.value, chain.value];
  const intervalSeconds = about?.intervalSeconds ?? 0;
  const hour = Math.floor(toSeconds(chainTime.value) / HOUR);
  const asked = useAsked(`days ${about?.id} ${hour}`, async (client) => {
    if (now === undefined || intervalSeconds === 0 || now.head_block_number === 0) return [];
    return await missedDays(client, { number: now.head_block_number, time: now.time }, intervalSeconds);
  });
  return (
    <Answer asked={asked}>
      {(days) => (
        <Table
          caption="Missed slots of all witnesses, the last 24 hours first"
          columns={dayColumns}
          rows={days}
          keyOf={({ until }) => until}
          none="The chain has not run for a day, or the node does not keep the blocks of a day."
        />
      )}
    </Answer>
  );
}

const HOUR = 3600;
const WEEK = 168 * HOUR;
const MINUTES_LENGTH = '2026-11-28 10:30'.length;

const dayColumns: readonly Column<MissedDay>[] = [
  { name: 'Until (UTC)', kind: 'text', cell: ({ until }) => timeText(until).slice(0, MINUTES_LENGTH) },
  { name: 'Slots', kind: 'number', cell: ({ slots }) => countText(slots) },
  { name: 'Missed', kind: 'number', cell: ({ missed }) => countText(missed) },
  { name: 'Share', kind: 'number', cell: ({ missed, slots }) => `${((100 * missed) / slots).toFixed(1)} %` },
];

/** The list has no prices; where a page begins is counted from the top, because places have no names. */
async function fetchWitnesses(client: Client, first: number): Promise<readonly Ranked[]> {
  const { witnesses_by_vote: listed } = await client.call('alexandria_api.list_witnesses_by_vote', {
    name: '',
    limit: Math.min(1000, first - 1 + PAGE),
  });
  const owners = listed.slice(first - 1).map(({ owner }) => owner);
  if (owners.length === 0) return [];
  const { witnesses } = await client.call('database_api.find_witnesses', { owners });
  return witnesses.map((witness, index) => ({ place: first + index, witness }));
}

function columns(week: MissedWeek | undefined): readonly Column<Ranked>[] {
  const round = new Set(schedule.value?.current_shuffled_witnesses);
  const [slot, interval] = [Number(head.value?.current_aslot ?? 0), chain.value?.intervalSeconds ?? 1];
  return [
    { name: 'Place', kind: 'spare', cell: ({ place }) => place },
    {
      name: 'Witness',
      kind: 'text',
      cell: ({ witness: { owner, url } }) => (
        <>
          <AccountLink name={owner} />{' '}
          {url !== '' && (
            <small>
              <Said text={shownText(url)} />
            </small>
          )}
        </>
      ),
    },
    { name: 'Votes', kind: 'number', cell: ({ witness: { votes } }) => countText(votes / 1_000_000n) },
    {
      name: 'How it does',
      kind: 'text',
      cell: ({ witness }) => (
        <Health of={witnessHealth(witness, { isInRound: round.has(witness.owner), roundSize: round.size, slot })} />
      ),
    },
    { name: 'Missed in a week', kind: 'number', cell: ({ witness: { owner } }) => weekText(week, owner) },
    { name: 'Missed in all', kind: 'number', cell: ({ witness: { total_missed: missed } }) => countText(missed) },
    { name: 'Version', kind: 'spare', cell: ({ witness }) => <Version of={witness} /> },
    {
      name: 'Last block',
      kind: 'spare',
      cell: ({ witness: { last_confirmed_block_num: last, last_aslot } }) =>
        last === 0n ? (
          'none'
        ) : (
          <>
            <BlockLink number={Number(last)} />{' '}
            <small class="ago">
              <Time at={slotTime(slot - Number(last_aslot), interval)} />
            </small>
          </>
        ),
    },
    {
      name: 'Prices',
      kind: 'spare',
      cell: ({ witness: { submitted_exchange_rates: rates } }) => <Prices rates={rates} />,
    },
  ];
}

function weekText(week: MissedWeek | undefined, owner: string): string {
  return countText(week?.missed.get(owner) ?? '–');
}

function Health({ of: { mark, text } }: { readonly of: { readonly mark: string; readonly text: string } }) {
  return <span class={`health ${mark}`}>{text}</span>;
}

/** The time so many slots before the head. */
function slotTime(slots: number, intervalSeconds: number): string {
  return secondsText(toSeconds(chainTime.value) - slots * intervalSeconds);
}

function Prices({ rates }: { readonly rates: Ranked['witness']['submitted_exchange_rates'] }) {
  if (rates.length === 0) return <>none</>;
  const newest = rates.reduce((last, [, { last_change: time }]) => (time > last ? time : last), '');
  return (
    <>
      {rates.map(([symbol]) => symbol).join(', ')}{' '}
      <small class="ago">
        <Time at={newest} />
      </small>
    </>
  );
}
