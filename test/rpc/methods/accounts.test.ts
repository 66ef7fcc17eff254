import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assetText } from '../../../src/values/asset.ts';
import { makeTransaction, transferJson, produce } from '../../builders/chain.ts';
import { NodeOfMethods } from './node_of_methods.ts';

const node = new NodeOfMethods();

interface AccountJson {
  readonly name: string;
  readonly balance: string;
  readonly witness_votes: readonly string[];
  readonly sponsored_accounts: readonly string[];
  readonly sponsoring_account: string;
}

async function fetchAccounts(
  method: string,
  params: { [member: string]: string | string[] | boolean },
  member: string,
): Promise<readonly AccountJson[]> {
  const result: Record<string, readonly AccountJson[]> = Object(await node.result(method, params));
  return result[member] ?? assert.fail(`no member ${member}`);
}

test('an account is found by its name, and by the seed of its name', async () => {
  const chain = new NodeOfMethods();
  const { op } = Object(
    await chain.result('alexandria_api.create_account', {
      creator: 'alice',
      name_seed: 'zoe',
      json_meta: '{}',
      owner: keyOfAlice,
      active: keyOfAlice,
      memo: keyOfAlice,
    }),
  );
  await chain.result('alexandria_api.send_and_sign_operation', { op, pk: secretOfAlice });
  const { account_name } = Object(await chain.result('alexandria_api.get_account_name_from_seed', { seed: 'zoe' }));
  for (const account_asked of ['zoe', account_name]) {
    const { account } = Object(await chain.result('alexandria_api.get_account', { account_name: account_asked }));
    assert.equal(account.length, 1);
    assert.equal(account[0].name, account_name);
    assert.deepEqual(await chain.result('alexandria_api.account_exist', { account_name: account_asked }), {
      account_exist: true,
    });
  }
});

const keyOfAlice = 'PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv';
const secretOfAlice = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';

test('a text that names one account and is the seed of another one shows both, each as everywhere else', async () => {
  const chain = new NodeOfMethods();
  const keys = { owner: keyOfAlice, active: keyOfAlice, memo: keyOfAlice };
  const seeded = {
    creator: 'alice',
    name_seed: 'aliceA',
    json_meta: JSON.stringify({ of: 'the seed "aliceA"' }),
    ...keys,
  };
  const { op } = Object(await chain.result('alexandria_api.create_account', seeded));
  await chain.result('alexandria_api.send_and_sign_operation', { op, pk: secretOfAlice });
  const { account_name: generated } = Object(
    await chain.result('alexandria_api.get_account_name_from_seed', { seed: 'aliceA' }),
  );
  const { account } = Object(await chain.result('alexandria_api.get_account', { account_name: 'aliceA' }));
  const { accounts } = Object(await chain.result('database_api.find_accounts', { accounts: ['alice', generated] }));
  assert.deepEqual(
    account.map(({ name }: AccountJson) => name),
    ['alice', generated],
  );
  assert.deepEqual(account, accounts);
  assert.equal(account[1].json_metadata, seeded.json_meta);
  const { account: pending } = Object(
    await chain.result('alexandria_api.get_account', { account_name: 'aliceA', pending: true }),
  );
  assert.deepEqual(pending, account);
});

test('an unknown account is refused as the lineage refuses it', async () => {
  for (const method of [
    'get_account',
    'get_account_balance',
    'get_vesting_balance',
    'get_active_authority',
    'get_owner_authority',
    'get_memo_key',
  ]) {
    const { error } = await node.call(`alexandria_api.${method}`, { account_name: 'nobody-here' });
    assert.equal(error?.code, -32003, method);
    assert.equal(error.message, 'no account is named nobody-here, and none was made from that seed');
    assert.equal(error.data?.['lineage'], 'Assert Exception:!accounts.empty(): Unknown account');
    assert.equal(error.data['name'], 'unknown_account');
  }
});

