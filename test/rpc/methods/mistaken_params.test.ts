import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import type { Json } from '../../../src/codec/json.ts';
import { testKeyText, testParameters } from '../../builders/chain.ts';
import { NodeOfMethods, type Answer } from './node_of_methods.ts';

const node = new NodeOfMethods();
const words = testParameters();
const lineage = new NodeOfMethods({
  parameters: { ...words, profile: { ...words.profile, answersLineage: true } },
  isEmpty: true,
});
after(() => {
  for (const each of [node, lineage]) each.stop();
});

const ALICE = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';
const NO_POINT = 'PHR1111111111111111111111111111111114T1Anm';
const op = ['transfer', { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' }] satisfies Json;

async function errorMessage(method: string, params: Json): Promise<string | undefined> {
  const { error }: Answer = await node.call(method, params);
  return error?.message.replace(/^Invalid params: /, '');
}

test('whoever writes an amount wrong is shown one in the symbol that is meant', async () => {
  const amounts: readonly (readonly [method: string, params: Json, shown: string])[] = [
    ['alexandria_api.withdraw_vesting', { from: 'alice', vesting_shares: '5' }, '1.000000 VESTS'],
    [
      'alexandria_api.calculate_fee',
      { op: ['withdraw_vesting', { account: 'alice', vesting_shares: '5' }], symbol: 'COIN' },
      '1.000000 VESTS',
    ],
    ['alexandria_api.fiat_to_coin', { fiat: '5' }, '1.000000 USD'],
    ['alexandria_api.transfer', { from: 'alice', to: 'bob', amount: '5', memo: '' }, '1.000000 COIN'],
  ];
  for (const [method, params, shown] of amounts) {
    const message = await errorMessage(method, params);
    assert.ok(message?.endsWith(`a symbol behind the amount, such as "${shown}" expected, got "5"`), message);
  }
});

test('a start of two values is asked for by what they are', async () => {
  for (const [list, order, form] of [
    ['list_accounts', 'by_proxy', '[proxy, account]'],
    ['list_accounts', 'by_next_vesting_withdrawal_reverse', '[time, account]'],
    ['list_witness_votes', 'by_witness_account', '[witness, account]'],
    ['list_escrows', 'by_from_id', '[from, escrow_id]'],
  ] as const) {
    const message = await errorMessage(`database_api.${list}`, { start: 'alice', limit: 10, order });
    assert.equal(message, `start: two values, ${form}, expected, got "alice"`);
  }
});

test('an unknown order is answered with those of the list', async () => {
  const answer = await node.call('database_api.list_escrows', { start: null, limit: 1, order: 'by_luck' });
  assert.deepEqual([answer.error?.code, answer.error?.data?.['member']], [-32602, 'order']);
  const orders = 'by_from_id, by_from_id_reverse, by_ratification_deadline, by_ratification_deadline_reverse';
  assert.equal(answer.error?.message, `Invalid params: order: one of ${orders} expected, got "by_luck"`);
  const builtIn = await errorMessage('database_api.list_escrows', { start: null, limit: 1, order: 'toString' });
  assert.equal(builtIn, `order: one of ${orders} expected, got "toString"`);
  const ofOthers = await node.call('database_api.list_escrows', { start: null, limit: 1, order: 'by_proxy' });
  assert.equal(ofOthers.error?.message, `this list has no order by_proxy; it has ${orders}`);
  const said = await lineage.call('database_api.list_escrows', { start: ['', 0], limit: 1, order: 'by_luck' });
  assert.notEqual(said.error?.data?.['member'], undefined);
});

test('what can not be seen in a name is seen in the message', async () => {
  const asked = async (account_name: string): Promise<string | undefined> =>
    await errorMessage('alexandria_api.get_account', { account_name });
  assert.match((await asked('   ')) ?? '', /^no account is named " {3}", /);
  assert.match((await asked('a\u0007b\u001b[31m')) ?? '', /^no account is named "a\\u0007b\\u001b\[31m", /);
  assert.match((await asked('bob\u202e')) ?? '', /^no account is named "bob\\u202e", /);
  assert.match((await asked('bob4711')) ?? '', /^no account is named bob4711, /);
  assert.match(
    (await errorMessage('alexandria_api.transfer', { from: 'alice', to: 'bob\u0085', amount: '1 COIN', memo: '' })) ??
      '',
    /\\u0085/,
  );
});

test('what is wrong with a private key is said', async () => {
  const about = async (private_key: string): Promise<string | undefined> =>
    await errorMessage('alexandria_api.get_public_key', { private_key });
  assert.equal(
    await about(ALICE.slice(1)),
    'the private key is not in wallet import format, which has 51 characters and begins with 5',
  );
  assert.equal(await about(ALICE.replace('K', 'L')), await about(`${ALICE.slice(0, -1)}L`));
  assert.equal(
    await about(`${ALICE.slice(0, -1)}L`),
    'the private key has a wrong checksum, so some of its characters are mistyped',
  );
  assert.equal(
    await about(ALICE.replace('bW', '0W')),
    'the private key has a character that keys do not have, such as 0, O, I or l',
  );
  assert.equal(await about(ALICE), undefined);
});

test('nobody is given an authority that its signers cannot satisfy, or that anybody satisfies', async () => {
  const keys = ['alice', 'bob'].map(testKeyText);
  const ofKeys = async (pub_keys: Json, required_signatures: number, on = node): Promise<string | undefined> =>
    (
      await on.call('alexandria_api.create_simple_multisig_authority', { pub_keys, required_signatures })
    ).error?.message.replace(/^Invalid params: /, '');
  assert.equal(await ofKeys(keys, 2), undefined);
  const twoAtMost = (given: number): string =>
    `required_signatures: 1 to 2, as many as there are different signers, expected, got ${given}`;
  assert.equal(await ofKeys(keys, 3), twoAtMost(3));
  assert.equal(await ofKeys(keys, 0), twoAtMost(0));
  assert.equal(await ofKeys([...keys, ...keys, NO_POINT], 3), twoAtMost(3));
  assert.equal(await ofKeys([NO_POINT], 1), 'required_signatures: somebody who can sign expected, got 1');
  assert.equal(await ofKeys(keys, 3, lineage), undefined);
  const method = 'alexandria_api.create_simple_multisig_managed_authority';
  assert.equal(
    await errorMessage(method, { managing_accounts: ['alice', 'bob', 'bob'], required_signatures: 3 }),
    twoAtMost(3),
  );
  assert.equal(await errorMessage(method, { managing_accounts: ['alice', 'bob'], required_signatures: 2 }), undefined);
});

test('a fee is added in what a fee can be paid in', async () => {
  const added = async (fee: string, on = node): Promise<Answer['error']> =>
    (await on.call('alexandria_api.add_fee', { op, fee })).error;
  const refused = await added('1.000000 VESTS');
  assert.deepEqual([refused?.code, refused?.data?.['member']], [-32602, 'fee']);
  assert.equal(
    refused?.message,
    'Invalid params: fee: an amount in COIN, USD, EUR, CHF, CNY, GBP expected, got "1.000000 VESTS"',
  );
  assert.equal(await added('1.000000 USD'), undefined);
  assert.equal(await added('1.000000 VESTS', lineage), undefined);
});

test('an application is paid for in one of two ways', async () => {
  const application = { author: 'alice', app_name: 'chat', url: 'https://chat.example', meta_data: '', new_author: '' };
  for (const method of ['create_application', 'update_application']) {
    const { new_author: _, ...created } = application;
    const params = (price_param: number): Json => ({
      ...(method === 'create_application' ? created : application),
      price_param,
    });
    const refusal = await errorMessage(`alexandria_api.${method}`, params(2));
    assert.equal(refusal, 'price_param: 0 for permanent or 1 for time based expected, got 2');
    assert.equal(await errorMessage(`alexandria_api.${method}`, params(1)), undefined);
    assert.equal((await lineage.call(`alexandria_api.${method}`, params(2))).error, undefined);
  }
});

test('the round shows what it agreed on with its price feeds, but not where the lineage speaks', async () => {
  const fetchPropNames = async (on: NodeOfMethods): Promise<readonly string[]> => {
    const { schedule_obj } = Object(await on.result('alexandria_api.get_witness_schedule_object', {}));
    return Object.keys(schedule_obj.median_props);
  };
  assert.deepEqual(await fetchPropNames(node), ['account_creation_fee', 'maximum_block_size', 'price_feeds']);
  assert.deepEqual(await fetchPropNames(lineage), ['account_creation_fee', 'maximum_block_size']);
});

test('a subscription without a start is one to what comes from now on', async () => {
  const params = { return_id: 7, app_id: 1, account_name: 'bob', search_type: 'by_recipient' };
  assert.deepEqual(await node.result('alexandria_api.custom_object_subscription', params), { subscription: 7 });
  assert.equal(await node.result('subscribe_api.custom_object_subscription', params), 7);
});
