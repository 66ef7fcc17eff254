import type { Client, Result } from '../../../client/index.ts';
import { Answer, useAsked, useTitle } from '../asked.tsx';
import { chain, chainTime, head, headNumber, schedule } from '../live.tsx';
import { AccountLink, ageText, BlockLink, Pager, Said, Table, type Column } from '../parts.tsx';
import { linkTo, type ViewProps } from '../router.ts';
import { shownText } from '../sentences.ts';
import { countText, secondsOf, timeAt } from '../words.ts';
import { healthOf } from '../witness_health.ts';

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
  const asked = useAsked(String(first), async (client) => await witnessesFrom(client, first), headNumber.value);
  const round = schedule.value;
  return (
    <>
      <h1 tabIndex={-1}>Witnesses</h1>
      <p class="quiet">
        By votes.{' '}
        {round === undefined
          ? ''
          : `The blocks of this round are made by ${countText(round.num_scheduled_witnesses)} of them.`}
      </p>
      <Answer asked={asked}>
        {(witnesses) => (
          <>
            <Table
              caption="Witnesses by votes"
              columns={columns()}
              rows={witnesses}
              keyOf={({ witness }) => witness.owner}
              none="Nobody is a witness from here on. witness_update makes an account one."
            />
            <Pager
              newer={first === 1 ? undefined : linkTo('witnesses', '', '', first <= PAGE + 1 ? '' : first - PAGE)}
              older={witnesses.length < PAGE ? undefined : linkTo('witnesses', '', '', first + PAGE)}
              words={['← More votes', 'Fewer votes →']}
            />
          </>
        )}
      </Answer>
    </>
  );
}

/** The list has no prices; where a page begins is counted from the top, because places have no names. */
async function witnessesFrom(client: Client, first: number): Promise<readonly Ranked[]> {
  const { witnesses_by_vote: listed } = await client.call('alexandria_api.list_witnesses_by_vote', {
    name: '',
    limit: Math.min(1000, first - 1 + PAGE),
  });
  const owners = listed.slice(first - 1).map(({ owner }) => owner);
  if (owners.length === 0) return [];
  const { witnesses } = await client.call('database_api.find_witnesses', { owners });
  return witnesses.map((witness, index) => ({ place: first + index, witness }));
}

function columns(): readonly Column<Ranked>[] {
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
        <Health of={healthOf(witness, { isInRound: round.has(witness.owner), roundSize: round.size, slot })} />
      ),
    },
    { name: 'Missed', kind: 'spare', cell: ({ witness: { total_missed: missed } }) => countText(missed) },
    {
      name: 'Last block',
      kind: 'spare',
      cell: ({ witness: { last_confirmed_block_num: last, last_aslot } }) =>
        last === 0n ? (
          'none'
        ) : (
          <>
            <BlockLink number={Number(last)} /> <small>{slotAgo(slot - Number(last_aslot), interval)}</small>
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

function Health({ of: { mark, text } }: { readonly of: { readonly mark: string; readonly text: string } }) {
  return <span class={`health ${mark}`}>{text}</span>;
}

function slotAgo(slots: number, intervalSeconds: number): string {
  return ageText(timeAt(secondsOf(chainTime.value) - slots * intervalSeconds));
}

function Prices({ rates }: { readonly rates: Ranked['witness']['submitted_exchange_rates'] }) {
  if (rates.length === 0) return <>none</>;
  const newest =
    rates
      .map(([, { last_change }]) => last_change)
      .toSorted()
      .at(-1) ?? '';
  return (
    <>
      {rates.map(([symbol]) => symbol).join(', ')} <small>{ageText(newest)}</small>
    </>
  );
}
