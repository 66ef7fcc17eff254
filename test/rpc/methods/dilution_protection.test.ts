import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../src/codec/json.ts';
import { produce, testParameters, makeTransaction } from '../../builders/chain.ts';
import { NodeOfMethods } from './node_of_methods.ts';

const free = '0.000000 COIN';
const vestBody = (from: string, amount = '100.000000 COIN'): Json => [
  'transfer_to_vesting',
  { fee: free, from, to: '', amount },
];
const take: Json = [
  'transfer_from_promotion_pool',
  { fee: free, transfer_to: 'erin', amount: '1000.000000 COIN', extensions: [] },
];

function apply(node: NodeOfMethods, signer: string, operation: Json): void {
  node.chain.accept(makeTransaction(node.chain, node.parameters, [operation], [signer]));
  produce(node.chain);
}

const parameterOf: Readonly<Record<string, string>> = {
  'alexandria_api.get_account': 'account_name',
  'alexandria_api.get_accounts': 'account_names',
};

async function account(
  node: NodeOfMethods,
  name: string,
  method = 'alexandria_api.get_account',
): Promise<Record<string, unknown>> {
  const params = { [parameterOf[method] ?? 'accounts']: method === 'alexandria_api.get_account' ? name : [name] };
  const { account: one, accounts: all } = Object(await node.result(method, params));
  return Object((one ?? all)[0]);
}

/** A node on which bob holds vesting shares, some coins of the promotion pool are out, and he is owed for them. */
function diluted(): NodeOfMethods {
  const node = new NodeOfMethods();
  // The pool has released less than a coin so far, so it takes many shares to be owed something for it.
  apply(node, 'bob', vestBody('bob', '9000000.000000 COIN'));
  apply(node, 'initminer', take);
  return node;
}

test('what is owed stands beside what is held, and the index beside what it has issued', async () => {
  const node = diluted();
  for (const method of ['alexandria_api.get_account', 'alexandria_api.get_accounts', 'database_api.find_accounts']) {
    const { vesting_shares, owed_vesting_shares } = await account(node, 'bob', method);
    assert.equal(vesting_shares, '9000000.000000 VESTS');
    assert.match(String(owed_vesting_shares), /^0\.0[0-9]*[1-9][0-9]* VESTS$/, method);
  }
  const { owed_vesting_shares: nothing } = await account(node, 'temp');
  assert.equal(nothing, '0.000000 VESTS');
  const shown = Object(await node.result('database_api.get_dilution_protection', {}));
  assert.equal(shown.percent, 90);
  assert.match(shown.growth, /^1\.0000000\d*[1-9]\d*$/);
  assert.equal(shown.issued, '0.000000 VESTS');
  assert(BigInt(shown.index) > 2n ** 64n);
});

test('what was owed is paid as interest in vesting shares, which histories and blocks show', async () => {
  const node = diluted();
  const { owed_vesting_shares: owed } = await account(node, 'bob');
  apply(node, 'bob', vestBody('bob'));
  const after = await account(node, 'bob');
  const millionths = (text: unknown): number => Number(String(text).replace(/\D/g, ''));
  assert.equal(millionths(after['vesting_shares']), 9_000_100_000_000 + millionths(owed));
  assert.equal(after['owed_vesting_shares'], '0.000000 VESTS');
  const { issued } = Object(await node.result('database_api.get_dilution_protection', {}));
  assert.equal(issued, owed);
  const { history } = Object(
    await node.result('account_history_api.get_account_history', { account: 'bob', start: -1, limit: 1 }),
  );
  const shown = history.map(([, { op }]: [number, { op: [string, unknown] }]) => op);
  assert.deepEqual(shown, [vestBody('bob'), ['interest', { owner: 'bob', interest: owed }]]);
  const { ops } = Object(
    await node.result('account_history_api.get_ops_in_block', {
      block_num: node.chain.head.number,
      only_virtual: true,
    }),
  );
  assert.deepEqual(
    ops.map(({ op }: { op: [string, unknown] }) => op[0]),
    ['interest', 'producer_reward'],
  );
});

test('a snapshot of a development chain keeps what is owed', async () => {
  const node = diluted();
  const before = await account(node, 'bob');
  const { id } = Object(await node.result('debug_api.snapshot', {}));
  apply(node, 'initminer', take);
  apply(node, 'bob', vestBody('bob'));
  assert.notDeepEqual(await account(node, 'bob'), before);
  await node.result('debug_api.revert', { id });
  assert.deepEqual(await account(node, 'bob'), before);
});

test('a chain without protection shows nothing of it but the percentage', async () => {
  for (const parameters of [testParameters({ dilution_protection_percent: 0 }), testParameters({}, 'lineage')]) {
    const node = new NodeOfMethods({ parameters, isEmpty: true });
    produce(node.chain);
    apply(node, 'bob', vestBody('bob'));
    apply(node, 'initminer', take);
    assert.equal('owed_vesting_shares' in (await account(node, 'bob')), false);
    const { percent, growth } = Object(await node.result('database_api.get_dilution_protection', {}));
    assert.deepEqual([percent, growth], [0, '1.000000000000000000']);
  }
});
