import assert from 'node:assert/strict';
import { test } from 'node:test';

import { witnessStop } from '../../src/operations/witness_stop.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { testRefusals } from '../builders/faults.ts';
import { isVotedFor, vote, votesFor, witnessLedger, witnessOf } from '../builders/witnesses.ts';

const good = { fee: { amount: 10_000n, symbol: 'COIN' }, owner: 'carol' };

testRefusals({
  kind: witnessStop,
  build: () => witnessLedger(['carol']),
  good,
  faults: [{ code: 'unknown_key', text: 'unknown key', body: { owner: 'nobody' } }],
});

test('the witness is deleted with all votes for it, and other votes stay', () => {
  const ledger = witnessLedger(['carol', 'dave']);
  for (const voter of ['alice', 'bob']) vote(ledger, voter, 'carol');
  vote(ledger, 'alice', 'dave');
  ledger.apply(witnessStop.of(good));
  assert.equal(ledger.rows.get(witnesses, 'carol'), undefined);
  assert.deepEqual(
    [isVotedFor(ledger, 'alice', 'carol'), isVotedFor(ledger, 'bob', 'carol'), isVotedFor(ledger, 'alice', 'dave')],
    [false, false, true],
  );
  assert.deepEqual([ledger.account('alice').witnesses_voted_for, ledger.account('bob').witnesses_voted_for], [1, 0]);
});

test('in the lineage it only loses its key', () => {
  const ledger = witnessLedger(['carol'], { rules: 'lineage' });
  vote(ledger, 'alice', 'carol');
  const before = witnessOf(ledger, 'carol');
  ledger.apply(witnessStop.of(good));
  assert.deepEqual(witnessOf(ledger, 'carol'), { ...before, signing_key: NULL_KEY });
  assert.equal(votesFor(ledger, 'carol'), ledger.account('alice').balance);
});

for (const rules of ['interface', 'lineage'] as const) {
  test(`an account without a witness stops nothing (${rules})`, () => {
    const ledger = witnessLedger([], { rules });
    const before = ledger.rows.stateHash();
    ledger.apply(witnessStop.of(good));
    assert.equal(ledger.rows.stateHash(), before);
  });
}
