import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Refusal } from '../../src/base/refusal.ts';
import { applicationCreate } from '../../src/operations/application_create.ts';
import { applicationDelete } from '../../src/operations/application_delete.ts';
import { applicationUpdate } from '../../src/operations/application_update.ts';
import { buyApplication } from '../../src/operations/buy_application.ts';
import { cancelApplicationBuying } from '../../src/operations/cancel_application_buying.ts';
import { changeRecoveryAccount } from '../../src/operations/change_recovery_account.ts';
import { escrowApprove } from '../../src/operations/escrow_approve.ts';
import { escrowDispute } from '../../src/operations/escrow_dispute.ts';
import { escrowRelease } from '../../src/operations/escrow_release.ts';
import { escrowTransfer } from '../../src/operations/escrow_transfer.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { accountUpdate } from '../../src/operations/account_update.ts';
import { recoverAccount } from '../../src/operations/recover_account.ts';
import { requestAccountRecovery } from '../../src/operations/request_account_recovery.ts';
import { resetAccount } from '../../src/operations/reset_account.ts';
import { setResetAccount } from '../../src/operations/set_reset_account.ts';
import { sponsorFees } from '../../src/operations/sponsor_fees.ts';
import { transferFromPromotionPool } from '../../src/operations/transfer_from_promotion_pool.ts';
import { accountAuthorities } from '../../src/state/tables/account_authority.ts';
import { applicationBuyings } from '../../src/state/tables/application_buying.ts';
import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import { escrows } from '../../src/state/tables/escrow.ts';
import { keyAuthority } from '../../src/values/authority.ts';
import { testKey } from '../builders/chain.ts';
import { FUNDS, OwnChain } from '../builders/own_chain.ts';

const FEE = 10_000n;
const coins = (amount: bigint): { amount: bigint; symbol: string } => ({ amount, symbol: 'COIN' });
const fee = coins(FEE);
const free = coins(0n);
const MINUTE_IN_SLOTS = 20;

/** The operations are refused with that code, and the next block is as if nobody had sent them. */
function assertRefused(node: OwnChain, operation: Operation, signers: readonly string[], code: string): void {
  const before = node.chain.pendingTransactions.length;
  assert.throws(
    () => node.submit([operation], signers),
    (refusal) => refusal instanceof Refusal && refusal.code === code,
  );
  assert.equal(node.chain.pendingTransactions.length, before);
}

/** Another node comes to the same state from the blocks alone. */
function assertRepeatable(node: OwnChain): void {
  assert.equal(node.hashElsewhere(), node.chain.head.stateHash);
}

/** Alice's escrow for bob, of 5 COIN and 0.1 COIN for the agent. */
function makeEscrow(node: OwnChain, seconds: number): { from: string; to: string; agent: string; escrow_id: number } {
  const parties = { from: 'alice', to: 'bob', agent: 'agent', escrow_id: 1 };
  const { time } = node.chain.head;
  const ends = { ratification_deadline: time + seconds, escrow_expiration: time + 2 * seconds };
  node.apply(
    [
      escrowTransfer.of({
        ...parties,
        fee,
        coin_amount: coins(5_000_000n),
        escrow_fee: coins(100_000n),
        json_meta: '',
        ...ends,
      }),
    ],
    ['alice'],
  );
  return parties;
}

test('an escrow goes through approval, dispute and release, each paid by who acts', () => {
  const node = new OwnChain(['alice', 'bob', 'agent']);
  const parties = makeEscrow(node, 600);
  for (const who of ['bob', 'agent']) node.apply([escrowApprove.of({ fee, ...parties, who, approve: true })], [who]);
  assertRefused(
    node,
    escrowRelease.of({ fee, ...parties, who: 'agent', receiver: 'bob', coin_amount: coins(1n) }),
    ['agent'],
    'only_parties_release',
  );
  node.apply([escrowDispute.of({ fee, ...parties, who: 'bob' })], ['bob']);
  assertRefused(
    node,
    escrowRelease.of({ fee, ...parties, who: 'alice', receiver: 'bob', coin_amount: coins(1n) }),
    ['alice'],
    'only_agent_releases',
  );
  const split = { bob: 2_000_000n, alice: 3_000_000n };
  for (const [receiver, amount] of Object.entries(split)) {
    node.apply([escrowRelease.of({ fee, ...parties, who: 'agent', receiver, coin_amount: coins(amount) })], ['agent']);
  }
  assert.equal(node.account('alice').balance, FUNDS - FEE - 100_000n - 2_000_000n);
  assert.equal(node.account('bob').balance, FUNDS - 2n * FEE + 2_000_000n);
  assert.equal(node.account('agent').balance, FUNDS - 3n * FEE + 100_000n);
  assert.equal(node.chain.committed.get(escrows, parties), undefined);
  assertRepeatable(node);
});

test('an escrow that is not approved in time goes back by itself', () => {
  const node = new OwnChain(['alice', 'bob', 'agent']);
  const parties = makeEscrow(node, 60);
  node.seal(MINUTE_IN_SLOTS);
  assert.equal(node.chain.committed.get(escrows, parties), undefined);
  assert.equal(node.account('alice').balance, FUNDS - FEE);
  assertRefused(node, escrowApprove.of({ fee, ...parties, who: 'bob', approve: true }), ['bob'], 'unknown_key');
  assertRepeatable(node);
});

