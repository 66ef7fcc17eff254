import type { ComponentChildren } from 'preact';
import { Answer, useAsked } from '../asked.tsx';
import { formatAmount, formatDifference, parseAmount } from '../../../client/amounts.ts';
import { comingInstalments, paidInstalments, type Instalment } from '../../../client/vesting_withdrawals.ts';
import { readConstant } from '../constants.ts';
import { chain } from '../live.tsx';
import { Amount, ColumnAmount, Facts, Section, Table, When, type Column } from '../parts.tsx';
import { durationText } from '../words.ts';
import type { PartProps } from './part.ts';

/** A withdrawal's beginning is looked for so far back. */
const MOST_ENTRIES = 250;
const DAY = 86_400;

/** Vesting shares, and the calendar of what becomes coins again. */
export function AccountVesting({ account }: PartProps) {
  const { vesting_shares: shares, vesting_withdraw_rate: rate } = account;
  const isWithdrawing = parseAmount(rate).millionths > 0n;
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
        <Calendar account={account} />
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

/** Describes locked shares, and when they unlock. */
function lockFacts({
  vesting_shares: shares,
  locked_vesting_shares: locked,
  next_vesting_unlock: unlock,
}: PartProps['account']): Fact[] {
  if (locked === undefined) return [];
  const lockSeconds = readConstant(chain.value?.config, 'MINIMUM_VESTING_SECONDS') ?? 0;
  const { millionths, symbol } = parseAmount(shares);
  const free = millionths - parseAmount(locked).millionths;
  return [
    ['Locked', <Amount text={locked} />],
    ['Not locked', <Amount text={formatDifference({ millionths: free, symbol })} />],
    ...(unlock === undefined ? [] : ([['Next unlock', <When at={unlock} />]] satisfies Fact[])),
    ...(lockSeconds === 0 ? [] : ([['Lock on new shares', durationText(lockSeconds)]] satisfies Fact[])),
  ];
}

function withdrawalFacts(account: PartProps['account'], isWithdrawing: boolean): Fact[] {
  if (!isWithdrawing) return [['Turns back into coins', 'nothing at present']];
  const {
    vesting_withdraw_rate: rate,
    withdrawals_left: left,
    next_vesting_withdrawal: next,
    to_withdraw: total,
    withdrawn,
  } = account;
  const { symbol } = parseAmount(rate);
  const instalment: Fact = [
    'Turns back into coins',
    <>
      <Amount text={rate} /> an instalment
    </>,
  ];
  return [
    instalment,
    ...(withdrawn === undefined
      ? []
      : ([
          [
            'Paid so far',
            <>
              <Amount text={formatAmount({ millionths: withdrawn, symbol })} /> of{' '}
              <Amount text={formatAmount({ millionths: total, symbol })} />
            </>,
          ],
        ] satisfies Fact[])),
    ...(left === undefined ? [] : ([['Instalments left', String(left)]] satisfies Fact[])),
    ...(next === undefined ? [] : ([['Next instalment', <When at={next} />]] satisfies Fact[])),
  ];
}

function Calendar({ account }: Pick<PartProps, 'account'>) {
  const { name, vesting_withdraw_rate: rate, vesting_shares: shares, to_withdraw: total, withdrawn = 0n } = account;
  const seconds = readConstant(chain.value?.config, 'VESTING_WITHDRAW_INTERVAL_SECONDS') ?? DAY;
  const { millionths, symbol } = parseAmount(rate);
  // The paid ones are read again with each payment, and not with each block.
  const asked = useAsked(
    name,
    async (client) => {
      const { history } = await client.call('account_history_api.get_account_history', {
        ...{ account: name, start: -1, limit: MOST_ENTRIES },
      });
      return paidInstalments(name, history.map(([, entry]) => entry).toReversed());
    },
    String(withdrawn),
  );
  const coming =
    account.next_vesting_withdrawal === undefined
      ? []
      : comingInstalments(
          {
            ...{ rate: millionths, total, withdrawn },
            shares: parseAmount(shares).millionths,
            next: account.next_vesting_withdrawal,
          },
          seconds,
        );
  const columns: readonly Column<Instalment>[] = [
    { name: 'When', kind: 'text', cell: ({ time }) => <When at={time} /> },
    {
      name: 'Amount',
      kind: 'number',
      cell: ({ shares: amount }) => <ColumnAmount text={formatAmount({ millionths: amount, symbol })} />,
    },
    { name: 'Status', kind: 'text', cell: ({ isPaid }) => (isPaid ? 'paid' : 'to come') },
  ];
  return (
    <Section title="Calendar of withdrawals">
      <Answer asked={asked}>
        {(paid) => (
          <>
            {paid === undefined && withdrawn > 0n && (
              <p class="quiet">
                Instalments that are paid stand in the history, more than {MOST_ENTRIES} entries back.
              </p>
            )}
            <Table
              caption="Instalments, the first one first"
              columns={columns}
              rows={[...(paid ?? []), ...coming]}
              keyOf={({ time, isPaid }) => `${time} ${isPaid}`}
              none="The node does not tell when the next instalment is due."
            />
          </>
        )}
      </Answer>
    </Section>
  );
}
