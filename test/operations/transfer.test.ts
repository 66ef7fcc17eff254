import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { transfer } from '../../src/operations/transfer.ts';
import { profiles } from '../../src/values/profile.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { FUNDS, Ledger } from '../builders/ledger.ts';

const coins = (amount: bigint): { amount: bigint; symbol: string } => ({ amount, symbol: 'COIN' });
const good = { fee: coins(10_000n), from: 'alice', to: 'bob', amount: coins(1_000_000n), memo: 'hello' };

testRefusals({
  kind: transfer,
  build: () => new Ledger(),
  good,
  faults: [
    {
      code: 'vests_not_transferable',
      text: 'transferring of COIN Power (STMP) is not allowed.',
      body: { amount: { amount: 0n, symbol: 'VESTS' } },
      alone: true,
    },
    {
      code: 'amount_not_positive',
      text: 'Cannot transfer a negative amount (aka: stealing)',
      body: { amount: coins(0n) },
      alone: true,
    },
    { code: 'memo_too_large', text: 'Memo is too large', body: { memo: '\udc80'.repeat(2048) } },
    { code: 'memo_not_utf8', text: 'Memo is not UTF8', body: { memo: 'a\udcff' } },
    { code: 'unknown_key', text: 'unknown key', body: { from: 'nobody' } },
    {
      code: 'invalid_symbol',
      text: 'invalid symbol',
      body: { amount: { amount: 10n ** 15n, symbol: 'USD' } },
      alone: true,
    },
    {
      code: 'insufficient_funds',
      text: 'Account does not have sufficient funds for transfer.',
      body: { amount: coins(FUNDS + 1n) },
    },
    { code: 'unknown_key', text: 'unknown key', body: { to: 'nobody' } },
  ],
});

test('a transfer moves the amount, all of it if need be', () => {
  const ledger = new Ledger();
  ledger.apply(transfer.of({ ...good, amount: coins(FUNDS) }));
  assert.deepEqual([ledger.account('alice').balance, ledger.account('bob').balance], [0n, 2n * FUNDS]);
});

test('a transfer to oneself changes nothing', () => {
  const ledger = new Ledger();
  const before = ledger.rows.stateHash();
  ledger.apply(transfer.of({ ...good, to: 'alice' }));
  assert.equal(ledger.rows.stateHash(), before);
});

test('a memo of 2047 bytes is the longest', () => {
  new Ledger().apply(transfer.of({ ...good, memo: 'é'.repeat(1023) + 'a' }));
  assertRefused(new Ledger(), transfer.of({ ...good, memo: 'é'.repeat(1024) }), {
    code: 'memo_too_large',
    text: 'Memo is too large',
  });
});

test('the receiver’s interest counts from now to its turn, the sender’s stops', () => {
  // alice has id 0 and bob id 1; the head is block 1, so their turns are 2399 and 2400 blocks away.
  for (const [rules, turnsOfBob] of [
    ['interface', 2400n],
    ['lineage', 0n],
  ] as const) {
    const ledger = new Ledger({ rules });
    const before = ledger.account('alice').holdings_considered_for_interests;
    ledger.apply(transfer.of(good));
    assert.equal(ledger.account('alice').holdings_considered_for_interests, before - 2399n * 1_000_000n);
    assert.equal(ledger.account('bob').holdings_considered_for_interests, before + turnsOfBob * 1_000_000n);
  }
});

test('the refusal of vesting shares calls the chain by its own name', () => {
  const ledger = new Ledger({ profile: present(profiles['lineage'], 'the lineage profile') });
  const amount = { amount: 1n, symbol: 'VESTS' };
  assertRefused(ledger, transfer.of({ ...good, amount }), {
    code: 'vests_not_transferable',
    text: 'transferring of SophiaTX Power (STMP) is not allowed.',
  });
});

test('a transfer is not available in private nets', () => {
  const refusal = { code: 'not_in_private_nets', text: 'This operation is not available in private nets' };
  assertRefused(new Ledger({ isPrivateNet: true }), transfer.of(good), refusal);
});

test('sender and receiver get it into their histories, the sender signs and pays', () => {
  const operation = transfer.of(good);
  assert.deepEqual(operation.impacted(), ['alice', 'bob']);
  assert.deepEqual(operation.authorities(), { active: ['alice'] });
  assert.deepEqual([operation.feeAccount(), operation.feeRule()], ['alice', 'base']);
});
