import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Refusal } from '../../src/base/refusal.ts';
import { invariantViolations } from '../../src/chain/invariants.ts';
import { accountCreate } from '../../src/operations/account_create.ts';
import { accountDelete } from '../../src/operations/account_delete.ts';
import { accountUpdate } from '../../src/operations/account_update.ts';
import { accountWitnessProxy } from '../../src/operations/account_witness_proxy.ts';
import { accountWitnessVote } from '../../src/operations/account_witness_vote.ts';
import { present } from '../../src/base/assert.ts';
import { custom } from '../../src/operations/custom.ts';
import { customJson } from '../../src/operations/custom_json.ts';
import { feedPublish } from '../../src/operations/feed_publish.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { transfer } from '../../src/operations/transfer.ts';
import { transferToVesting } from '../../src/operations/transfer_to_vesting.ts';
import { withdrawVesting } from '../../src/operations/withdraw_vesting.ts';
import { witnessSetProperties } from '../../src/operations/witness_set_properties.ts';
import { witnessStop } from '../../src/operations/witness_stop.ts';
import { witnessUpdate } from '../../src/operations/witness_update.ts';
import { copyRecipients } from '../../src/state/document_copies.ts';
import { customContents } from '../../src/state/tables/custom_content.ts';
import { witnesses, type Witness } from '../../src/state/tables/witness.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { nameFromSeed } from '../../src/values/account_name.ts';
import { keyAuthority } from '../../src/values/authority.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { testKey } from '../builders/chain.ts';
import { FUNDS, OwnChain } from '../builders/own_chain.ts';

const coins = (amount: bigint): { amount: bigint; symbol: string } => ({ amount, symbol: 'COIN' });
const vests = (amount: bigint): { amount: bigint; symbol: string } => ({ amount, symbol: 'VESTS' });
const FEE = 10_000n;
const fee = coins(FEE);
const free = coins(0n);
const ROUND = 51;
const REQUIRED_VESTING = 250_000_000_000n;

function assertRefused(node: OwnChain, operation: Operation, signers: readonly string[], code: string): void {
  const before = node.chain.pendingTransactions.length;
  assert.throws(
    () => node.submit([operation], signers),
    (refusal) => refusal instanceof Refusal && refusal.code === code,
  );
  assert.equal(node.chain.pendingTransactions.length, before);
}

/** Another node comes to the same state from the blocks alone, and the sums hold. */
function assertRepeatable(node: OwnChain): void {
  assert.equal(node.hashElsewhere(), node.chain.head.stateHash);
  assert.deepEqual(invariantViolations(node.chain.committed, node.parameters), []);
}

function sealUntil(node: OwnChain, number: number): void {
  while (node.chain.head.number < number) node.seal();
}

function findWitness(node: OwnChain, owner: string): Witness | undefined {
  return node.chain.committed.get(witnesses, owner);
}

function scheduled(node: OwnChain): string[] {
  return node.chain.committed.only(witnessSchedule).current_shuffled_witnesses.filter((name) => name !== '');
}

test('an account is made, acts, changes its keys and is deleted', () => {
  const node = new OwnChain(['alice', 'bob']);
  const zoe = nameFromSeed('zoe');
  const keys = { owner: keyAuthority(testKey('zoe')), active: keyAuthority(testKey('zoe')), memo_key: testKey('zoe') };
  node.apply(
    [accountCreate.of({ fee: coins(1_050_000n), creator: 'alice', name_seed: 'zoe', ...keys, json_metadata: '' })],
    ['alice'],
  );
  assert.deepEqual([node.account('alice').balance, node.account(zoe).balance], [FUNDS - 1_050_000n, 1_000_000n]);

  const pay = transfer.of({ fee, from: zoe, to: 'bob', amount: coins(1n), memo: '' });
  assertRefused(node, pay, ['alice'], 'missing_active_authority');
  node.apply([pay], ['zoe']);
  const change = {
    fee: free,
    account: zoe,
    owner: undefined,
    active: keyAuthority(testKey('zoe2')),
    memo_key: NULL_KEY,
    json_metadata: '',
  };
  node.apply([accountUpdate.of(change)], ['zoe']);
  // The owner's key still does.
  node.apply([pay], ['zoe']);
  node.apply([pay], ['zoe2']);
  assertRefused(node, accountDelete.of({ fee: free, account: zoe }), ['zoe2'], 'missing_owner_authority');
  node.apply([accountDelete.of({ fee: free, account: zoe })], ['zoe']);
  assertRefused(node, pay, ['zoe'], 'missing_active_authority');
  assert.equal(node.account(zoe).balance, 1_000_000n - 3n * (FEE + 1n));
  assertRepeatable(node);
});

test('a payment and its fee come from one balance, and what is sent to none is burned', () => {
  const node = new OwnChain(['alice']);
  const all = (amount: bigint): Operation =>
    transfer.of({ fee, from: 'alice', to: 'none', amount: coins(amount), memo: '' });
  assertRefused(node, all(FUNDS - FEE + 1n), ['alice'], 'insufficient_funds');
  node.apply([all(FUNDS - FEE)], ['alice']);
  assert.deepEqual([node.account('alice').balance, node.account('none').balance], [0n, 0n]);
  assertRepeatable(node);
});

