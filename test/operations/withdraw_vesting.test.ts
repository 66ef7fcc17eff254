import assert from 'node:assert/strict';
import { test } from 'node:test';

import { payVestingWithdrawals } from '../../src/chain/apply/vesting_withdrawals.ts';
import { transferToVesting } from '../../src/operations/transfer_to_vesting.ts';
import { withdrawVesting } from '../../src/operations/withdraw_vesting.ts';
import { unvest } from '../../src/state/vesting.ts';
import { NEVER } from '../../src/values/limits.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { RandomSource } from '../builders/random_source.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { FUNDS, Ledger, START, type LedgerOptions } from '../builders/ledger.ts';
import { endow, requireVesting, vote, countVotes, witnessLedger, getWitness } from '../builders/witnesses.ts';

const vests = (amount: bigint): { amount: bigint; symbol: string } => ({ amount, symbol: 'VESTS' });
const good = { fee: { amount: 0n, symbol: 'COIN' }, account: 'alice', vesting_shares: vests(2_700n) };
const YEAR = 31_536_000;

function vested(options: LedgerOptions = {}): Ledger {
  const ledger = witnessLedger(['alice'], options);
  endow(ledger, 'alice', 1_000_000n);
  return ledger;
}

function withdraw(ledger: Ledger, amount: bigint): void {
  ledger.apply(withdrawVesting.of({ ...good, vesting_shares: vests(amount) }));
}

testRefusals({
  kind: withdrawVesting,
  build: vested,
  good,
  faults: [
    {
      code: 'amount_symbol',
      text: 'Amount must be VESTS',
      body: { vesting_shares: { amount: -1n, symbol: 'COIN' } },
      alone: true,
    },
    {
      code: 'amount_negative',
      text: 'an amount of 0 or more expected, got -0.000001 VESTS',
      body: { vesting_shares: vests(-1n) },
      alone: true,
    },
    { code: 'unknown_key', text: 'unknown key', body: { account: 'nobody' } },
    {
      code: 'insufficient_vesting',
      text: 'Account does not have sufficient COIN VESTS for withdraw.',
      body: { vesting_shares: vests(1_000_001n) },
      alone: true,
    },
    {
      code: 'vesting_too_young',
      text: '0.999999 VESTS of the vesting shares stay vested, the next 0.999999 VESTS of them until 2027-11-21T00:00:01; 0.000001 VESTS can be withdrawn',
      given: (ledger) => ledger.changeAccount('alice', { vestings: [{ latest: START + 1, shares: 999_999n }] }),
    },
    {
      code: 'rate_unchanged',
      text: 'This operation would not change the vesting withdraw rate.',
      given: (ledger) => ledger.changeAccount('alice', { vesting_withdraw_rate: 100n }),
    },
    {
      code: 'witness_needs_vesting',
      text: 'witness alice must keep 0.997301 VESTS of its 1.000000 VESTS, so it cannot withdraw 0.002700 VESTS',
      given: (ledger) => requireVesting(ledger, 997_301n),
    },
  ],
});

interface Plan {
  readonly amount: bigint;
  readonly rate: bigint;
  readonly count: number;
  readonly last: bigint;
}

const plan = (amount: bigint, rate: bigint, count: number, last: bigint): Plan => ({ amount, rate, count, last });

const plans: Readonly<Record<RuleSet, readonly Plan[]>> = {
  interface: [
    plan(1n, 1n, 1, 1n),
    plan(26n, 1n, 26, 1n),
    plan(27n, 1n, 27, 1n),
    plan(28n, 2n, 14, 2n),
    plan(80n, 3n, 27, 2n),
    plan(100n, 4n, 25, 4n),
    plan(1_000_000n, 37_038n, 27, 37_012n),
  ],
  // chain_rules.md#withdrawals
  lineage: [
    plan(1n, 1n, 1, 1n),
    plan(26n, 1n, 26, 1n),
    plan(27n, 1n, 27, 1n),
    plan(28n, 1n, 28, 1n),
    plan(80n, 2n, 40, 2n),
    plan(100n, 3n, 34, 1n),
    plan(1_000_000n, 37_037n, 28, 1n),
  ],
};

