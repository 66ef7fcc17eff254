// A process of whoever uses an old SDK: `node script.js PACKAGES URL`. Makes every call of the SDK by each transport
// and of 9.3 as the C# SDK posts, all at once, and prints a line for each that came through.
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { at, listMember, optionalMember, numberMember, textMember, type Json } from '../../outside/json.ts';
import { within } from '../../outside/wait_until.ts';
import { RpcError, Sdk } from './sdk.ts';
import { byHttp, makeTransports, type Transport } from './transports.ts';

/** Of a development chain. Each pays for one or two witnesses. */
const devAccounts = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi', 'ivan', 'judy'];
const [, , packages = '', url = ''] = process.argv;
const failed: string[] = [];
const scripts = [...makeTransports(packages, url)].map(
  ([name, transport], k) =>
    [
      name,
      (): Promise<void> =>
        javaScript(transport, devAccounts[k % devAccounts.length] ?? '', `sdk ${process.versions.node} ${k}`),
    ] as const,
);
const csharpWays = [
  ['C#, Expect: 100-continue', { expect: '100-continue', 'content-type': 'text/plain' }],
  ['C#', { 'content-type': 'text/plain' }],
] as const;
for (const [name, headers] of csharpWays)
  scripts.push([
    name,
    () => csharp(byHttp(`${url}/rpc`, 'keep-alive', new Agent({ keepAlive: true, maxSockets: 1 }), headers), name),
  ]);
await Promise.all(
  scripts.map(async ([name, run]) => {
    try {
      await within(name, run());
      console.log(name);
    } catch (error) {
      failed.push(name);
      console.error(name, error);
    }
  }),
);
process.exit(failed.length === 0 ? 0 : 1);

/** All calls of the JavaScript SDK. */
async function javaScript(transport: Transport, payer: string, seed: string): Promise<void> {
  const sdk = new Sdk(transport);
  await sdk.connect();
  const key = textMember({ key: await sdk.call('get_memo_key', payer) }, 'key');
  const name = await makeAccount(sdk, payer, seed, key);
  await moveMoney(sdk, payer, name);
  await writeDocuments(sdk, payer, name);
  await vote(sdk, payer, name, key);
  await readChain(sdk);
  await fail(sdk, payer, name);
  await sdk.write('update_account', [name, '{"a":1}', key, key, key], payer);
  // Not of one whose owner authority was just replaced.
  await assert.rejects(sdk.write('delete_account', [name], payer), /once an hour/);
  await sdk.write('delete_account', [await makeAccount(sdk, payer, `${seed} 2`, key)], payer);
}

async function makeAccount(sdk: Sdk, payer: string, seed: string, key: string): Promise<string> {
  await sdk.write('create_account', [payer, seed, '{}', key, key, key], payer);
  const name = textMember({ name: await sdk.call('get_account_name_from_seed', seed) }, 'name');
  assert.equal(await sdk.call('account_exist', name), true);
  assert.equal(at(await sdk.call('get_account', name), '0.name'), name);
  assert.equal(await sdk.call('get_memo_key', name), key);
  for (const method of ['get_active_authority', 'get_owner_authority'])
    assert.deepEqual(at(await sdk.call(method, name), 'key_auths'), [[key, 1]]);
  return name;
}

async function moveMoney(sdk: Sdk, payer: string, name: string): Promise<void> {
  const coin = textMember(await sdk.call('get_account', payer), '0.balance').split(' ')[1] ?? '';
  const paid = await sdk.write('transfer', [payer, name, `10.000 ${coin}`, 'žluťoučký 漢字'], payer);
  assert.equal(await sdk.call('get_account_balance', name), 10_000_000);
  assert.deepEqual(await sdk.call('get_transaction', at(paid, 'transaction_id')), paid);
  const block = numberMember(paid, 'block_num');
  assert(listMember(await sdk.call('get_block', block), 'transaction_ids').includes(at(paid, 'transaction_id')));
  assert(
    listMember({ ops: await sdk.call('get_ops_in_block', block, false) }, 'ops').some(
      (entry) => at(entry, 'op.0') === 'transfer',
    ),
  );
  // A witness needs these shares; amounts beyond 32 bits are texts.
  await sdk.write('transfer_to_vesting', [payer, name, `250000 ${coin}`], payer);
  assert.equal(await sdk.call('get_vesting_balance', name), '250000000000');
  await sdk
    .write('withdraw_vesting', [name, '0.000000 VESTS'], payer)
    .catch((error: unknown) => assert(error instanceof RpcError));
  await sdk.write('sponsor_account_fees', [payer, name, true], payer);
  assert.equal(at(await sdk.call('get_account', name), '0.sponsoring_account'), payer);
  const history = listMember({ history: await sdk.call('get_account_history', name, -1, 10) }, 'history');
  assert(history.some((pair) => at(pair, '1.op.0') === 'transfer'));
  for (const member of ['op.1', 'block', 'fee_payer', 'op_in_trx', 'timestamp', 'trx_id', 'trx_in_block', 'virtual_op'])
    assert.notEqual(optionalMember(history[0] ?? null, `1.${member}`), undefined, member);
}

