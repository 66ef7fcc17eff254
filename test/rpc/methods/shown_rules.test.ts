import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type Json } from '../../../src/codec/json.ts';
import { genesisFile } from '../../../src/state/genesis_file.ts';
import { timeText } from '../../../src/values/time.ts';
import { testKeyText, encoding, produce, testParameters, makeTransaction } from '../../builders/chain.ts';
import { NodeOfMethods } from './node_of_methods.ts';

/** Three instalments, two blocks apart; what is vested stays so for a minute. */
const hurried = {
  genesis_time: '2026-01-01T00:00:00',
  minimum_vesting_seconds: 60,
  vesting_withdraw_intervals: 3,
  vesting_withdraw_interval_seconds: 6,
  dilution_protection_percent: 0,
};

async function bob(node: NodeOfMethods, pending = false): Promise<Record<string, unknown>> {
  const { account } = Object(await node.result('alexandria_api.get_account', { account_name: 'bob', pending }));
  const { accounts } = Object(await node.result('database_api.find_accounts', { accounts: ['bob'], pending }));
  assert.deepEqual(accounts, account, 'both methods show the same');
  return Object(account[0]);
}

function submit(node: NodeOfMethods, ...operations: Json[]): void {
  node.chain.accept(makeTransaction(node.chain, node.parameters, operations, ['bob']));
}

const vesting = (amount: string): Json => [
  'transfer_to_vesting',
  { fee: '0.010000 COIN', from: 'bob', to: 'bob', amount },
];
const withdrawal = (shares: string): Json => [
  'withdraw_vesting',
  { fee: '0.010000 COIN', account: 'bob', vesting_shares: shares },
];

test('an account shows what is locked, until when, and who can recover or reset it', async () => {
  const node = new NodeOfMethods({ parameters: testParameters(hurried), isEmpty: true });
  const free = await bob(node);
  assert.equal(free['locked_vesting_shares'], '0.000000 VESTS');
  assert.equal('next_vesting_unlock' in free, false);
  const { time } = node.chain.head;
  submit(node, vesting('3.000000 COIN'));
  const coming = await bob(node, true);
  assert.equal(coming['locked_vesting_shares'], '3.000000 VESTS');
  produce(node.chain);
  const locked = await bob(node);
  assert.equal(locked['locked_vesting_shares'], '3.000000 VESTS');
  assert.equal(locked['next_vesting_unlock'], timeText(time + 60));
  submit(node, [
    'set_reset_account',
    { account: 'bob', current_reset_account: locked['reset_account'] as string, reset_account: 'carol' },
  ]);
  produce(node.chain);
  assert.equal((await bob(node))['reset_account'], 'carol');
  assert.equal(typeof locked['recovery_account'], 'string');
  for (let block = 0; block < 20; block++) produce(node.chain);
  assert.equal((await bob(node))['locked_vesting_shares'], '0.000000 VESTS');
});

test('the texts of helpers name the figures of the chain, in the document and in help', async () => {
  for (const changes of [hurried, { genesis_time: '2026-01-01T00:00:00' }]) {
    const node = new NodeOfMethods({ parameters: testParameters(changes), isEmpty: true });
    const { withdrawIntervals, withdrawIntervalSeconds } = node.parameters;
    const { COIN_MINIMUM_VESTING_SECONDS: locked } = Object(await node.result('database_api.get_config'));
    const { methods } = Object(await node.result('rpc.discover'));
    const { result: help } = await node.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'gethelp',
      params: ['withdraw_vesting'],
    });
    const findDescription = (name: string): string =>
      methods.find((method: { name: string }) => method.name === name).description;
    const instalments = `On this chain: ${withdrawIntervals} instalments, ${withdrawIntervalSeconds} seconds apart.`;
    assert.ok(findDescription('alexandria_api.withdraw_vesting').endsWith(instalments));
    assert.ok(String(help).endsWith(instalments));
    assert.ok(findDescription('alexandria_api.transfer_to_vesting').endsWith(`On this chain: ${locked} seconds.`));
  }
});

test('a withdrawal shows what is paid, what is left and when the next instalment is due, and nothing when it has ended', async () => {
  const node = new NodeOfMethods({
    parameters: testParameters({ ...hurried, minimum_vesting_seconds: 0 }),
    isEmpty: true,
  });
  submit(node, vesting('3.000000 COIN'));
  produce(node.chain);
  submit(node, withdrawal('3.000000 VESTS'));
  const { time } = node.chain.head;
  produce(node.chain);
  const begun = await bob(node);
  const shown = ['to_withdraw', 'withdrawn', 'withdrawals_left', 'vesting_withdraw_rate'].map((name) => begun[name]);
  assert.deepEqual(shown, [3_000_000, 0, 3, '1.000000 VESTS']);
  assert.equal(begun['next_vesting_withdrawal'], timeText(time + 6));
  const left: unknown[] = [];
  for (let block = 0; block < 8; block++) {
    produce(node.chain);
    const { withdrawals_left: count, withdrawn, to_withdraw: total } = await bob(node);
    left.push(count);
    assert.equal(withdrawn, total === 0 ? 0 : 3_000_000 - Number(count) * 1_000_000);
  }
  assert.deepEqual([...new Set(left)], [2, 1, 0]);
  const ended = await bob(node);
  assert.deepEqual([ended['to_withdraw'], ended['withdrawn'], ended['next_vesting_withdrawal']], [0, 0, undefined]);
});

/**
 * Another value of each member of a genesis. The first two make no chain, and the last ones are shown by other methods.
 */