for (const rules of ['interface', 'lineage'] as const) {
  for (const { amount, rate, count, last } of plans[rules]) {
    test(`${amount} are withdrawn ${rate} a day from tomorrow on, in ${count} instalments, under rules ${rules}`, () => {
      const ledger = vested({ rules });
      const before = ledger.account('alice');
      withdraw(ledger, amount);
      const running = {
        vesting_withdraw_rate: rate,
        next_vesting_withdrawal: START + 86_400,
        to_withdraw: amount,
        withdrawn: 0n,
      };
      assert.deepEqual(ledger.account('alice'), { ...before, ...running });
      const paid = paidDaily(ledger);
      assert.deepEqual([paid.length, paid.at(-1)], [count, last]);
      assert(paid.slice(0, -1).every((each) => each === rate));
    });
  }
}

test('a withdrawal of any amount pays all of it in no more instalments than the genesis states', () => {
  const randomSource = new RandomSource(5);
  for (let tried = 0; tried < 40; tried++) {
    const intervals = 1 + randomSource.roll(40);
    const ledger = vested({ genesis: { vesting_withdraw_intervals: intervals } });
    const amount = BigInt(1 + randomSource.roll(randomSource.pick([30, 1000, 1_000_000])));
    withdraw(ledger, amount);
    const paid = paidDaily(ledger);
    assert(paid.length <= intervals, `${paid.length} instalments of ${amount} in ${intervals}`);
    assert.equal(
      paid.reduce((sum, each) => sum + each, 0n),
      amount,
    );
  }
});

/** The instalments of alice's withdrawal, a day one after the other, until it is over. */
function paidDaily(ledger: Ledger): bigint[] {
  const paid: bigint[] = [];
  while (ledger.account('alice').vesting_withdraw_rate !== 0n) {
    ledger.moveTime((paid.length + 1) * 86_400);
    const { balance } = ledger.account('alice');
    ledger.change(payVestingWithdrawals);
    paid.push(ledger.account('alice').balance - balance);
  }
  return paid;
}

test('a withdrawal replaces the running one, and 0 stops it', () => {
  const ledger = vested();
  withdraw(ledger, 2_700n);
  ledger.changeAccount('alice', { withdrawn: 100n });
  withdraw(ledger, 5_400n);
  const { to_withdraw, withdrawn, vesting_withdraw_rate } = ledger.account('alice');
  assert.deepEqual(
    { to_withdraw, withdrawn, vesting_withdraw_rate },
    { to_withdraw: 5_400n, withdrawn: 0n, vesting_withdraw_rate: 200n },
  );
  withdraw(ledger, 0n);
  const stopped = { vesting_withdraw_rate: 0n, next_vesting_withdrawal: NEVER, to_withdraw: 0n, withdrawn: 0n };
  assert.deepEqual({ ...ledger.account('alice'), ...stopped }, ledger.account('alice'));
  const nothing = withdrawVesting.of({ ...good, vesting_shares: vests(0n) });
  assertRefused(ledger, nothing, {
    code: 'rate_unchanged',
    text: 'This operation would not change the vesting withdraw rate.',
  });
});

test('vesting shares stay for a year after they were vested, a running withdrawal can be stopped before', () => {
  const ledger = vested();
  ledger.changeAccount('alice', { vestings: [{ latest: START, shares: 1_000_000n }], vesting_withdraw_rate: 5n });
  ledger.moveTime(YEAR - 1);
  withdraw(ledger, 0n);
  const text =
    '1.000000 VESTS of the vesting shares stay vested, the next 1.000000 VESTS of them until 2027-11-21T00:00:00; 0.000000 VESTS can be withdrawn';
  assertRefused(ledger, withdrawVesting.of(good), { code: 'vesting_too_young', text });
  ledger.moveTime(YEAR);
  withdraw(ledger, 2_700n);
});

const BUCKET = Math.ceil(YEAR / 12);

