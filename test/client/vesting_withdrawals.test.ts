import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '../../src/client/index.ts';
import { comingInstalments, paidInstalments } from '../../src/client/vesting_withdrawals.ts';

const begins: Operation = [
  'withdraw_vesting',
  { fee: '0.000000 COIN', account: 'bob', vesting_shares: '10.000000 VESTS' },
];
const fills: Operation = [
  'fill_vesting_withdraw',
  { from_account: 'bob', to_account: 'bob', withdrawn: '4.000000 VESTS', deposited: '4.000000 COIN' },
];
const other: Operation = ['interest', { owner: 'bob', interest: '1.000000 COIN' }];
const DAY = 86_400;
const withdrawal = {
  ...{ rate: 4_000_000n, total: 10_000_000n, withdrawn: 4_000_000n, shares: 50_000_000n },
  next: '2026-11-03T12:00:00',
};

test('the calendar has all that is to come, to the last unit, whether the history is kept or not', () => {
  assert.deepEqual(comingInstalments(withdrawal, DAY), [
    { time: '2026-11-03T12:00:00', shares: 4_000_000n, isPaid: false },
    { time: '2026-11-04T12:00:00', shares: 2_000_000n, isPaid: false },
  ]);
  const all = comingInstalments({ ...withdrawal, withdrawn: 0n }, DAY);
  assert.deepEqual(
    all.map(({ shares }) => shares),
    [4_000_000n, 4_000_000n, 2_000_000n],
  );
});

test('no more is paid than the account has, and nothing once the withdrawal has ended', () => {
  const poor = comingInstalments({ ...withdrawal, shares: 5_000_000n }, DAY);
  assert.deepEqual(
    poor.map(({ shares }) => shares),
    [4_000_000n, 1_000_000n],
  );
  assert.deepEqual(comingInstalments({ ...withdrawal, rate: 0n }, DAY), []);
  assert.deepEqual(comingInstalments({ ...withdrawal, withdrawn: 10_000_000n }, DAY), []);
  assert.ok(
    comingInstalments({ ...withdrawal, rate: 1n, total: 1_000_000_000n, shares: 1_000_000_000n }, DAY).length <= 400,
  );
});

test('the paid instalments of the running withdrawal stand in the history, and not those of one before', () => {
  const history = [
    { timestamp: '2026-11-02T12:00:06', op: other },
    { timestamp: '2026-11-02T12:00:00', op: fills },
    { timestamp: '2026-11-01T12:00:00', op: begins },
    { timestamp: '2026-10-01T12:00:00', op: fills },
  ];
  assert.deepEqual(paidInstalments('bob', history), [
    { time: '2026-11-02T12:00:00', shares: 4_000_000n, isPaid: true },
  ]);
  assert.equal(paidInstalments('bob', [{ timestamp: '2026-11-02T12:00:00', op: fills }]), undefined);
});
