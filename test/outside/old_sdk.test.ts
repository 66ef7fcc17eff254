import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { at, listMember, optionalMember, numberMember, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { signingDigest, requireObject, testSecret, sign, unsignedBytes } from './signer.ts';
import { Site } from './site.ts';
import type { Socket } from './socket.ts';
import { waitUntil } from './wait_until.ts';

/** The error of the lineage's JavaScript SDK. */
class RpcError extends Error {
  readonly code: Json;
  readonly data: Json;

  constructor(error: Json) {
    super(textMember(error, 'message'));
    this.code = at(error, 'code');
    this.data = optionalMember(error, 'data') ?? null;
  }
}

/** Sends a body and gives the text of the answer. */
type Transport = (body: string) => Promise<string>;

/**
 * The JavaScript SDK of the lineage, version 1.0.18, as its users have it: bare names, params by position, ids from 1,
 * the result handed on untouched, and each of its habits that can break on a node.
 */
class JavaScriptSdk {
  readonly #transport: Transport;
  #lastId = 0;
  chainId = '';

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Connects at once, as `api.setOptions({ url })` does. */
  async connect(): Promise<void> {
    this.chainId = textMember(await this.call('about'), 'chain_id');
  }

  async call(method: string, ...params: readonly Json[]): Promise<Json> {
    const id = ++this.#lastId;
    const text = await this.#transport(JSON.stringify({ id, jsonrpc: '2.0', method, params }));
    const answer: Json = JSON.parse(text);
    if (at(answer, 'id') !== id) throw new Error(`Invalid response id: ${text}`);
    const error = optionalMember(answer, 'error');
    if (error !== undefined) throw new RpcError(error);
    // To the byte: the id before the result, and nothing else that another reader could trip over.
    assert.equal(text, `{"id":${id},"result":${JSON.stringify(at(answer, 'result'))}}`);
    return at(answer, 'result');
  }

  /**
   * Every writing function of it: helper, create_simple_transaction, a signature made here, broadcast_transaction. Its
   * users try again when the 30 seconds of the chain were over before, which on a chain in a hurry happens to a slow
   * machine.
   */
  async write(helper: string, params: readonly Json[], signer: string): Promise<Json> {
    return await waitUntil(helper, () =>
      this.#writeOnce(helper, params, signer).catch((error: unknown) => {
        if (error instanceof RpcError && at(error.data, 'name') === 'transaction_expired') return undefined;
        throw error;
      }),
    );
  }

  async #writeOnce(helper: string, params: readonly Json[], signer: string): Promise<Json> {
    const transaction = requireObject(await this.call('create_simple_transaction', await this.call(helper, ...params)));
    const digest = signingDigest(this.chainId, await unsignedBytes(program, transaction));
    const signatures = [...listMember(transaction, 'signatures'), sign(digest, testSecret(signer))];
    return await this.call('broadcast_transaction', { ...transaction, signatures });
  }
}

const site = new Site();
let program: Program;
const sockets: Socket[] = [];

before(async () => {
  program = await site.dev('--fresh', '--block-interval-ms', '300');
});

after(async () => {
  for (const socket of sockets) socket.close();
  await site.clear();
});

/** As fetch sends it: no content type of its own, so text/plain. */
function overHttp(path = '/'): Transport {
  return async (body) => {
    const headers = { accept: 'application/json, text/plain, */*' };
    const response = await fetch(`http://127.0.0.1:${program.port}${path}`, { method: 'POST', headers, body });
    return await response.text();
  };
}

async function overWebSocket(): Promise<Transport> {
  const socket = await program.socket();
  sockets.push(socket);
  return (body) => {
    socket.send(body);
    return socket.next();
  };
}

const ways: readonly (readonly [string, () => Transport | Promise<Transport>])[] = [
  ['POST /', () => overHttp()],
  ['POST /rpc', () => overHttp('/rpc')],
  ['a WebSocket', overWebSocket],
];