test('a trifle that somebody vests to an account keeps nothing back but what came in the same twelfth of the duration', () => {
  const ledger = new Ledger();
  const vest = (from: string, amount: bigint): void =>
    ledger.apply(transferToVesting.of({ fee: ledger.coins(0n), from, to: 'alice', amount: ledger.coins(amount) }));
  vest('alice', 600_000n);
  ledger.moveTime(BUCKET);
  vest('alice', 400_000n);
  for (let at = 2; at < 12; at++) {
    ledger.moveTime(at * BUCKET);
    vest('bob', 1n);
  }
  ledger.moveTime(YEAR);
  vest('bob', 1n);
  assert(ledger.account('alice').vestings.length <= 13, 'never more than 13 buckets');
  withdraw(ledger, 600_000n);
  const more = withdrawVesting.of({ ...good, vesting_shares: vests(600_001n) });
  const text =
    '0.400011 VESTS of the vesting shares stay vested, the next 0.400000 VESTS of them until 2027-12-21T10:00:00; 0.600000 VESTS can be withdrawn';
  assertRefused(ledger, more, { code: 'vesting_too_young', text });
});

test('however often somebody vests, coins are free after the duration and a twelfth of it, in at most 13 buckets', () => {
  const ledger = new Ledger();
  const randomSource = new RandomSource(7);
  const vestings: { readonly at: number; readonly shares: bigint }[] = [];
  for (let at = 1; at < 3 * YEAR; at += 1 + randomSource.roll(BUCKET / 3)) {
    ledger.moveTime(at);
    const shares = BigInt(1 + randomSource.roll(1000));
    ledger.apply(
      transferToVesting.of({ fee: ledger.coins(0n), from: 'bob', to: 'alice', amount: ledger.coins(shares) }),
    );
    vestings.push({ at, shares });
    const locked = ledger.account('alice').vestings.filter(({ latest }) => latest + YEAR > START + at);
    const sum = locked.reduce((all, each) => all + each.shares, 0n);
    const young = (age: number): bigint =>
      vestings.reduce((all, each) => (each.at + age > at ? all + each.shares : all), 0n);
    assert(locked.length <= 13, 'buckets');
    assert(sum >= young(YEAR), 'nothing is free before its time');
    assert(sum <= young(YEAR + BUCKET), 'nothing waits longer than a bucket more');
  }
});

test('the genesis says how shares are withdrawn, but not in the lineage', () => {
  for (const [rules, rate, seconds] of [
    ['interface', 1_350n, 60],
    ['lineage', 100n, 86_400],
  ] as const) {
    const ledger = vested({ rules, genesis: { vesting_withdraw_intervals: 2, vesting_withdraw_interval_seconds: 60 } });
    withdraw(ledger, 2_700n);
    const { vesting_withdraw_rate, next_vesting_withdrawal } = ledger.account('alice');
    assert.deepEqual([vesting_withdraw_rate, next_vesting_withdrawal], [rate, START + seconds]);
  }
});

test('the lineage knows no minimum duration', () => {
  const ledger = vested({ rules: 'lineage' });
  ledger.changeAccount('alice', { vestings: [{ latest: START, shares: 1_000_000n }] });
  withdraw(ledger, 2_700n);
});

test('the lineage accepts negative amounts', () => {
  const ledger = vested({ rules: 'lineage' });
  withdraw(ledger, -2_700n);
  assert.equal(ledger.account('alice').vesting_withdraw_rate, -100n);
  withdraw(ledger, -5n);
  assert.equal(ledger.account('alice').vesting_withdraw_rate, 1n);
});

test('a witness that has stopped may withdraw everything', () => {
  const ledger = vested();
  requireVesting(ledger, 1_000_000n);
  ledger.change(({ rows }) => rows.put(witnesses, { ...getWitness(ledger, 'alice'), signing_key: NULL_KEY }));
  withdraw(ledger, 1_000_000n);
});

test('an instalment turns shares into coins; votes follow where only shares vote', () => {
  for (const [rules, left] of [
    ['interface', 900_000n],
    ['lineage', FUNDS + 1_000_000n],
  ] as const) {
    const ledger = vested({ rules });
    vote(ledger, 'alice', 'initminer');
    ledger.change((state) => unvest(state, 'alice', 100_000n));
    assert.equal(countVotes(ledger, 'initminer'), left);
    assert.deepEqual(
      [ledger.account('alice').balance, ledger.account('alice').vesting_shares],
      [FUNDS + 100_000n, 900_000n],
    );
  }
});

test('withdrawing is not available in private nets', () => {
  const refusal = { code: 'not_in_private_nets', text: 'This operation is not available in private nets' };
  assertRefused(new Ledger({ isPrivateNet: true }), withdrawVesting.of(good), refusal);
});
