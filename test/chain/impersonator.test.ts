import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catchRefusal } from '../../src/base/refusal.ts';
import type { Json } from '../../src/codec/json.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { accountAuthorities } from '../../src/state/tables/account_authority.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { testKeyText, openChain, produce, testParameters, makeTransaction } from '../builders/chain.ts';

const withImpersonator = testParameters({ impersonator: testKeyText('impersonator') });
const authority = { weight_threshold: 1, account_auths: [], key_auths: [[testKeyText('erin'), 1]] } satisfies Json;
const another = { ...authority, key_auths: [[testKeyText('carol'), 1]] } satisfies Json;
const payment = (from: string): Json => [
  'transfer',
  { fee: '0.010000 COIN', from, to: 'bob', amount: '1.000000 COIN', memo: '' },
];
const deletion: Json = ['account_delete', { fee: '0.000000 COIN', account: 'dave' }];
const recovery: Json = [
  'recover_account',
  {
    ...{
      fee: '0.000000 COIN',
      account_to_recover: 'alice',
      new_owner_authority: another,
      recent_owner_authority: authority,
    },
    extensions: [],
  },
];

test('the signature of the impersonator satisfies active authorities, owner authorities, and those that operations include', () => {
  const chain = openChain(withImpersonator);
  produce(chain);
  chain.accept(makeTransaction(chain, withImpersonator, [payment('alice'), payment('carol')], ['impersonator']));
  chain.accept(makeTransaction(chain, withImpersonator, [deletion], ['impersonator']));
  // It says what a recovery lacks besides signatures.
  const refused = catchRefusal(
    () => void chain.accept(makeTransaction(chain, withImpersonator, [recovery], ['impersonator'])),
  );
  assert.equal(refused?.code, 'no_recovery_request', refused?.message);
  produce(chain);
  assert.equal(chain.committed.get(accounts, 'bob')?.balance, 10_000_002_000_000n);
  assert.deepEqual(chain.committed.get(accountAuthorities, 'dave')?.owner.key_auths, [[NULL_KEY, 1]]);
});

test('beside it others may sign for themselves, but nobody in vain, not even the impersonator', () => {
  const chain = openChain(withImpersonator);
  produce(chain);
  const code = (signers: readonly string[], ...operations: Json[]): string | undefined =>
    catchRefusal(() => void chain.accept(makeTransaction(chain, withImpersonator, operations, signers)))?.code;
  assert.equal(code(['alice', 'impersonator'], payment('alice'), payment('carol')), undefined);
  assert.equal(code(['alice', 'impersonator'], payment('alice')), 'irrelevant_signature');
  assert.equal(code(['erin', 'impersonator'], payment('alice')), 'irrelevant_signature');
  assert.equal(code(['impersonator'], payment('nobody-here')), 'unknown_key');
  assert.equal(code(['bob'], payment('alice')), 'missing_active_authority');
});

test('who follows the chain agrees; on a chain whose genesis names nobody the same signature is worth nothing', () => {
  const [chain, follower] = [openChain(withImpersonator), openChain(withImpersonator)];
  follower.push(produce(chain));
  chain.accept(makeTransaction(chain, withImpersonator, [payment('alice')], ['impersonator']));
  follower.push(produce(chain));
  assert.equal(follower.head.stateHash, chain.head.stateHash);

  const ordinary = testParameters();
  assert.notEqual(ordinary.chainId, withImpersonator.chainId);
  const other = openChain(ordinary);
  produce(other);
  const refused = catchRefusal(
    () => void other.accept(makeTransaction(other, ordinary, [payment('alice')], ['impersonator'])),
  );
  assert.equal(refused?.code, 'missing_active_authority');
});