test('records show votes and who sponsors whom', async () => {
  const [alice, carol, nobody] = await fetchAccounts(
    'alexandria_api.get_accounts',
    { account_names: ['alice', 'carol', 'nobody-here'] },
    'accounts',
  );
  assert.equal(nobody, undefined);
  assert.deepEqual(alice?.witness_votes, ['initminer']);
  assert.deepEqual(alice.sponsored_accounts, ['carol']);
  assert.equal(carol?.sponsoring_account, 'alice');
});

test('reads show the last block, and with pending: true what was accepted since', async () => {
  const [before] = await fetchAccounts('alexandria_api.get_account', { account_name: 'erin' }, 'account');
  node.chain.accept(
    makeTransaction(node.chain, node.parameters, [transferJson('alice', 'erin', 7_000_000n)], ['alice']),
  );
  const reads = async (pending: boolean): Promise<string[]> => {
    const [account] = await fetchAccounts('alexandria_api.get_account', { account_name: 'erin', pending }, 'account');
    const [several] = await fetchAccounts(
      'alexandria_api.get_accounts',
      { account_names: ['erin'], pending },
      'accounts',
    );
    const [found] = await fetchAccounts('database_api.find_accounts', { accounts: ['erin'], pending }, 'accounts');
    const { account_balance: balance } = Object(
      await node.result('alexandria_api.get_account_balance', { account_name: 'erin', pending }),
    );
    return [
      account?.balance ?? '',
      several?.balance ?? '',
      found?.balance ?? '',
      assetText({ amount: BigInt(balance), symbol: 'COIN' }),
    ];
  };
  assert.deepEqual(new Set(await reads(false)), new Set([before?.balance]));
  assert.deepEqual(new Set(await reads(true)), new Set(['10000007.000000 COIN']));
  produce(node.chain);
  assert.deepEqual(new Set(await reads(false)), new Set(['10000007.000000 COIN']));
});

test('a page of accounts includes its start, in both directions and in every order', async () => {
  const names = async (params: {
    [member: string]: string | number | null | (string | number)[];
  }): Promise<string[]> => {
    const { accounts } = Object(await node.result('database_api.list_accounts', { limit: 3, ...params }));
    return accounts.map(({ name }: { name: string }) => name);
  };
  assert.deepEqual(await names({ start: 'bob', order: 'by_name' }), ['bob', 'carol', 'dave']);
  assert.deepEqual(await names({ start: 'bob', order: 'by_name_reverse' }), ['bob', 'alice']);
  assert.deepEqual(await names({ start: 'bo', order: 'by_name', limit: 1 }), ['bob']);
  assert.deepEqual(await names({ start: 0, order: 'by_id' }), ['miners', 'none', 'temp']);
  assert.deepEqual(await names({ start: 0, order: 1 }), ['miners', 'none', 'temp']);
  assert.deepEqual(await names({ start: ['', 'carol'], order: 'by_proxy', limit: 2 }), ['carol', 'dave']);
  assert.deepEqual(await names({ start: '1000000000000000', order: 'by_balance', limit: 1 }), ['initminer']);
  assert.deepEqual(await names({ order: 'by_name', limit: 0 }), []);
});

test('lists refuse large pages and orders that they do not have', async () => {
  const large = await node.call('database_api.list_accounts', { start: '', limit: 1001, order: 'by_name' });
  assert.equal(large.error?.message, 'at most 1000 at once, got 1001; ask for the rest in further calls');
  assert.equal(large.error.data?.['lineage'], 'Assert Exception:args.limit <= COIN_API_SINGLE_QUERY_LIMIT: ');
  for (const order of ['by_id_reverse', 'by_balance_reverse', 'by_expiration']) {
    const { error } = await node.call('database_api.list_accounts', { start: 1, limit: 5, order });
    assert.equal(error?.code, order === 'by_balance_reverse' ? -32602 : -32003, order);
  }
  const unknown = await node.call('database_api.list_accounts', { start: '', limit: 5, order: 'bogus' });
  assert.equal(unknown.error?.data?.['member'], 'order');
  const many = await node.call('database_api.find_accounts', { accounts: Array.from({ length: 1001 }, () => 'alice') });
  assert.equal(many.error?.message, 'Invalid params: accounts: at most 1000 elements expected, got 1001');
});

