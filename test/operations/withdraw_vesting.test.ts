import assert from 'node:assert/strict';
import { test } from 'node:test';

import { withdrawVesting } from '../../src/operations/withdraw_vesting.ts';
import { unvest } from '../../src/state/vesting.ts';
import { NEVER } from '../../src/values/limits.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { FUNDS, Ledger, START, type LedgerOptions } from '../builders/ledger.ts';
import { endow, requireVesting, vote, votesFor, witnessLedger, witnessOf } from '../builders/witnesses.ts';

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
    { code: 'amount_symbol', text: 'Amount must be VESTS', body: { vesting_shares: { amount: -1n, symbol: 'COIN' } }, alone: true },
    { code: 'amount_negative', text: 'Cannot withdraw a negative amount', body: { vesting_shares: vests(-1n) }, alone: true },
    { code: 'unknown_key', text: 'unknown key', body: { account: 'nobody' } },
    {
      code: 'insufficient_vesting',
      text: 'Account does not have sufficient COIN VESTS for withdraw.',
      body: { vesting_shares: vests(1_000_001n) },
      alone: true,
    },
    {
      code: 'vesting_too_young',
      text: 'Vesting shares of this account can be withdrawn from 2027-11-21T00:00:01 on',
      given: (ledger) => ledger.changeAccount('alice', { last_vesting: START + 1 }),
    },
    {
      code: 'rate_unchanged',
      text: 'This operation would not change the vesting withdraw rate.',
      given: (ledger) => ledger.changeAccount('alice', { vesting_withdraw_rate: 100n }),
    },
    {
      code: 'witness_needs_vesting',
      text: 'a witness must keep 997301 of vested balance',
      given: (ledger) => requireVesting(ledger, 997_301n),
    },
  ],
});

const plans: readonly [amount: bigint, rate: bigint][] = [
  [27n, 1n],
  [28n, 1n],
  [80n, 2n],
  [100n, 3n],
  [1_000_000n, 37_037n],
  [1n, 1n],
  [26n, 1n],
];

for (const [amount, rate] of plans) {
  test(`${amount} are withdrawn ${rate} a day from tomorrow on`, () => {
    const ledger = vested();
    const before = ledger.account('alice');
    withdraw(ledger, amount);
    const running = { vesting_withdraw_rate: rate, next_vesting_withdrawal: START + 86_400, to_withdraw: amount, withdrawn: 0n };
    assert.deepEqual(ledger.account('alice'), { ...before, ...running });
  });
}

test('a withdrawal replaces the running one, and 0 stops it', () => {
  const ledger = vested();
  withdraw(ledger, 2_700n);
  ledger.changeAccount('alice', { withdrawn: 100n });
  withdraw(ledger, 5_400n);
  const { to_withdraw, withdrawn, vesting_withdraw_rate } = ledger.account('alice');
  assert.deepEqual({ to_withdraw, withdrawn, vesting_withdraw_rate }, { to_withdraw: 5_400n, withdrawn: 0n, vesting_withdraw_rate: 200n });
  withdraw(ledger, 0n);
  const stopped = { vesting_withdraw_rate: 0n, next_vesting_withdrawal: NEVER, to_withdraw: 0n, withdrawn: 0n };
  assert.deepEqual({ ...ledger.account('alice'), ...stopped }, ledger.account('alice'));
  const nothing = withdrawVesting.of({ ...good, vesting_shares: vests(0n) });
  assertRefused(ledger, nothing, { code: 'rate_unchanged', text: 'This operation would not change the vesting withdraw rate.' });
});

test('vesting shares stay for a year after the latest vesting, a running withdrawal can be stopped before', () => {
  const ledger = vested();
  ledger.changeAccount('alice', { last_vesting: START, vesting_withdraw_rate: 5n });
  ledger.moveTo(YEAR - 1);
  withdraw(ledger, 0n);
  const text = 'Vesting shares of this account can be withdrawn from 2027-11-21T00:00:00 on';
  assertRefused(ledger, withdrawVesting.of(good), { code: 'vesting_too_young', text });
  ledger.moveTo(YEAR);
  withdraw(ledger, 2_700n);
});

test('the lineage knows no minimum duration', () => {
  const ledger = vested({ rules: 'lineage' });
  ledger.changeAccount('alice', { last_vesting: START });
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
  ledger.change(({ rows }) => rows.put(witnesses, { ...witnessOf(ledger, 'alice'), signing_key: NULL_KEY }));
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
    assert.equal(votesFor(ledger, 'initminer'), left);
    assert.deepEqual([ledger.account('alice').balance, ledger.account('alice').vesting_shares], [FUNDS + 100_000n, 900_000n]);
  }
});

test('withdrawing is not available in private nets', () => {
  const refusal = { code: 'not_in_private_nets', text: 'This operation is not available in private nets' };
  assertRefused(new Ledger({ isPrivateNet: true }), withdrawVesting.of(good), refusal);
});