test('vesting makes a witness, who is voted into the round, publishes prices and stops', () => {
  const node = new OwnChain(['alice', 'bob', 'carol']);
  const props = { account_creation_fee: coins(80_000n), maximum_block_size: 200_000, price_feeds: [] };
  const update = witnessUpdate.of({
    fee: free,
    owner: 'alice',
    url: 'http://alice',
    block_signing_key: testKey('init_key'),
    props,
  });
  assertRefused(node, update, ['alice'], 'insufficient_vesting');
  node.apply(
    [transferToVesting.of({ fee: free, from: 'alice', to: '', amount: coins(REQUIRED_VESTING) }), update],
    ['alice'],
  );
  node.apply([transferToVesting.of({ fee: free, from: 'bob', to: '', amount: coins(7_000_000n) })], ['bob']);
  node.apply([accountWitnessProxy.of({ fee: free, account: 'carol', proxy: 'bob' })], ['carol']);
  node.apply([transferToVesting.of({ fee: free, from: 'carol', to: '', amount: coins(500_000n) })], ['carol']);
  node.apply([accountWitnessVote.of({ fee: free, account: 'bob', witness: 'alice', approve: true })], ['bob']);
  assert.equal(findWitness(node, 'alice')?.votes, 7_500_000n);
  const publish = feedPublish.of({
    fee: free,
    publisher: 'alice',
    exchange_rate: { base: coins(1_000_000n), quote: { amount: 5n, symbol: 'USD' } },
  });
  assertRefused(node, publish, ['alice'], 'publisher_not_in_round');

  sealUntil(node, ROUND);
  assert.deepEqual(scheduled(node).toSorted(), ['alice', 'initminer']);
  assert.equal(node.chain.committed.only(witnessSchedule).maximum_block_size, 262_144);
  node.apply([publish], ['alice']);
  assert.equal(findWitness(node, 'alice')?.submitted_exchange_rates.length, 1);
  assertRefused(
    node,
    withdrawVesting.of({ fee: free, account: 'alice', vesting_shares: vests(27n) }),
    ['alice'],
    'vesting_too_young',
  );

  node.apply([witnessStop.of({ fee, owner: 'alice' })], ['alice']);
  assert.equal(findWitness(node, 'alice'), undefined);
  assert.equal(node.account('bob').witnesses_voted_for, 0);
  assertRepeatable(node);
});

test('after a witness was deleted the chain goes on, and its slots in the round are missed', () => {
  const node = new OwnChain(['alice']);
  const props = { account_creation_fee: coins(80_000n), maximum_block_size: 200_000, price_feeds: [] };
  const update = witnessUpdate.of({
    fee: free,
    owner: 'alice',
    url: 'http://alice',
    block_signing_key: testKey('init_key'),
    props,
  });
  node.apply(
    [transferToVesting.of({ fee: free, from: 'alice', to: '', amount: coins(REQUIRED_VESTING) }), update],
    ['alice'],
  );
  sealUntil(node, ROUND);
  node.apply([witnessStop.of({ fee, owner: 'alice' })], ['alice']);
  while (node.chain.head.number < 2 * ROUND) {
    const own = [1, 2, 3].find((slot) => scheduledWitness(node, slot) === 'initminer') ?? assert.fail('nobody is left');
    node.seal(own);
  }
  assert.deepEqual(scheduled(node), ['initminer']);
  assertRepeatable(node);
});

function scheduledWitness(node: OwnChain, slot: number): string | undefined {
  return node.chain.findProductionSlot(node.chain.slotTime(slot))?.witness;
}

test('a witness changes what it says with its signing key alone', () => {
  const node = new OwnChain(['alice']);
  const url = Buffer.from('http://first').toString('hex');
  const packed = [
    ['key', testKey('init_key')],
    ['url', `0c${url}`],
  ] as const;
  const change = witnessSetProperties.of({ fee: free, owner: 'initminer', props: packed, extensions: [] });
  assertRefused(node, change, ['alice'], 'missing_other_authority');
  node.apply([change], ['init_key']);
  assert.equal(findWitness(node, 'initminer')?.url, 'http://first');
  assertRepeatable(node);
});

test('documents cost by their size, and an empty payload one base fee', () => {
  const node = new OwnChain(['alice', 'bob']);
  const message = (offered: bigint, json: string): Operation =>
    customJson.of({ fee: coins(offered), sender: 'alice', recipients: ['bob', 'nobody'], app_id: 1n, json });
  const long = JSON.stringify('a'.repeat(4095));
  assertRefused(node, message(FEE, long), ['alice'], 'fee_too_small');
  node.apply([message(2n * FEE, long)], ['alice']);
  node.apply([custom.of({ fee, sender: 'alice', recipients: [], app_id: 1n, data: '' })], ['alice']);
  assert.equal(node.account('alice').balance, FUNDS - 3n * FEE);
  assert.deepEqual(copyRecipients(present(node.chain.committed.get(customContents, 0n), 'the message')), [
    'bob',
    'nobody',
  ]);
  assertRepeatable(node);
});