test('what can be no account name is refused with the member and the character, instead of being read as the name of somebody else', async () => {
  const transfer = (to: string) =>
    node.call('alexandria_api.transfer', { from: 'alice', to, amount: '1 COIN', memo: '' });
  for (const [to, said] of [
    ['bob.smith', /^Invalid params: to: .*character 4 is "\."/],
    ['böb', /^Invalid params: to: .*character 2 is "ö"/],
    ['bob ', /^Invalid params: to: .*character 4 is " "/],
    ['x'.repeat(33), /^Invalid params: to: .*has 33 characters, and names at most 32/],
  ] as const) {
    const { error } = await transfer(to);
    assert.match(error?.message ?? '', said);
    assert.deepEqual([error?.code, error?.data?.['member']], [-32602, 'to']);
  }
  for (const to of ['bob', 'a-_b', 'a+/b', 'x'.repeat(32), 'bobAA'])
    assert.equal((await transfer(to)).error, undefined, to);
});

test('whoever may be meant by a seed is found by any text, and never somebody whose name the text begins with', async () => {
  const exists = async (account_name: string): Promise<unknown> =>
    Object(await node.result('alexandria_api.account_exist', { account_name })).account_exist;
  assert.equal(await exists('alice'), true);
  assert.equal(await exists('alice '), false);
  assert.equal(await exists('alice, the seed of nobody'), false);
});

test('a list without a start begins at the beginning of its order, a reverse one at the end', async () => {
  const first = async (order: string, start?: null): Promise<string> => {
    const params = { limit: 1, order, ...(start === null ? { start } : {}) };
    return Object(await node.result('database_api.list_accounts', params)).accounts[0]?.name;
  };
  for (const order of ['by_name', 'by_id', 'by_proxy', 'by_next_vesting_withdrawal', 'by_balance']) {
    assert.equal(typeof (await first(order, null)), 'string', order);
    assert.equal(await first(order, null), await first(order), order);
  }
  assert.notEqual(await first('by_name_reverse', null), await first('by_name', null));
  assert.equal(await first('by_name_reverse', null), await first('by_name_reverse'));
});

test('by_name is the first order of the lists that have none of that name, reverse too', async () => {
  for (const [list, order] of [
    ['list_escrows', 'by_from_id'],
    ['list_account_recovery_requests', 'by_account'],
    ['list_change_recovery_account_requests', 'by_account'],
    ['list_witness_votes', 'by_account_witness'],
  ]) {
    const page = (params: { [member: string]: string | null }): Promise<unknown> =>
      node.result(`database_api.${list}`, { start: null, limit: 10, ...params });
    assert.deepEqual(await page({ order: 'by_name' }), await page({ order: order ?? '' }));
    assert.deepEqual(await page({}), await page({ order: order ?? '' }));
    assert.deepEqual(await page({ order: 'by_name_reverse' }), await page({ order: `${order}_reverse` }));
  }
});

test('the orders of two values begin at their beginning as well', async () => {
  const page = async (list: string, order: string): Promise<unknown> =>
    await node.result(`database_api.${list}`, { start: null, limit: 10, order });
  for (const order of ['by_vote_name', 'by_schedule_time', 'by_schedule_time_reverse']) {
    const { witnesses } = Object(await page('list_witnesses', order));
    assert.ok(witnesses.length > 0, order);
  }
  assert.deepEqual(
    await page('list_escrows', 'by_ratification_deadline'),
    Object(await page('list_escrows', 'by_from_id')),
  );
});
