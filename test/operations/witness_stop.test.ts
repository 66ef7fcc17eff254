import assert from 'node:assert/strict';
import { test } from 'node:test';

import { adminWitnessUpdate } from '../../src/operations/admin_witness_update.ts';
import { witnessSetProperties } from '../../src/operations/witness_set_properties.ts';
import { witnessStop } from '../../src/operations/witness_stop.ts';
import { witnessUpdate } from '../../src/operations/witness_update.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { witnessVotes } from '../../src/state/tables/witness_vote.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import { isVotedFor, schedule, SIGNING_KEY, vote, votesFor, witnessLedger, witnessOf } from '../builders/witnesses.ts';

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

test('however many votes there are, all are deleted', () => {
  const ledger = witnessLedger(['carol']);
  const voters = Array.from({ length: 2500 }, (_, index) => `voter${index}`);
  ledger.change(({ rows }) => {
    const one = ledger.account('alice');
    voters.forEach((name, index) => {
      rows.put(accounts, { ...one, name, id: 1_000_000n + BigInt(index), witnesses_voted_for: 1 });
      rows.put(witnessVotes, { id: rows.nextId(witnessVotes), account: name, witness: 'carol' });
    });
  });
  ledger.apply(witnessStop.of(good));
  for (const voter of voters) {
    assert(!isVotedFor(ledger, voter, 'carol'));
    assert.equal(ledger.account(voter).witnesses_voted_for, 0);
  }
});

test('in the lineage it only loses its key', () => {
  const ledger = witnessLedger(['carol'], { rules: 'lineage' });
  vote(ledger, 'alice', 'carol');
  const before = witnessOf(ledger, 'carol');
  ledger.apply(witnessStop.of(good));
  assert.deepEqual(witnessOf(ledger, 'carol'), { ...before, signing_key: NULL_KEY });
  assert.equal(votesFor(ledger, 'carol'), ledger.account('alice').balance);
});

const lastProducer = { code: 'last_producer', text: 'no other witness of the running round could produce a block' };

test('the last witness of the round that can sign stays', () => {
  const ledger = witnessLedger(['carol']);
  const stop = { ...good, owner: 'initminer' };
  assertRefused(ledger, witnessStop.of(stop), lastProducer);
  schedule(ledger, ['carol', 'initminer', '']);
  ledger.change(({ rows }) => rows.put(witnesses, { ...witnessOf(ledger, 'carol'), signing_key: NULL_KEY }));
  assertRefused(ledger, witnessStop.of(stop), lastProducer);
  ledger.change(({ rows }) => rows.put(witnesses, { ...witnessOf(ledger, 'carol'), signing_key: SIGNING_KEY }));
  ledger.apply(witnessStop.of(stop));
  assert.equal(ledger.rows.get(witnesses, 'initminer'), undefined);
});

test('in the lineage even the last witness stops', () => {
  const ledger = witnessLedger([], { rules: 'lineage' });
  ledger.apply(witnessStop.of({ ...good, owner: 'initminer' }));
  assert.equal(witnessOf(ledger, 'initminer').signing_key, NULL_KEY);
});

test('the last witness keeps its key, whichever operation would take it', () => {
  const props = { account_creation_fee: { amount: 50_000n, symbol: 'COIN' }, maximum_block_size: 262_144, price_feeds: [] };
  const update = { fee: { amount: 0n, symbol: 'COIN' }, owner: 'initminer', url: 'http://w', block_signing_key: NULL_KEY, props };
  assertRefused(witnessLedger([]), witnessUpdate.of(update), lastProducer);
  assertRefused(witnessLedger([], { isPrivateNet: true }), adminWitnessUpdate.of(update), lastProducer);
  const properties = [
    ['key', SIGNING_KEY],
    ['new_signing_key', NULL_KEY],
  ] as const;
  assertRefused(
    witnessLedger([]),
    witnessSetProperties.of({ fee: update.fee, owner: 'initminer', props: properties, extensions: [] }),
    lastProducer,
  );
});

for (const rules of ['interface', 'lineage'] as const) {
  test(`an account without a witness stops nothing (${rules})`, () => {
    const ledger = witnessLedger([], { rules });
    const before = ledger.rows.stateHash();
    ledger.apply(witnessStop.of(good));
    assert.equal(ledger.rows.stateHash(), before);
  });
}
