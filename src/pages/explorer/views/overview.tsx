import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Activity } from '../activity.tsx';
import { useAnswer, useTitle } from '../asked.tsx';
import type { Votes } from '../finality.ts';
import { LatestTransactions } from '../latest_transactions.tsx';
import { blocks, chain, finality, head, headNumber, lastCameMs, schedule } from '../live.tsx';
import { lastHeardText } from '../node_link.tsx';
import { AccountLink, BlockLink, Facts, Section, Table, Time, type Column } from '../parts.tsx';
import { viewLink } from '../router.ts';
import { slotsFilled, type SeenBlock } from '../../../client/slots.ts';
import { SlotStrip } from '../strip.tsx';
import { durationText } from '../words.ts';
import { countText, counted, shortText, wholeText } from '../../../values/words.ts';
import { momentText } from '../zone.tsx';

const SHOWN_BLOCKS = 12;
/** So many intervals without a block, and something is the matter. */
const QUIET_INTERVALS = 10;

/** The chain as it stands, live. */
export function Overview() {
  useTitle('');
  const [now, about] = [head.value, chain.value];
  return (
    <>
      <h1 tabIndex={-1}>
        {lastHeardText.value === undefined ? 'The chain now' : `The chain as of ${lastHeardText.value}`}
      </h1>
      {now === undefined || about === undefined ? (
        <p class="quiet">
          Asking the node for its head. If nothing comes, the node is not running or not reached from here.
        </p>
      ) : (
        <>
          <dl class="figures">
            <Figure
              name="Head block"
              value={<BlockLink number={now.head_block_number} />}
              more={<SinceLast intervalSeconds={about.intervalSeconds} />}
            />
            <Figure
              name="Irreversible"
              value={<BlockLink number={now.last_irreversible_block_num} />}
              more={
                <>
                  <FinalAge number={now.last_irreversible_block_num} />
                  {stillText(now)}
                </>
              }
            />
            <Figure name="Slots filled" {...slotsFigure(now)} />
            <Figure
              name="Witnesses"
              value={countText(schedule.value?.num_scheduled_witnesses ?? 0)}
              more={
                now.head_block_number === 0 ? (
                  'none has made a block yet'
                ) : (
                  <>the last was {<AccountLink name={now.current_witness} />}</>
                )
              }
            />
            <Figure
              name="Coins"
              value={wholeText(now.current_supply)}
              more={`${wholeText(now.total_vesting_shares)} are vesting`}
            />
          </dl>
          <VotesSection />
          <Section title="Slots">
            <SlotStrip />
          </Section>
          <Activity />
          <Latest />
          <p class="quiet">
            Chain{' '}
            <span class="id" title={about.id}>
              {shortText(about.id)}
            </span>
            , a block every {counted(about.intervalSeconds, 'second')}; its time is {momentText(now.time)}.
          </p>
        </>
      )}
    </>
  );
}

function Latest() {
  return (
    <div class="pair">
      <Section title="Latest blocks">
        <Table
          caption="The latest blocks"
          columns={columns}
          rows={latestBlocks()}
          keyOf={({ number }) => number}
          none={noBlocks}
        />
        {blocks.value.length > 0 && (
          <p>
            <a href={viewLink('blocks')}>All blocks</a>
          </p>
        )}
      </Section>
      <Section title="Latest transactions">
        <LatestTransactions />
        <p>
          <a href={viewLink('pending')}>Pending transactions</a>
        </p>
      </Section>
    </div>
  );
}

const noBlocks =
  'There is no block yet. A development chain makes one every three seconds, or when it is told to; a node that joins a network fetches them from its peers.';

function latestBlocks(): SeenBlock[] {
  return blocks.value
    .filter(({ number }) => number <= headNumber.value)
    .slice(-SHOWN_BLOCKS)
    .reverse();
}

const columns: readonly Column<SeenBlock>[] = [
  { name: 'Block', kind: 'text', cell: ({ number }) => <BlockLink number={number} /> },
  { name: 'When', kind: 'text', cell: ({ timestamp }) => <Time at={timestamp} /> },
  { name: 'Witness', kind: 'text', cell: ({ witness }) => <AccountLink name={witness} /> },
  { name: 'Transactions', kind: 'number', cell: ({ transaction_count: count }) => countText(count) },
];

/** The age of the newest final block, by the chain's own clock. */
function FinalAge({ number }: { readonly number: number }) {
  const seen = blocks.value.find((block) => block.number === number)?.timestamp;
  const asked = useAnswer(
    'The age of the final block',
    seen === undefined && number > 0 ? String(number) : '',
    async (client) =>
      seen !== undefined || number === 0
        ? undefined
        : (await client.call('block_api.get_block_header', { block_num: number }))?.timestamp,
  );
  const time = seen ?? asked;
  return time === undefined ? null : (
    <>
      <Time at={time} />;{' '}
    </>
  );
}

function stillText({
  head_block_number: number,
  last_irreversible_block_num: irreversible,
}: NonNullable<(typeof head)['value']>): string {
  const still = `${counted(number - irreversible, 'block')} can still change`;
  const confirmed = finality.value?.confirmed;
  return confirmed === undefined ? still : `${still}; ${countText(confirmed)} is confirmed`;
}

/** The voters, and since when their votes make no block irreversible. */
function VotesSection() {
  const votes = finality.value?.votes;
  if (votes === undefined) return null;
  const { epoch, voters, quorum, missing, missingNames, certificate, stalledSince } = votes;
  return (
    <Section title="Finality">
      {stalledSince !== undefined && (
        <p class="notice" role="status">
          No block has become irreversible since {momentText(stalledSince)}.
        </p>
      )}
      <Facts
        of={[
          ['Epoch', `${countText(epoch)}, with ${counted(voters, 'voter')}, of which ${countText(quorum)} must agree`],
          ['Votes', missing === 0 ? 'every voter votes' : `none for ten slots from ${missingNames.join(', ')}`],
          ['Certificate', <NewestCertificate of={certificate} voters={voters} />],
        ]}
      />
    </Section>
  );
}

function NewestCertificate({ of, voters }: { readonly of: Votes['certificate']; readonly voters: number }) {
  if (of === undefined) return <>none yet</>;
  return (
    <>
      of block <BlockLink number={of.block} />, with {countText(of.votes)} of {countText(voters)} votes
    </>
  );
}

function slotsFigure(now: Parameters<typeof slotsFilled>[0]): Omit<FigureProps, 'name'> {
  const { slots, percent } = slotsFilled(now);
  return slots === 0
    ? { value: 'none', more: 'the first is to come' }
    : { value: `${percent} %`, more: `of the last ${slots}` };
}

interface FigureProps {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly more: ComponentChildren;
}

function Figure({ name, value, more }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        <small>{lastHeardText.value === undefined ? more : `as of ${lastHeardText.value}`}</small>
      </dd>
    </div>
  );
}

/** Counts on between blocks, so that a chain that has stopped is seen to. */
function SinceLast({ intervalSeconds }: { readonly intervalSeconds: number }) {
  const [nowMs, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const came = lastCameMs.value;
  if (came === undefined) return <>waiting for the next one</>;
  const seconds = Math.max(0, (nowMs - came) / 1000);
  const isQuiet = seconds > QUIET_INTERVALS * intervalSeconds;
  return isQuiet ? (
    <strong>none for {durationText(seconds)}</strong>
  ) : (
    <>{seconds < 1 ? 'just now' : `${durationText(seconds)} ago`}</>
  );
}
