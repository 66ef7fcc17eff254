import type { ComponentChildren } from 'preact';
import { Answer, useAsked } from '../asked.tsx';
import { constantIn } from '../constants.ts';
import { chain, headNumber } from '../live.tsx';
import { Amount, Facts, Table, When, type Column } from '../parts.tsx';
import { instalments, type Instalment } from '../vesting.ts';
import type { PartProps } from './part.ts';

const MILLIONTHS = 1_000_000;
/** A withdrawal's beginning is looked for so far back. */
const MOST_ENTRIES = 1000;
const DAY = 86_400;

/** Vesting shares, and the calendar of what becomes coins again. */
export function AccountVesting({ account }: PartProps) {
  const { vesting_shares: shares, vesting_withdraw_rate: rate, to_withdraw: total } = account;
  const isWithdrawing = Number.parseFloat(rate) > 0;
  return (
    <>
      <Facts
        of={[
          ['Vesting shares', <Amount text={shares} />],
          ...lockFacts(account),
          ...withdrawalFacts(account, isWithdrawing),
        ]}
      />
      {isWithdrawing ? (
        <Calendar account={account} total={Number(total)} />
      ) : (
        <p class="notice">
          No withdrawal is running. withdraw_vesting begins one; it is paid in instalments, which will stand here as a
          calendar.
        </p>
      )}
    </>
  );
}

type Fact = readonly [name: string, content: ComponentChildren];

/** What can't be withdrawn yet, and until when. */
function lockFacts({ locked_vesting_shares: locked, next_vesting_unlock: unlock }: PartProps['account']): Fact[] {
  if (locked === undefined || unlock === undefined) return [];
  return [
    ['Locked', <Amount text={locked} />],
    ['Some of them free', <When at={unlock} />],
  ];
}

function withdrawalFacts(account: PartProps['account'], isWithdrawing: boolean): Fact[] {
  if (!isWithdrawing) return [['Turns back into coins', 'nothing at present']];
  const { vesting_withdraw_rate: rate, withdrawals_left: left, next_vesting_withdrawal: next } = account;
  const instalment: Fact = [
    'Turns back into coins',
    <>
      <Amount text={rate} /> an instalment
    </>,
  ];
  return [
    instalment,
    ...(left === undefined ? [] : ([['Instalments left', String(left)]] satisfies Fact[])),
    ...(next === undefined ? [] : ([['Next instalment', <When at={next} />]] satisfies Fact[])),
  ];
}

function Calendar({
  account: { name, vesting_withdraw_rate: rate },
  total,
}: Pick<PartProps, 'account'> & { readonly total: number }) {
  const config = chain.value?.config;
  const interval = {
    count: constantIn(config, 'VESTING_WITHDRAW_INTERVALS') ?? 27,
    seconds: constantIn(config, 'VESTING_WITHDRAW_INTERVAL_SECONDS') ?? DAY,
  };
  const symbol = rate.split(' ')[1] ?? '';
  const asked = useAsked(
    name,
    async (client) => {
      const { history } = await client.call('account_history_api.get_account_history', {
        account: name,
        start: -1,
        limit: MOST_ENTRIES,
      });
      const newestFirst = history.map(([, entry]) => entry).reverse();
      const withdrawal = { account: name, rate: Math.round(Number.parseFloat(rate) * MILLIONTHS), total };
      return instalments(withdrawal, newestFirst, interval);
    },
    headNumber.value,
  );
  const columns: readonly Column<Instalment>[] = [
    { name: 'When', kind: 'text', cell: ({ time }) => <When at={time} /> },
    {
      name: 'What',
      kind: 'number',
      cell: ({ shares }) => <Amount text={`${(shares / MILLIONTHS).toFixed(6)} ${symbol}`} />,
    },
    { name: 'Standing', kind: 'text', cell: ({ isPaid }) => (isPaid ? 'paid' : 'to come') },
  ];
  return (
    <Answer asked={asked}>
      {(rows) => (
        <Table
          caption="Instalments, the first one first"
          columns={columns}
          rows={rows ?? []}
          keyOf={({ time }) => time}
          none={`The withdrawal began before the last ${MOST_ENTRIES} entries of the history, or they are no longer kept: the calendar is not known here.`}
        />
      )}
    </Answer>
  );
}
