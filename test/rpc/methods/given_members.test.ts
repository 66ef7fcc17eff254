import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Json } from '../../../src/codec/json.ts';
import { testKeyText } from '../../builders/chain.ts';
import { NodeOfMethods } from './node_of_methods.ts';

const node = new NodeOfMethods();
const key = testKeyText('bob');
const owner = { weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] } satisfies Json;
const created = { creator: 'alice', name_seed: 'safe', owner, active: owner, memo_key: key, json_metadata: '' };

async function refusedMember(op: Json): Promise<unknown> {
  const { error } = await node.call('alexandria_api.create_simple_transaction', { op });
  return [error?.code, error?.data?.['member']];
}

test('no member is made up that would let others act, or say yes for somebody', async () => {
  const { active: _, ...withoutActive } = created;
  const { memo_key: __, ...withoutMemoKey } = created;
  const parties = { from: 'alice', to: 'bob', agent: 'carol', who: 'bob', escrow_id: 1 };
  const faults: readonly (readonly [op: readonly [string, Json], member: string])[] = [
    [['account_create', withoutActive], 'active'],
    [['account_create', withoutMemoKey], 'memo_key'],
    [['account_create', { ...created, owner: { account_auths: [], key_auths: [] } }], 'owner.weight_threshold'],
    [['account_update', { account: 'alice', active: {}, memo_key: key }], 'active.weight_threshold'],
    [['account_witness_vote', { account: 'alice', witness: 'initminer' }], 'approve'],
    [['escrow_approve', parties], 'approve'],
    [['sponsor_fees', { sponsor: 'alice', sponsored: 'bob' }], 'is_sponsoring'],
    [['reset_account', { reset_account: 'alice', account_to_reset: 'bob' }], 'new_owner_authority'],
  ];
  for (const [op, member] of faults) {
    assert.deepEqual(await refusedMember([op[0], op[1]]), [-32602, `op[1].${member}`]);
  }
  const { error } = await node.call('alexandria_api.create_simple_transaction', { op: ['account_create', created] });
  assert.equal(error, undefined);
});

test('within what a witness says and within a price nothing is made up either', async () => {
  const props = { account_creation_fee: '0.050000 COIN', maximum_block_size: 262_144, price_feeds: [] };
  const op = (changes: Json): Json => [
    'witness_update',
    { owner: 'alice', url: '', block_signing_key: key, props: changes },
  ];
  for (const member of Object.keys(props)) {
    const rest = Object.fromEntries(Object.entries(props).filter(([name]) => name !== member));
    assert.deepEqual(await refusedMember(op(rest)), [-32602, `op[1].props.${member}`]);
  }
  const feed = ['feed_publish', { publisher: 'alice', exchange_rate: { base: '1.000000 USD' } }];
  assert.deepEqual(await refusedMember(feed), [-32602, 'op[1].exchange_rate.quote']);
});

test('a helper takes no empty name where it would mean nobody, and where it means something it does', async () => {
  const { error } = await node.call('alexandria_api.transfer', { from: 'alice', to: '', amount: '1 COIN', memo: '' });
  assert.deepEqual([error?.code, error?.data?.['member']], [-32602, 'to']);
  const cleared = await node.call('alexandria_api.set_voting_proxy', { account_to_modify: 'alice', proxy: '' });
  assert.equal(cleared.error, undefined);
  const own = await node.call('alexandria_api.transfer_to_vesting', { from: 'alice', to: '', amount: '1 COIN' });
  assert.equal(own.error, undefined);
});

test('a private key in the wrong member is not shown again', async () => {
  const secret = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';
  for (const [method, params] of [
    ['alexandria_api.sign_digest', { digest: secret, pk: secret }],
    ['alexandria_api.transfer', { from: secret, to: 'bob', amount: secret, memo: '' }],
    ['alexandria_api.get_block', { num: secret }],
  ] as const) {
    const answer = await node.call(method, params);
    assert.ok(answer.error !== undefined && !JSON.stringify(answer).includes(secret), JSON.stringify(answer));
  }
});