const OTHERWISE: Readonly<Record<string, Json>> = {
  initial_balace: 340_000_000_000_000,
  total_supply: 510_000_000_000_000,
  rules: 'lineage',
  genesis_time: '2026-01-01T00:01:00',
  initial_public_key: testKeyText('carol'),
  initial_signing_key: testKeyText('carol'),
  impersonator: testKeyText('carol'),
  is_private_net: true,
  symbol: 'OTHER',
  promotion_pool_percentage: 1100,
  mining_pool_percentage: 2600,
  interest_pool_percentage: 6600,
};

/** Part of the chain id alone, or shown by `list_genesis_accounts`, `get_hardfork_properties` or `info`, which has a confirmed number with votes. */
const SHOWN_ELSEWHERE = new Set([
  'initial_chain_id',
  'initial_accounts',
  'name',
  'symbol',
  'fork',
  'hardfork_blocks',
  'finality',
]);

test('every rule of a genesis shows in get_config', async () => {
  const fetchConfig = async (genesis: Readonly<Record<string, Json>>): Promise<Record<string, unknown>> => {
    const node = new NodeOfMethods({ parameters: testParameters({ ...GIVEN, ...genesis }), isEmpty: true });
    const { COIN_CHAIN_ID: _, ...config } = Object(await node.result('database_api.get_config'));
    return config;
  };
  const plain = genesisFile.toJson(testParameters(GIVEN).genesis, encoding);
  assert.ok(isJsonObject(plain));
  const usual = await fetchConfig({});
  for (const [name, value] of Object.entries(plain)) {
    if (SHOWN_ELSEWHERE.has(name)) continue;
    const other = OTHERWISE[name] ?? Number(value) + 1;
    const counter = /^(promotion|mining|interest)_pool_percentage$/.exec(name);
    const burden: Record<string, Json> = counter === null ? {} : balanced(plain, name);
    assert.notDeepEqual(await fetchConfig({ ...burden, [name]: other }), usual, `${name} shows`);
  }
});

const GIVEN = { genesis_time: '2026-01-01T00:00:00', dilution_protection_percent: 50, minimum_vesting_seconds: 60 };

/** The percentages add up: what one of them gains another one loses. */
function balanced(genesis: { readonly [member: string]: Json }, name: string): Record<string, Json> {
  const loser =
    name === 'burn_fee_percentage'
      ? name
      : name === 'mining_pool_percentage'
        ? 'interest_pool_percentage'
        : 'mining_pool_percentage';
  return { [loser]: Number(genesis[loser]) - 100 };
}

test('a block that has not come yet is told from an empty one', async () => {
  const node = new NodeOfMethods({ isEmpty: true });
  produce(node.chain);
  for (const [method, member] of [
    ['alexandria_api.get_ops_in_block', 'ops_in_block'],
    ['account_history_api.get_ops_in_block', 'ops'],
  ] as const) {
    assert.ok(Array.isArray(Object(await node.result(method, { block_num: 1, only_virtual: false }))[member]));
    const { error } = await node.call(method, { block_num: 2, only_virtual: false });
    assert.equal(error?.data?.['name'], 'unknown_block');
    assert.match(error.message, /there is no block 2 yet: the head is block 1/);
  }
  assert.equal(await node.result('block_api.get_block', { block_num: 2 }), null);
  assert.deepEqual(await node.result('alexandria_api.get_block', { num: 2 }), {});
});

test('an unknown symbol is told the known ones, and a price that nobody has published is none', async () => {
  const node = new NodeOfMethods({ isEmpty: true });
  for (const method of [
    'database_api.get_current_price_feed',
    'database_api.get_feed_history',
    'alexandria_api.get_feed_history',
  ]) {
    const { error } = await node.call(method, { symbol: 'XYZ' });
    assert.match(error?.message ?? '', /XYZ.*USD.*EUR.*CHF.*CNY.*GBP/, method);
  }
  const { error } = await node.call('database_api.get_current_price_feed', { symbol: 'USD' });
  assert.equal(error?.data?.['name'], 'no_current_feed');
});

test('a phrase is read as the wallet reads it, and an empty one is refused', async () => {
  const node = new NodeOfMethods({ isEmpty: true });
  const method = 'alexandria_api.generate_key_pair_from_brain_key';
  const one = await node.result(method, { brain_key: 'WORD ONE TWO' });
  for (const brain_key of ['word one two', '  Word\tone \n two '])
    assert.deepEqual(await node.result(method, { brain_key }), one, brain_key);
  for (const brain_key of ['', ' ', '\t\n']) assert.equal((await node.call(method, { brain_key })).error?.code, -32602);
});

test('witnesses by votes begin at the top for null, and without a name', async () => {
  const node = new NodeOfMethods();
  const method = 'alexandria_api.list_witnesses_by_vote';
  const all = await node.result(method, { name: '', limit: 10 });
  assert.deepEqual(await node.result(method, { name: null, limit: 10 }), all);
  assert.deepEqual(await node.result(method, { limit: 10 }), all);
});

test('a release of an escrow shows the amount of the currency that this chain does not have', async () => {
  const node = new NodeOfMethods({ isEmpty: true });
  const release = {
    from: 'alice',
    to: 'bob',
    agent: 'carol',
    who: 'alice',
    receiver: 'bob',
    escrow_id: 1,
    coin_amount: '1.000000 COIN',
  };
  const nothing = { amount: '0', precision: 6, nai: '@@000000013' };
  const { op } = Object(
    await node.result('alexandria_api.add_fee', { op: ['escrow_release', release], fee: '0.010000 COIN' }),
  );
  assert.deepEqual(op[1].sbd_amount, nothing);
  assert.deepEqual(Object.keys(op[1]).slice(-2), ['sbd_amount', 'coin_amount']);
  // What is shown can be given again.
  const again = await node.result('alexandria_api.add_fee', { op, fee: '0.010000 COIN' });
  assert.deepEqual(again, { op });
});