for (const [way, open] of ways) {
  test(`a script of the JavaScript SDK runs unchanged over ${way}`, async () => {
    const sdk = new JavaScriptSdk(await open());
    await sdk.connect();
    assert.match(sdk.chainId, /^[0-9a-f]{64}$/);

    // Accounts: create one from a seed, look it up in every way.
    const key = textMember(await sdk.call('get_account', 'alice'), '0.memo_key');
    const seed = `newcomer over ${way}`;
    await sdk.write('create_account', ['alice', seed, '{}', key, key, key], 'alice');
    const name = textMember({ name: await sdk.call('get_account_name_from_seed', seed) }, 'name');
    assert.equal(await sdk.call('account_exist', name), true);
    assert.equal(await sdk.call('account_exist', 'nobody-here'), false);
    assert.equal(at(await sdk.call('get_account', name), '0.name'), name);
    assert.equal(await sdk.call('get_memo_key', name), key);
    for (const method of ['get_active_authority', 'get_owner_authority'])
      assert.deepEqual(await sdk.call(method, name), { weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] });

    // Money: the annotated transaction comes back, and balances are bare numbers or texts.
    const paid = await sdk.write('transfer', ['alice', name, '10.000 COIN', 'hello'], 'alice');
    assert.equal(await sdk.call('get_account_balance', name), 10_000_000);
    assert.equal(await sdk.call('get_vesting_balance', name), 0);
    const found = await sdk.call('get_transaction', at(paid, 'transaction_id'));
    assert.deepEqual(found, paid);
    await sdk.write('transfer_to_vesting', ['alice', 'alice', '5 COIN'], 'alice');
    assert.equal(at(await sdk.call('withdraw_vesting', 'alice', '1 VESTS'), '0'), 'withdraw_vesting');
    await sdk.write('sponsor_account_fees', ['alice', name, true], 'alice');
    assert.equal(at(await sdk.call('get_account', name), '0.sponsoring_account'), 'alice');

    // History: pairs of number and entry, as the SDK reads them.
    const history = listMember({ history: await sdk.call('get_account_history', name, -1, 10) }, 'history');
    assert.deepEqual(
      history.map((pair) => [at(pair, '0'), at(pair, '1.op.0')]),
      [
        [0, 'account_create'],
        [1, 'transfer'],
        [2, 'sponsor_fees'],
      ],
    );
    for (const member of [
      'op.1',
      'block',
      'fee_payer',
      'op_in_trx',
      'timestamp',
      'trx_id',
      'trx_in_block',
      'virtual_op',
    ])
      assert.notEqual(optionalMember(history[1] ?? null, `1.${member}`), undefined, member);

    // Documents: JSON as text, bytes as base64.
    await sdk.write('make_custom_json_operation', [7, 'alice', [name], '{"a":1}'], 'alice');
    await sdk.write('make_custom_binary_operation', [7, 'alice', [name], 'aGVsbG8='], 'alice');
    const documents = listMember(
      { documents: await sdk.call('get_received_documents', 7, name, 'by_recipient_reverse', '1', 10) },
      'documents',
    );
    assert.deepEqual(
      documents.map((pair) => [at(pair, '0'), at(pair, '1.sender'), at(pair, '1.data'), at(pair, '1.binary')]),
      [
        [1, 'alice', '{"a":1}', false],
        [2, 'alice', 'aGVsbG8=', true],
      ],
    );

    // Votes and witnesses.
    await sdk.write('vote_for_witness', ['bob', 'initminer', true], 'bob').catch(alreadyDone);
    await sdk.write('set_voting_proxy', ['carol', 'bob'], 'carol').catch(alreadyDone);
    const props = {
      account_creation_fee: '0.050000 COIN',
      maximum_block_size: 262_144,
      price_feeds: [['USD', { base: '1 USD', quote: '2 COIN' }]],
    };
    assert.equal(
      at(await sdk.call('update_witness', 'alice', 'https://alice.example', key, props), '1.owner'),
      'alice',
    );
    assert.equal(at(await sdk.call('get_witness', 'initminer'), 'owner'), 'initminer');
    assert.equal(await sdk.call('get_witness', 'nobody-here'), null);
    assert.deepEqual(await sdk.call('list_witnesses', '', 10), ['initminer']);
    assert.equal(at(await sdk.call('list_witnesses_by_vote', '', 10), '0.owner'), 'initminer');

    // Blocks, info, help.
    const block = numberMember(paid, 'block_num');
    assert(listMember(await sdk.call('get_block', block), 'transaction_ids').includes(at(paid, 'transaction_id')));
    assert.equal(await sdk.call('get_block', 4_000_000_000), null);
    assert(
      listMember({ ops: await sdk.call('get_ops_in_block', block, false) }, 'ops').some(
        (entry) => at(entry, 'op.0') === 'transfer',
      ),
    );
    assert(numberMember(await sdk.call('info'), 'head_block_number') >= block);
    assert.deepEqual(at(await sdk.call('get_feed_history', 'USD'), 'price_history'), []);
    assert(
      String(await sdk.call('help'))
        .split('\n')
        .includes('transfer(from, to, amount, memo)'),
    );
    assert.equal(at(await sdk.call('update_account', name, '{}', key, key, key), '0'), 'account_update');
    assert.equal(at(await sdk.call('delete_account', name), '0'), 'account_delete');
  });

  test(`what is wrong is an error that the SDKs understand, over ${way}`, async () => {
    const transport = await open();
    const sdk = new JavaScriptSdk(transport);
    const refusal = async (method: string, ...params: readonly Json[]): Promise<RpcError> => {
      const outcome: unknown = await sdk.call(method, ...params).catch((error: unknown) => error);
      assert(outcome instanceof RpcError);
      assert.equal(outcome.code, 1);
      return outcome;
    };
    assert.match(
      (await refusal('get_account', 'nobody-here')).message,
      /^10 assert_exception: Assert Exception\n.*Unknown account/,
    );
    assert.match((await refusal('get_account')).message, /too few arguments passed to method/);
    assert.match((await refusal('suggest_brain_key')).message, /no method with name 'suggest_brain_key'/);
    const unsigned = await sdk.call(
      'create_simple_transaction',
      await sdk.call('transfer', 'alice', 'bob', '1 COIN', ''),
    );
    const { message, data } = await refusal('broadcast_transaction', unsigned);
    assert.match(
      message,
      /^3010000 tx_missing_active_auth: missing required active authority\nMissing Active Authority alice/,
    );
    assert.equal(at(data, 'name'), 'missing_active_authority');
    // Ids are numbers, whatever they were; without one there is an error with the id 1.
    assert.match(
      await transport('{"id":"42","method":"account_exist","params":["alice"]}'),
      /^\{"id":42,"result":true\}$/,
    );
    assert.match(
      await transport('{"id":0,"method":"account_exist","params":["alice","superfluous"]}'),
      /^\{"id":0,"result":true\}$/,
    );
    assert.match(await transport('{"method":"account_exist","params":["alice"]}'), /^\{.*"id":1|^\{"id":1,"error":/);
  });
}

/** A second run of the script over another way finds the vote and the proxy as they are. */
function alreadyDone(error: unknown): void {
  assert(error instanceof RpcError, String(error));
}

test('a script of the C# SDK runs unchanged: POST /rpc as text/plain, ids from 0, no answer that speaks of errors', async () => {
  let id = 0;
  const call = async (method: string, ...params: readonly Json[]): Promise<Json> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const { body: text } = await program.http('POST', '/rpc', { 'content-type': 'text/plain' }, body);
    assert(!text.includes('error'), text);
    const answer: Json = JSON.parse(text);
    assert.equal(at(answer, 'id'), id++);
    return at(answer, 'result');
  };
  const chainId = textMember(await call('about'), 'chain_id');
  const key = textMember({ key: await call('get_memo_key', 'alice') }, 'key');
  const authority = { weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] };
  assert.deepEqual(await call('create_simple_authority', key), authority);
  assert.deepEqual(await call('create_simple_multisig_authority', [key], 1), authority);
  assert.equal(listMember(await call('create_simple_managed_authority', 'a seed'), 'account_auths').length, 1);
  assert.equal(at(await call('create_simple_multisig_managed_authority', ['alice', 'bob'], 2), 'weight_threshold'), 2);

  const application = await call('create_application', 'alice', 'chat', 'https://chat.example', '', 0);
  assert.equal(await call('calculate_fee', application, 'COIN'), '0.010000 COIN');
  assert.equal(at(await call('add_fee', application, '0.020000 COIN'), '1.fee'), '0.020000 COIN');
  const transaction = await call('create_transaction', [application]);
  const digest = textMember({ digest: await call('get_transaction_digest', transaction) }, 'digest');
  assert.equal(digest, signingDigest(chainId, await unsignedBytes(program, transaction)).toString('hex'));
  const signed = await call('add_signature', transaction, sign(Buffer.from(digest, 'hex'), testSecret('alice')));
  assert(numberMember(await call('broadcast_transaction', signed), 'block_num') > 0);

  const [chat = null] = listMember({ found: await call('get_applications', ['chat']) }, 'found');
  assert.equal(at(chat, 'author'), 'alice');
  assert.equal(
    at(await call('update_application', 'alice', 'chat', 'alice', 'https://chat.example', 'more', 0), '0'),
    'application_update',
  );
  assert.equal(at(await call('delete_application', 'alice', 'chat'), '0'), 'application_delete');
  assert.equal(at(await call('buy_application', 'bob', at(chat, 'id')), '1.buyer'), 'bob');
  assert.equal(at(await call('cancel_application_buying', 'alice', 'bob', at(chat, 'id')), '1.app_owner'), 'alice');
  assert.deepEqual(await call('get_application_buyings', 'bob', 'by_buyer', 10), []);
  assert.deepEqual([...new Set(listMember({ names: await call('get_active_witnesses') }, 'names'))].filter(Boolean), [
    'initminer',
  ]);
});

