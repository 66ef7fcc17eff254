import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GivenOperation, Operation, Params, Result } from '../../src/client/index.ts';
import { operationKinds } from '../../src/operations/index.ts';

// These lines must not compile. An unneeded @ts-expect-error is an error of its own, so the compiler checks both ways.

const transfer = { from: 'alice', to: 'bob', amount: '1 COIN', memo: '' } as const;

test('an operation has the members of its kind, and the fee may be left out', () => {
  const given: readonly GivenOperation[] = [
    ['transfer', transfer],
    ['transfer', { ...transfer, fee: '0.010000 COIN' }],
    ['custom_json', { sender: 'alice', recipients: ['bob'], app_id: 1, json: '{}' }],
    ['custom_json', { sender: 'alice', recipients: [], app_id: 2n ** 60n, json: '{}' }],
    ['custom_json', { sender: 'alice', recipients: [], app_id: '1152921504606846976', json: '{}' }],
    ['witness_set_properties', { owner: 'alice', props: { url: 'https://a.example', maximum_block_size: 131_072 } }],
    ['witness_set_properties', { owner: 'alice', props: [['url', '00']] }],
    ['account_update', { account: 'alice', memo_key: 'PHR…', json_metadata: '' }],
    ['feed_publish', { publisher: 'alice', exchange_rate: { base: '1 COIN', quote: '1 USD' } }],
  ];
  // @ts-expect-error: no such kind
  const kind: GivenOperation = ['transfers', transfer];
  // @ts-expect-error: the memo is missing
  const missing: GivenOperation = ['transfer', { from: 'alice', to: 'bob', amount: '1 COIN' }];
  // @ts-expect-error: no such member
  const unknown: GivenOperation = ['transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo: '', note: '' }];
  // @ts-expect-error: the members of another kind
  const other: GivenOperation = ['withdraw_vesting', transfer];
  // @ts-expect-error: an amount without a symbol, as a number
  const number: GivenOperation = ['transfer', { ...transfer, amount: 1 }];
  // @ts-expect-error: a name is no number
  const name: GivenOperation = ['transfer', { ...transfer, to: 7 }];
  // @ts-expect-error: no property of a witness
  const property: GivenOperation = ['witness_set_properties', { owner: 'alice', props: { uri: 'https://a.example' } }];
  // @ts-expect-error: only the chain makes it
  const virtual: GivenOperation = ['interest', { owner: 'alice', interest: '1 VESTS' }];
  // @ts-expect-error: there is no third element
  const third: GivenOperation = ['transfer', transfer, {}];
  const message = { sender: 'alice', recipients: [], app_id: 1, json: '{}' };
  // @ts-expect-error: a single kind is asked for
  const narrow: GivenOperation<'transfer'> = ['custom_json', message];
  assert.equal(
    [kind, missing, unknown, other, number, name, property, virtual, third, narrow].length + given.length,
    19,
  );
});

test('every kind has a type of its own, whose members are known', () => {
  type Known = Operation[0];
  type Loose = { [N in Known]: unknown extends Extract<Operation, readonly [N, unknown]>[1] ? N : never }[Known];
  const none: Loose[] = [];
  const names: Record<Known, true> = {
    ...{ transfer: true, transfer_to_vesting: true, withdraw_vesting: true, feed_publish: true, account_create: true },
    ...{
      account_update: true,
      account_delete: true,
      witness_update: true,
      witness_stop: true,
      account_witness_vote: true,
    },
    ...{
      account_witness_proxy: true,
      witness_set_properties: true,
      custom: true,
      custom_json: true,
      custom_binary: true,
    },
    ...{ request_account_recovery: true, recover_account: true, change_recovery_account: true, escrow_transfer: true },
    ...{
      escrow_dispute: true,
      escrow_release: true,
      escrow_approve: true,
      reset_account: true,
      set_reset_account: true,
    },
    ...{ application_create: true, application_update: true, application_delete: true, buy_application: true },
    ...{
      cancel_application_buying: true,
      transfer_from_promotion_pool: true,
      sponsor_fees: true,
      admin_witness_update: true,
    },
    ...{ interest: true, fill_vesting_withdraw: true, shutdown_witness: true, hardfork: true, producer_reward: true },
    promotion_pool_withdraw: true,
  };
  assert.deepEqual(none, []);
  assert.deepEqual(
    Object.keys(names).toSorted(),
    Object.values(operationKinds)
      .map((kind) => kind.name)
      .toSorted(),
  );
});

test('params and results are plain values, by the names of their methods', () => {
  const params: Params<'alexandria_api.get_account_history'> = { account: 'alice', start: -1, limit: 10 };
  const defaults: Params<'account_history_api.get_account_history'> = { account: 'alice' };
  // @ts-expect-error: a param is missing
  const missing: Params<'alexandria_api.get_account_history'> = { account: 'alice', start: -1 };
  // @ts-expect-error: no such param
  const unknown: Params<'debug_api.produce_blocks'> = { blocks: 1 };
  // @ts-expect-error: no such method
  const method: Params<'alexandria_api.get_acount'> = {};
  assert.equal([params, defaults, missing, unknown, method].length, 5);
  // Never called: what it says of types is said by the compiler.
  const read = (
    { account: [alice] }: Result<'alexandria_api.get_account'>,
    block: NonNullable<Result<'block_api.get_block'>>,
    debug: Result<'debug_api.produce_blocks'>,
  ): void => {
    if (alice === undefined) return;
    const texts: string[] = [alice.name, alice.memo_key, alice.balance, block.timestamp, block.signing_key];
    const integers: bigint[] = [alice.id, alice.to_withdraw];
    const keys: readonly (readonly [key: string, weight: number])[] = alice.active.key_auths;
    // @ts-expect-error: shares that are owed may be absent
    const owed: string = alice.owed_vesting_shares;
    // @ts-expect-error: an amount is no number
    const balance: number = alice.balance;
    for (const { operations } of block.transactions)
      for (const operation of operations) {
        if (operation[0] === 'transfer') texts.push(operation[1].memo);
        // @ts-expect-error: not every operation has a memo
        else texts.push(operation[1].memo);
      }
    // @ts-expect-error: no such member
    void debug.head;
    void [integers, keys, owed, balance];
  };
  assert.equal(typeof read, 'function');
});