test('an application is created, bought, handed over and deleted', () => {
  const node = new OwnChain(['alice', 'bob', 'carol']);
  const application = { fee, author: 'alice', name: 'app', url: 'u', metadata: '' };
  node.apply([applicationCreate.of({ ...application, price_param: 0 })], ['alice']);
  node.apply(
    [buyApplication.of({ fee, buyer: 'bob', app_id: 0n }), buyApplication.of({ fee, buyer: 'carol', app_id: 0n })],
    ['bob', 'carol'],
  );
  node.apply([cancelApplicationBuying.of({ fee, app_owner: 'alice', buyer: 'bob', app_id: 0n })], ['alice']);
  node.apply([applicationUpdate.of({ ...application, new_author: 'bob', price_param: undefined })], ['alice']);
  assertRefused(node, applicationDelete.of({ fee, author: 'alice', name: 'app' }), ['alice'], 'not_author');
  node.apply([applicationDelete.of({ fee, author: 'bob', name: 'app' })], ['bob']);
  assert.deepEqual(node.chain.committed.range(applicationBuyings.by_app_id, { limit: 10 }), []);
  assert.equal(node.account('carol').balance, FUNDS - FEE);
  assertRepeatable(node);
});

test('a sponsor pays what the sponsored account does, until that account ends it', () => {
  const node = new OwnChain(['alice', 'bob']);
  const create = (name: string): Operation =>
    applicationCreate.of({ fee, author: 'bob', name, url: 'u', metadata: '', price_param: 0 });
  node.apply([sponsorFees.of({ fee: free, sponsor: 'alice', sponsored: 'bob', is_sponsoring: true })], ['alice']);
  node.apply([create('one')], ['bob']);
  assert.deepEqual([node.account('alice').balance, node.account('bob').balance], [FUNDS - FEE, FUNDS]);
  node.apply([sponsorFees.of({ fee: free, sponsor: '', sponsored: 'bob', is_sponsoring: false })], ['bob']);
  node.apply([create('two')], ['bob']);
  assert.deepEqual([node.account('alice').balance, node.account('bob').balance], [FUNDS - FEE, FUNDS - FEE]);
  assertRepeatable(node);
});

test('the first witness pays out of the promotion pool, and the supply grows by that', () => {
  const node = new OwnChain(['alice']);
  node.seal();
  const supply = node.chain.committed.only(dynamicGlobalProperties).current_supply;
  const payment = transferFromPromotionPool.of({
    fee: free,
    transfer_to: 'alice',
    amount: coins(1000n),
    extensions: [],
  });
  assertRefused(node, payment, ['alice'], 'missing_active_authority');
  node.apply([payment], ['init_key']);
  assert.equal(node.account('alice').balance, FUNDS + 1000n);
  assert.equal(node.chain.committed.only(dynamicGlobalProperties).current_supply, supply + 1000n);
  assertRepeatable(node);
});

test('an account whose owner key was stolen comes back with the key before and the one that its partner offers', () => {
  const node = new OwnChain(['alice', 'bob']);
  const [own, stolen, fresh] = ['alice', 'thief', 'fresh'].map((name) => keyAuthority(testKey(name)));
  assert.ok(own !== undefined && stolen !== undefined && fresh !== undefined);
  node.seal(MINUTE_IN_SLOTS * 61);
  const theft = {
    fee: free,
    account: 'alice',
    owner: stolen,
    active: stolen,
    memo_key: testKey('thief'),
    json_metadata: '',
  };
  node.apply([accountUpdate.of(theft)], ['alice']);
  node.apply(
    [
      requestAccountRecovery.of({
        fee: free,
        recovery_account: 'initminer',
        account_to_recover: 'alice',
        new_owner_authority: fresh,
        extensions: [],
      }),
    ],
    ['init_key'],
  );
  const recovery = recoverAccount.of({
    fee: free,
    account_to_recover: 'alice',
    new_owner_authority: fresh,
    recent_owner_authority: own,
    extensions: [],
  });
  assertRefused(node, recovery, ['fresh'], 'missing_other_authority');
  assertRefused(node, recovery, ['fresh', 'thief'], 'missing_other_authority');
  node.apply([recovery], ['fresh', 'alice']);
  assert.deepEqual(node.chain.committed.get(accountAuthorities, 'alice')?.owner, fresh);
  node.apply(
    [changeRecoveryAccount.of({ fee: free, account_to_recover: 'alice', new_recovery_account: 'bob', extensions: [] })],
    ['fresh'],
  );
  assertRepeatable(node);
});

test('a reset account cannot touch an account that acted within 60 days', () => {
  const node = new OwnChain(['alice', 'bob']);
  const choice = setResetAccount.of({
    fee: free,
    account: 'alice',
    current_reset_account: 'initminer',
    reset_account: 'bob',
  });
  assertRefused(node, choice, [], 'missing_owner_authority');
  node.apply([choice], ['alice']);
  const reset = resetAccount.of({
    fee: free,
    reset_account: 'bob',
    account_to_reset: 'alice',
    new_owner_authority: keyAuthority(testKey('bob')),
  });
  assertRefused(node, reset, ['bob'], 'account_active');
  assertRepeatable(node);
});