test('other old clients are understood: a GET with a body, a form, a call without params, the token script', async () => {
  const ask = async (method: string, type: string, body: Json): Promise<Json> => {
    const { status, body: text } = await program.http(method, '/', { 'content-type': type }, JSON.stringify(body));
    assert.equal(status, 200);
    const answer: Json = JSON.parse(text);
    return at(answer, 'result');
  };
  const properties = { jsonrpc: '2.0', id: 1, method: 'database_api.get_dynamic_global_properties' };
  assert(numberMember(await ask('GET', 'application/json', properties), 'head_block_number') >= 0);
  assert(
    numberMember(
      await ask('POST', 'application/x-www-form-urlencoded', { ...properties, id: 0 }),
      'head_block_number',
    ) >= 0,
  );
  const page = { start: 0, limit: 1000, order: 'by_id' };
  const listed = await ask('POST', 'application/x-www-form-urlencoded', {
    jsonrpc: '2.0',
    id: 0,
    method: 'database_api.list_accounts',
    params: page,
  });
  assert(listMember(listed, 'accounts').length > 5);

  const sdk = new JavaScriptSdk(await overWebSocket());
  await sdk.connect();
  for (const memo of ['one', 'two', 'three'])
    await sdk.write('transfer', ['dave', 'erin', '0.000001 COIN', memo], 'dave');
  const last = numberMember(await sdk.call('get_account_history', 'erin', -1, 1), '1.0');
  assert.equal(at(await sdk.call('get_account_history', 'erin', -1, 1), '0.0'), last - 1);
  assert.equal(listMember({ page: await sdk.call('get_account_history', 'erin', last, 1) }, 'page').length, 2);
  const pair = await sdk.call('generate_key_pair');
  assert.match(textMember(pair, 'wif_priv_key'), /^5/);
});
