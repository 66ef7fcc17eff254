import assert from 'node:assert/strict';
import { test } from 'node:test';

import { setResetAccount } from '../../src/operations/set_reset_account.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { Ledger } from '../builders/ledger.ts';

const good = {
  fee: { amount: 0n, symbol: 'COIN' },
  account: 'alice',
  current_reset_account: 'none',
  reset_account: 'bob',
};
const mismatch = {
  code: 'not_current_reset_account',
  text: 'Current reset account does not match reset account on account.',
};

testRefusals({
  kind: setResetAccount,
  build: () => new Ledger(),
  good,
  faults: [
    {
      code: 'reset_accounts_equal',
      text: 'new reset account cannot be current reset account',
      body: { current_reset_account: 'bob', reset_account: 'bob' },
    },
    { code: 'unknown_key', text: 'unknown key', body: { account: 'nobody' } },
    { code: 'unknown_key', text: 'unknown key', body: { reset_account: 'nobody' } },
    { ...mismatch, body: { current_reset_account: 'carol' } },
  ],
});

test('the choice holds at once and can be changed', () => {
  const ledger = new Ledger();
  ledger.apply(setResetAccount.of(good));
  assert.equal(ledger.account('alice').reset_account, 'bob');
  ledger.apply(setResetAccount.of({ ...good, current_reset_account: 'bob', reset_account: 'carol' }));
  assert.equal(ledger.account('alice').reset_account, 'carol');
});

test('an operation that says there was no reset account needs no signature, and fails because there always is one', () => {
  const operation = setResetAccount.of({ ...good, current_reset_account: '' });
  assert.deepEqual(operation.authorities(), {});
  assert.deepEqual(operation.impacted(), []);
  assertRefused(new Ledger(), operation, mismatch);
  assert.deepEqual(setResetAccount.of(good).authorities(), { owner: ['alice'] });
  assert.deepEqual(setResetAccount.of(good).impacted(), ['alice']);
});