async function writeDocuments(sdk: Sdk, payer: string, name: string): Promise<void> {
  await sdk.write('make_custom_json_operation', [7, payer, [name], '{"a":1}'], payer);
  await sdk.write('make_custom_binary_operation', [7, payer, [name], 'aGVsbG8='], payer);
  const documents = listMember(
    { all: await sdk.call('get_received_documents', 7, name, 'by_recipient_reverse', '1', 10) },
    'all',
  );
  const seen = documents.map((pair) => [
    at(pair, '1.sender'),
    at(pair, '1.data'),
    at(pair, '1.binary'),
    at(pair, '1.app_id'),
  ]);
  assert.deepEqual(seen, [
    [payer, '{"a":1}', false, 7],
    [payer, 'aGVsbG8=', true, 7],
  ]);
}

async function vote(sdk: Sdk, payer: string, name: string, key: string): Promise<void> {
  const coin = textMember(await sdk.call('get_account', payer), '0.balance').split(' ')[1] ?? '';
  const props = {
    account_creation_fee: `0.050000 ${coin}`,
    maximum_block_size: 262_144,
    price_feeds: [['USD', { base: '1 USD', quote: `2 ${coin}` }]],
  };
  await sdk.write('vote_for_witness', [name, 'initminer', true], payer);
  await sdk.write('set_voting_proxy', [name, payer], payer);
  assert.equal(at(await sdk.call('get_account', name), '0.voting_proxy'), payer);
  await sdk.write('update_witness', [name, 'https://alice.example', key, props], payer);
  assert.equal(at(await sdk.call('get_witness', name), 'owner'), name);
  assert(listMember({ names: await sdk.call('list_witnesses', '', 100) }, 'names').includes('initminer'));
  assert.equal(typeof at(await sdk.call('list_witnesses_by_vote', '', 10), '0.owner'), 'string');
}

async function readChain(sdk: Sdk): Promise<void> {
  assert.equal(await sdk.call('get_block', 4_000_000_000), null);
  assert(numberMember(await sdk.call('info'), 'head_block_number') > 0);
  listMember(await sdk.call('get_feed_history', 'USD'), 'price_history');
  assert.match(String(await sdk.call('help')), /^transfer\(from, to, amount, memo\)$/m);
}

/**
 * Provokes refusals, and the operations that the SDK packs wrongly: its signature is for other bytes than the chain's.
 */
async function fail(sdk: Sdk, payer: string, name: string): Promise<void> {
  await assert.rejects(sdk.call('get_account', 'nobody-here'), /Unknown account/);
  const application = await sdk.call(
    'create_application',
    payer,
    `app ${name.slice(0, 8)}`,
    'https://a.example',
    '{}',
    0,
  );
  await assert.rejects(sdk.send(application, payer), /missing required active authority/);
  // Lists come back from the helper in the chain's order, which the SDK signs in whatever order it is.
  await sdk.write('make_custom_json_operation', [7, payer, [payer, 'initminer'], `["${name}"]`], payer);
  await sdk.write('make_custom_json_operation', [7, payer, ['initminer', payer], `{"to":"${name}"}`], payer);
}

/** The calls that the C# SDK has beyond those, as it posts: ids from 0, and no answer that speaks of errors. */
async function csharp(transport: Transport, name: string): Promise<void> {
  const sdk = new Sdk(async (body) => {
    const text = await transport(body);
    assert(!text.includes('error'), text);
    return text;
  }, 0);
  await sdk.connect();
  const key = textMember({ key: await sdk.call('get_memo_key', 'alice') }, 'key');
  const authority = { weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] };
  assert.deepEqual(await sdk.call('create_simple_authority', key), authority);
  assert.deepEqual(await sdk.call('create_simple_multisig_authority', [key], 1), authority);
  assert.equal(listMember(await sdk.call('create_simple_managed_authority', 'a seed'), 'account_auths').length, 1);
  assert.equal(
    at(await sdk.call('create_simple_multisig_managed_authority', ['alice', 'bob'], 2), 'weight_threshold'),
    2,
  );
  const coin = textMember(await sdk.call('get_account', 'alice'), '0.balance').split(' ')[1] ?? '';
  const transfer = await sdk.call('transfer', 'alice', 'bob', `1 ${coin}`, name);
  const fee = textMember({ fee: await sdk.call('calculate_fee', transfer, coin) }, 'fee');
  const transaction = await sdk.call('create_transaction', [await sdk.call('add_fee', transfer, fee)]);
  assert.match(String(await sdk.call('get_transaction_digest', transaction)), /^[0-9a-f]{64}$/);
  const signed = await sdk.call('add_signature', transaction, sdk.sign(transaction, 'alice'));
  assert(numberMember(await sdk.call('broadcast_transaction', signed), 'block_num') > 0);
  assert.deepEqual(await sdk.call('get_applications', ['nothing']), []);
  assert.deepEqual(await sdk.call('get_application_buyings', 'bob', 'by_buyer', 10), []);
  for (const [method, ...params] of [
    ['create_application', 'alice', 'chat', 'https://a.example', '', 0],
    ['update_application', 'alice', 'chat', 'alice', 'https://a.example', '', 0],
    ['delete_application', 'alice', 'chat'],
    ['buy_application', 'bob', 1],
    ['cancel_application_buying', 'alice', 'bob', 1],
  ] as const satisfies readonly (readonly [string, ...Json[]])[])
    assert.equal(typeof at(await sdk.call(method, ...params), '0'), 'string');
  assert(listMember({ names: await sdk.call('get_active_witnesses') }, 'names').includes('initminer'));
  await assert.rejects(sdk.call('transfer', 'alice', 'bob', `1 ${coin}`, 'no error'));
}
