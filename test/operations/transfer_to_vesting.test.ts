import assert from 'node:assert/strict';
import { test } from 'node:test';

import { transferToVesting } from '../../src/operations/transfer_to_vesting.ts';
import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { FUNDS, Ledger, START } from '../builders/ledger.ts';
import { vote, countVotes, witnessLedger } from '../builders/witnesses.ts';

const coins = (amount: bigint): { amount: bigint; symbol: string } => ({ amount, symbol: 'COIN' });
const good = { fee: coins(0n), from: 'alice', to: 'bob', amount: coins(1_000_000n) };

testRefusals({
  kind: transferToVesting,
  build: () => new Ledger(),
  good,
  faults: [
    {
      code: 'amount_symbol',
      text: 'Amount must be COIN',
      body: { amount: { amount: 0n, symbol: 'VESTS' } },
      alone: true,
    },
    { code: 'amount_not_positive', text: 'Must transfer a nonzero amount', body: { amount: coins(0n) }, alone: true },
    { code: 'unknown_key', text: 'unknown key', body: { from: 'nobody' } },
    { code: 'unknown_key', text: 'unknown key', body: { to: 'nobody' } },
    {
      code: 'insufficient_funds',
      text: 'Account does not have sufficient COIN for transfer.',
      body: { amount: coins(FUNDS + 1n) },
    },
  ],
});

for (const to of ['', 'alice']) {
  test(`coins become vesting shares of the sender when to is "${to}"`, () => {
    const ledger = new Ledger();
    const before = ledger.account('alice');
    ledger.apply(transferToVesting.of({ ...good, to }));
    const after = ledger.account('alice');
    assert.deepEqual(after, {
      ...before,
      balance: FUNDS - 1_000_000n,
      vesting_shares: 1_000_000n,
      vestings: [{ latest: START, shares: 1_000_000n }],
    });
    assert.equal(ledger.rows.only(dynamicGlobalProperties).total_vesting_shares, 1_000_000n);
    assert.deepEqual(transferToVesting.of({ ...good, to }).impacted(), ['alice']);
  });
}

test('coins become vesting shares of another account, which starts its minimum duration', () => {
  const ledger = new Ledger();
  ledger.moveTime(500);
  ledger.apply(transferToVesting.of(good));
  assert.equal(ledger.account('alice').balance, FUNDS - 1_000_000n);
  assert.deepEqual(ledger.account('alice').vestings, []);
  const { balance, vesting_shares, vestings } = ledger.account('bob');
  assert.deepEqual([balance, vesting_shares], [FUNDS, 1_000_000n]);
  assert.deepEqual(vestings, [{ latest: START + 500, shares: 1_000_000n }]);
});

test('where only vesting shares vote, vesting adds votes', () => {
  const ledger = witnessLedger(['carol'], { rules: 'interface' });
  for (const voter of ['alice', 'bob']) vote(ledger, voter, 'carol');
  assert.equal(countVotes(ledger, 'carol'), 0n);
  ledger.apply(transferToVesting.of({ ...good, to: '' }));
  assert.equal(countVotes(ledger, 'carol'), 1_000_000n);
  ledger.apply(transferToVesting.of(good));
  assert.equal(countVotes(ledger, 'carol'), 2_000_000n);
});

test('where coins vote as well, vesting moves votes only between accounts', () => {
  const ledger = witnessLedger(['carol', 'dave'], { rules: 'lineage' });
  vote(ledger, 'alice', 'carol');
  vote(ledger, 'bob', 'dave');
  ledger.apply(transferToVesting.of({ ...good, to: '' }));
  assert.equal(countVotes(ledger, 'carol'), FUNDS);
  ledger.apply(transferToVesting.of(good));
  assert.deepEqual([countVotes(ledger, 'carol'), countVotes(ledger, 'dave')], [FUNDS - 1_000_000n, FUNDS + 1_000_000n]);
});

test('vesting is not available in private nets', () => {
  const refusal = { code: 'not_in_private_nets', text: 'This operation is not available in private nets' };
  assertRefused(new Ledger({ isPrivateNet: true }), transferToVesting.of(good), refusal);
});
