import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accountWitnessVote } from '../../src/operations/account_witness_vote.ts';
import { adminWitnessUpdate } from '../../src/operations/admin_witness_update.ts';
import { transferToVesting } from '../../src/operations/transfer_to_vesting.ts';
import { witnessSetProperties } from '../../src/operations/witness_set_properties.ts';
import { witnessStop } from '../../src/operations/witness_stop.ts';
import { witnessUpdate } from '../../src/operations/witness_update.ts';
import { removeStoppedVotes } from '../../src/state/stopped_witnesses.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { stoppedWitnesses } from '../../src/state/tables/stopped_witness.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { witnessVotes } from '../../src/state/tables/witness_vote.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { assertRefused, testRefusals } from '../builders/faults.ts';
import {
  endow,
  hasVote,
  schedule,
  SIGNING_KEY,
  vote,
  countVotes,
  witnessLedger,
  getWitness,
} from '../builders/witnesses.ts';

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
    [hasVote(ledger, 'alice', 'carol'), hasVote(ledger, 'bob', 'carol'), hasVote(ledger, 'alice', 'dave')],
    [false, false, true],
  );
  ledger.change(removeStoppedVotes);
  assert.deepEqual([ledger.account('alice').witnesses_voted_for, ledger.account('bob').witnesses_voted_for], [1, 0]);
});

test('however many votes there are, none counts from then on, and later blocks delete so many each', () => {
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
  for (const voter of voters) assert(!hasVote(ledger, voter, 'carol'));
  const left = (): number => voters.filter((voter) => ledger.account(voter).witnesses_voted_for > 0).length;
  const { due_per_block } = ledger.parameters.rules;
  for (let removed = 0; removed <= voters.length; removed += due_per_block) {
    assert.equal(left(), voters.length - removed);
    ledger.change(removeStoppedVotes);
  }
  assert.equal(ledger.rows.first(stoppedWitnesses.by_id), undefined);
});

test('a witness who returns before its votes are deleted starts without votes, and loses no new one', () => {
  const ledger = witnessLedger(['carol', 'dave']);
  for (const voter of ['alice', 'bob']) endow(ledger, voter, 100n);
  for (const voter of ['alice', 'bob']) vote(ledger, voter, 'carol');
  ledger.apply(witnessStop.of(good));
  const props = {
    account_creation_fee: { amount: 50_000n, symbol: 'COIN' },
    maximum_block_size: 262_144,
    price_feeds: [],
  };
  const back = {
    fee: { amount: 0n, symbol: 'COIN' },
    owner: 'carol',
    url: 'http://w',
    block_signing_key: SIGNING_KEY,
    props,
  };
  ledger.apply(witnessUpdate.of(back));
  assert.equal(countVotes(ledger, 'carol'), 0n);
  // Old votes move nothing, neither with what their voters hold nor when they are taken back.
  ledger.apply(transferToVesting.of({ fee: good.fee, from: 'bob', to: '', amount: { amount: 7n, symbol: 'COIN' } }));
  ledger.apply(accountWitnessVote.of({ fee: back.fee, account: 'bob', witness: 'carol', approve: false }));
  assert.equal(countVotes(ledger, 'carol'), 0n);
  ledger.apply(accountWitnessVote.of({ fee: back.fee, account: 'alice', witness: 'carol', approve: true }));
  assert.equal(countVotes(ledger, 'carol'), 100n);
  ledger.change(removeStoppedVotes);
  assert.deepEqual([hasVote(ledger, 'alice', 'carol'), hasVote(ledger, 'bob', 'carol')], [true, false]);
  assert.deepEqual([ledger.account('alice').witnesses_voted_for, ledger.account('bob').witnesses_voted_for], [1, 0]);
  assert.equal(countVotes(ledger, 'carol'), 100n);
});

test('votes for a stopped witness leave room for others before they are deleted', () => {
  const ledger = witnessLedger(['carol', 'dave']);
  vote(ledger, 'alice', 'carol');
  ledger.changeAccount('alice', { witnesses_voted_for: 60 });
  const forDave = accountWitnessVote.of({ fee: good.fee, account: 'alice', witness: 'dave', approve: true });
  assertRefused(ledger, forDave, { code: 'too_many_votes', text: 'Account has voted for too many witnesses.' });
  ledger.apply(witnessStop.of(good));
  ledger.apply(forDave);
  assert(hasVote(ledger, 'alice', 'dave'));
});

test('in the lineage it only loses its key', () => {
  const ledger = witnessLedger(['carol'], { rules: 'lineage' });
  vote(ledger, 'alice', 'carol');
  const before = getWitness(ledger, 'carol');
  ledger.apply(witnessStop.of(good));
  assert.deepEqual(getWitness(ledger, 'carol'), { ...before, signing_key: NULL_KEY });
  assert.equal(countVotes(ledger, 'carol'), ledger.account('alice').balance);
});

const lastProducer = {
  code: 'last_producer',
  text: 'initminer is the only witness of the running round that can produce a block; it can stop when there is another one',
};

test('the last witness of the round that can sign stays', () => {
  const ledger = witnessLedger(['carol']);
  const stop = { ...good, owner: 'initminer' };
  assertRefused(ledger, witnessStop.of(stop), lastProducer);
  schedule(ledger, ['carol', 'initminer', '']);
  ledger.change(({ rows }) => rows.put(witnesses, { ...getWitness(ledger, 'carol'), signing_key: NULL_KEY }));
  assertRefused(ledger, witnessStop.of(stop), lastProducer);
  ledger.change(({ rows }) => rows.put(witnesses, { ...getWitness(ledger, 'carol'), signing_key: SIGNING_KEY }));
  ledger.apply(witnessStop.of(stop));
  assert.equal(ledger.rows.get(witnesses, 'initminer'), undefined);
});

test('in the lineage even the last witness stops', () => {
  const ledger = witnessLedger([], { rules: 'lineage' });
  ledger.apply(witnessStop.of({ ...good, owner: 'initminer' }));
  assert.equal(getWitness(ledger, 'initminer').signing_key, NULL_KEY);
});

test('the last witness keeps its key, whichever operation would take it', () => {
  const props = {
    account_creation_fee: { amount: 50_000n, symbol: 'COIN' },
    maximum_block_size: 262_144,
    price_feeds: [],
  };
  const update = {
    fee: { amount: 0n, symbol: 'COIN' },
    owner: 'initminer',
    url: 'http://w',
    block_signing_key: NULL_KEY,
    props,
  };
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
