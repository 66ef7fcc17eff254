import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '../../../src/client/index.ts';
import { instalments } from '../../../src/pages/explorer/vesting.ts';

const begins: Operation = [
  'withdraw_vesting',
  { fee: '0.000000 COIN', account: 'bob', vesting_shares: '10.000000 VESTS' },
];
const fills: Operation = [
  'fill_vesting_withdraw',
  { from_account: 'bob', to_account: 'bob', withdrawn: '4.000000 VESTS', deposited: '4.000000 COIN' },
];
const other: Operation = ['interest', { owner: 'bob', interest: '1.000000 COIN' }];
const withdrawal = { account: 'bob', rate: 4_000_000, total: 10_000_000 };
const daily = { count: 3, seconds: 86_400 };

test('the calendar has what is paid and what is to come, to the last unit', () => {
  const history = [
    { timestamp: '2026-11-02T12:00:06', op: other },
    { timestamp: '2026-11-02T12:00:00', op: fills },
    { timestamp: '2026-11-01T12:00:00', op: begins },
    { timestamp: '2026-10-01T12:00:00', op: fills },
  ];
  assert.deepEqual(instalments(withdrawal, history, daily), [
    { time: '2026-11-02T12:00:00', shares: 4_000_000, isPaid: true },
    { time: '2026-11-03T12:00:00', shares: 4_000_000, isPaid: false },
    { time: '2026-11-04T12:00:00', shares: 2_000_000, isPaid: false },
  ]);
});

test('before the first instalment all are to come, counted from the beginning', () => {
  const found = instalments(withdrawal, [{ timestamp: '2026-11-01T12:00:00', op: begins }], daily);
  assert.deepEqual(
    found?.map(({ time }) => time),
    ['2026-11-02T12:00:00', '2026-11-03T12:00:00', '2026-11-04T12:00:00'],
  );
});

test('without the beginning in the history nothing is guessed', () => {
  assert.equal(instalments(withdrawal, [{ timestamp: '2026-11-02T12:00:00', op: fills }], daily), undefined);
  assert.equal(
    instalments({ ...withdrawal, rate: 0 }, [{ timestamp: '2026-11-01T12:00:00', op: begins }], daily),
    undefined,
  );
});
