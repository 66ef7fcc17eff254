import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client, Operation } from '../../src/client/index.ts';
import { BlockTimes } from '../../src/client/block_times.ts';
import { secondsText } from '../../src/client/chain_time.ts';
import { formatDifference, parseAmount } from '../../src/client/amounts.ts';
import { countBack, datedSteps, type MoneyEntry } from '../../src/client/balance_steps.ts';

const fee = '0.010000 COIN';
const alice = { account: 'alice', coin: 'COIN', isFree: false };
const parties = { fee, from: 'alice', to: 'bob', agent: 'carol', escrow_id: 7 };

/** Entries of successive minutes from 12:00 on; alice pays the fees of those that have one. */
function entries(...operations: Operation[]): MoneyEntry[] {
  return operations.map((op, minute) => ({
    block: minute + 1,
    timestamp: `2026-11-02T12:${String(minute).padStart(2, '0')}:00`,
    op,
    fee_payer: 'fee' in op[1] ? 'alice' : '',
  }));
}

function opened(deadline: string): Operation {
  return [
    'escrow_transfer',
    {
      ...parties,
      ...{ coin_amount: '5.000000 COIN', escrow_fee: '0.500000 COIN', json_meta: '' },
      ...{ ratification_deadline: deadline, escrow_expiration: '2027-01-01T00:00:00' },
    },
  ];
}

function approved(who: string, approve = true): Operation {
  return ['escrow_approve', { ...parties, who, approve }];
}

/** The balance before the first entry. */
function opening(balance: string, given: readonly MoneyEntry[], of = alice, now = '2026-11-02T13:00:00'): string {
  const { steps, unknown } = countBack(balance, given, of, now);
  return unknown ?? formatDifference({ millionths: steps[0]?.millionths ?? 0n, symbol: 'COIN' });
}

test('amounts are counted in millionths, to the last one', () => {
  assert.equal(parseAmount('10000000.000001 COIN').millionths, 10_000_000_000_001n);
  for (const text of ['0.000000 COIN', '12.000001 COIN']) assert.equal(formatDifference(parseAmount(text)), text);
  assert.equal(formatDifference({ millionths: -1_500_000n, symbol: 'COIN' }), '-1.500000 COIN');
});

test('payments, fees, vesting and what comes back are counted, step by step', () => {
  const given = entries(
    ['transfer', { fee, from: 'alice', to: 'bob', amount: '5.000000 COIN', memo: '' }],
    ['transfer', { fee: '0.020000 COIN', from: 'bob', to: 'alice', amount: '2.000000 COIN', memo: '' }],
    ['transfer_to_vesting', { fee, from: 'alice', to: 'bob', amount: '10.000000 COIN' }],
    ['interest', { owner: 'alice', interest: '0.250000 COIN' }],
    ['interest', { owner: 'alice', interest: '0.250000 VESTS' }],
    [
      'fill_vesting_withdraw',
      { from_account: 'alice', to_account: 'alice', withdrawn: '4.000000 VESTS', deposited: '4.000000 COIN' },
    ],
    ['producer_reward', { producer: 'alice', vesting_shares: '1.000000 VESTS' }],
  ).map(({ block, timestamp, op, fee_payer }, index) => {
    return { block, timestamp, op, fee_payer: index === 1 ? 'bob' : fee_payer };
  });
  const { steps, unknown } = countBack('91.230000 COIN', given, alice, '2026-11-02T13:00:00');
  assert.equal(unknown, undefined);
  assert.deepEqual(
    steps.map(({ millionths }) => formatDifference({ millionths, symbol: 'COIN' })),
    [
      ...['100.000000 COIN', '94.990000 COIN', '96.990000 COIN', '86.980000 COIN', '87.230000 COIN'],
      ...['91.230000 COIN', '91.230000 COIN'],
    ],
  );
  assert.ok(steps.every(({ seconds }, index) => index === 0 || seconds >= (steps[index - 1]?.seconds ?? 0)));
});

test('the balance of none stays 0, because a block burns what it was sent', () => {
  const given = entries(['transfer', { fee, from: 'alice', to: 'none', amount: '5.000000 COIN', memo: '' }]);
  assert.equal(opening('0.000000 COIN', given, { ...alice, account: 'none' }), '0.000000 COIN');
  assert.equal(opening('5.000000 COIN', given, { ...alice, account: 'none', isFree: true }), '0.000000 COIN');
});

test('where fees are not taken they are not counted', () => {
  const given = entries(['transfer', { fee, from: 'alice', to: 'bob', amount: '5.000000 COIN', memo: '' }]);
  assert.equal(opening('95.000000 COIN', given, { ...alice, isFree: true }), '100.000000 COIN');
});

