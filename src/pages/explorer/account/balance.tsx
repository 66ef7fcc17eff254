import { Answer, useAsked } from '../asked.tsx';
import { formatDifference } from '../../../client/amounts.ts';
import { secondsText, toSeconds } from '../../../client/chain_time.ts';
import { countBack, datedSteps, type BalanceCourse, type BalanceStep } from '../../../client/balance_steps.ts';
import { Chart } from '../chart.tsx';
import { newestEntries, type NewestEntries } from '../history_search.ts';
import { blockTimes, chain, chainTime, headNumber } from '../live.tsx';
import { Amount, Pager, Section } from '../parts.tsx';
import { viewLink } from '../router.ts';
import { timeText } from '../words.ts';
import { amountText, counted } from '../../../values/words.ts';
import type { PartProps } from './part.ts';

/** Entries that the first look counts back over, and those of one call. */
const AT_ONCE = 250;
/** The most entries that a reader may ask for. */
const MOST = 4000;
/** Points that a chart of this width can show. */
const MOST_POINTS = 300;
const MILLIONTHS = 1_000_000;
/** A refresh with each block would cost the node the history each time. */
const EVERY_BLOCKS = 20;

/** The balance of an account over time, counted back from its history. */
export function AccountBalance({ account: { name, balance }, at }: PartProps) {
  const wanted = Math.min(MOST, Math.max(AT_ONCE, Number(/^\d{1,6}$/.exec(at)?.[0] ?? 0)));
  const each = Math.floor(headNumber.value / EVERY_BLOCKS);
  const asked = useAsked(
    `${name} ${wanted}`,
    async (client) => {
      // Read after the history: an entry that comes between is counted next time.
      const read = await newestEntries(client, name, { wanted, atOnce: AT_ONCE });
      const { account } = await client.call('alexandria_api.get_account', { account_name: name });
      const { properties } = await client.call('alexandria_api.get_dynamic_global_properties', {});
      const own = account.find((found) => found.name === name)?.balance ?? balance;
      const [, coin = ''] = own.split(' ');
      const of = { account: name, coin, isFree: isPrivateNet(chain.value?.config) };
      const entries = read.entries.map(([, entry]) => entry);
      const course = countBack(own, entries, of, properties.time);
      const drawn = await datedSteps(client, fewer(course.steps), blockTimes);
      return { ...read, balance: own, course, drawn };
    },
    each,
  );
  return (
    <Answer asked={asked}>
      {(found) => (
        <Section title="Balance over time">
          <p class="quiet">
            Counted back from <Amount text={found.balance} /> over {counted(found.entries.length, 'entry', 'entries')}{' '}
            of the history. {endText(found.course, found)}
          </p>
          <Course steps={found.course.steps} drawn={found.drawn} balance={found.balance} />
          <Pager
            newer={wanted === AT_ONCE ? undefined : viewLink('account', name, 'balance')}
            older={
              found.hasOlder && found.course.unknown === undefined && wanted < MOST
                ? viewLink('account', name, 'balance', Math.min(MOST, 2 * wanted))
                : undefined
            }
            words={['← Fewer entries', 'Count further back →']}
          />
        </Section>
      )}
    </Answer>
  );
}

function endText({ unknown }: BalanceCourse, { hasOlder, isCut }: Omit<NewestEntries, 'entries'>): string {
  if (unknown !== undefined)
    return `It begins behind an operation (${unknown.replaceAll('_', ' ')}) of which the history does not tell how much it moved.`;
  if (isCut) return 'The node no longer keeps older entries; an escrow from before them may have come back in between.';
  return hasOlder
    ? 'Older entries are not counted yet; an escrow from before them may have come back in between.'
    : 'It begins with the first entry.';
}

function isPrivateNet(config: unknown): boolean {
  return typeof config === 'object' && config !== null && 'IS_PRIVATE_NET' in config && config.IS_PRIVATE_NET === true;
}

interface CourseProps extends Pick<BalanceCourse, 'steps'> {
  /** Those of the steps that are drawn. */
  readonly drawn: readonly BalanceStep[];
  readonly balance: string;
}

function Course({ steps, drawn, balance }: CourseProps) {
  const now = toSeconds(chainTime.value);
  const [, coin = ''] = balance.split(' ');
  const first = drawn[0];
  if (first === undefined || drawn.length < 2)
    return <p class="notice">No operation of the history has moved coins of this account.</p>;
  const [lowest, highest] = bounds(steps);
  return (
    <Chart
      title={`${coin} of this account`}
      text={`from ${timeText(secondsText(first.seconds))} UTC: at least ${amountText(formatDifference({ millionths: lowest, symbol: coin }))}, at most ${amountText(formatDifference({ millionths: highest, symbol: coin }))}`}
      now={now}
      times={drawn.map(({ seconds }) => Math.min(0, seconds - now))}
      lines={[{ name: 'Balance', values: drawn.map(({ millionths }) => Number(millionths) / MILLIONTHS) }]}
      unit={coin}
      isFromZero={false}
      isStepped
    />
  );
}

function bounds(steps: readonly BalanceStep[]): readonly [lowest: bigint, highest: bigint] {
  const sorted = steps.map(({ millionths }) => millionths).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return [sorted[0] ?? 0n, sorted.at(-1) ?? 0n];
}

/** Divides the time into MOST_POINTS equal parts, and keeps the last step of each. */
function fewer(steps: readonly BalanceStep[]): readonly BalanceStep[] {
  const [first, last] = [steps[0]?.seconds ?? 0, steps.at(-1)?.seconds ?? 0];
  const width = Math.max(1, (last - first) / MOST_POINTS);
  return steps.filter(
    ({ seconds }, index) =>
      index === 0 ||
      Math.floor((seconds - first) / width) !== Math.floor(((steps[index + 1]?.seconds ?? Infinity) - first) / width),
  );
}