test('an escrow that both agreed to is spent, one that was turned down or forgotten comes back', () => {
  const later = '2026-11-02T12:30:00';
  const agreed = entries(opened(later), approved('bob'), approved('carol'));
  assert.equal(opening('94.470000 COIN', agreed), '100.000000 COIN');
  const refused = entries(opened(later), approved('bob', false));
  assert.equal(opening('99.980000 COIN', refused), '100.000000 COIN');
  assert.equal(opening('99.990000 COIN', entries(opened(later))), '100.000000 COIN', 'gone back, which no entry tells');
  assert.equal(opening('94.490000 COIN', entries(opened(later)), alice, later.replace('30', '29')), '100.000000 COIN');
  const carol = { ...alice, account: 'carol' };
  assert.equal(opening('10.500000 COIN', agreed, carol), '10.000000 COIN', 'the agent is paid once both agreed');
});

test('what comes back at a deadline is there for an entry of the same second, which is of a later block', () => {
  const spent = entries(opened('2026-11-02T12:01:00'), [
    'transfer',
    { fee, from: 'alice', to: 'bob', amount: '5.000000 COIN', memo: '' },
  ]);
  const { steps } = countBack('0.500000 COIN', spent, alice, '2026-11-02T13:00:00');
  assert.deepEqual(
    steps.map(({ millionths }) => millionths),
    [5_520_000n, 10_000n, 5_510_000n, 500_000n, 500_000n],
  );
});

test('an escrow has come back when another one has its id', () => {
  const again = entries(opened('2026-11-02T12:01:00'), opened('2026-11-02T12:30:00'), approved('bob'));
  assert.equal(opening('99.970000 COIN', again), '100.000000 COIN');
});

test('the creator pays for an account, whoever pays its fees', () => {
  const authority = { weight_threshold: 1, account_auths: [], key_auths: [] };
  const of = { owner: authority, active: authority, memo_key: '', json_metadata: '' };
  const given = entries(['account_create', { fee: '0.050000 COIN', creator: 'alice', name_seed: 'dave', ...of }]);
  const sponsored = given.map(({ block, timestamp, op }) => ({ block, timestamp, op, fee_payer: 'bob' }));
  assert.equal(opening('99.950000 COIN', sponsored), '100.000000 COIN');
  assert.equal(opening('7.000000 COIN', sponsored, { ...alice, account: 'bob' }), '7.000000 COIN');
});

test('the course begins behind an operation that does not tell how much it moved', () => {
  const given = entries(approved('bob', false), [
    'transfer',
    { fee, from: 'alice', to: 'bob', amount: '5.000000 COIN', memo: '' },
  ]);
  const { steps, unknown } = countBack('10.000000 COIN', given, alice, '2026-11-02T13:00:00');
  assert.equal(unknown, 'escrow_approve');
  assert.deepEqual(
    steps.map(({ millionths }) => millionths),
    [10_000_000n, 10_000_000n],
  );
  const inDollars = entries([
    'transfer',
    { fee: '0.010000 USD', from: 'alice', to: 'bob', amount: '5.000000 COIN', memo: '' },
  ]);
  assert.equal(opening('10.000000 COIN', inDollars), 'transfer');
});

test('a history without an entry has the balance alone', () => {
  assert.equal(countBack('1.000000 COIN', [], alice, '2026-11-02T13:00:00').steps.length, 1);
});

test('steps are shown at the times of their blocks, and what comes back at a deadline in between never before them', async () => {
  // Each block is made an hour after the time that the history has for its operations.
  const call = async (): Promise<object> => await Promise.resolve({ timestamp: '2026-11-02T13:00:00' });
  // Nothing but calls of one method is made of it.
  const client: Client = Object.assign(Object.create(null), { call });
  const given = entries(opened('2026-11-02T12:30:00'));
  const { steps } = countBack('99.990000 COIN', given, alice, '2026-11-02T14:00:00');
  const dated = await datedSteps(client, steps, new BlockTimes(() => 0));
  assert.deepEqual(
    dated.map(({ seconds, millionths }) => [secondsText(seconds), formatDifference({ millionths, symbol: 'COIN' })]),
    [
      ['2026-11-02T11:59:59', '100.000000 COIN'],
      ['2026-11-02T13:00:00', '94.490000 COIN'],
      ['2026-11-02T13:00:00', '99.990000 COIN'],
      ['2026-11-02T14:00:00', '99.990000 COIN'],
    ],
  );
});
