import assert from 'node:assert/strict';
import type { Json } from '../outside/json.ts';
import { expect, on, type Section } from './lines.ts';
import { anything, bool, has, matching } from './shapes.ts';
import type { Chain } from './chain.ts';

const { row, story } = on('dev');
const wallet = on('wallet');

const EXISTS = { method: 'alexandria_api.account_exist', params: { account_name: 'alice' } };

const withoutParams = [
  ...['info', 'about', 'get_version', 'get_dynamic_global_properties', 'generate_key_pair', 'get_active_witnesses'].map(
    (name) => `alexandria_api.${name}`,
  ),
  ...[
    'get_active_witnesses',
    'get_config',
    'get_dynamic_global_properties',
    'get_hardfork_properties',
    'get_witness_schedule',
  ].map((name) => `database_api.${name}`),
  ...['get_burned_balance', 'get_promotion_pool_balance'].map((name) => `database_api.${name}`),
  'jsonrpc.get_methods',
];

/** A call of each group with params by name, and what it gives. */
const named: readonly (readonly [string, Json])[] = [
  ['alexandria_api.account_exist', { account_name: 'alice' }],
  ['database_api.find_accounts', { accounts: ['alice'] }],
  ['account_history_api.get_ops_in_block', { block_num: 1, only_virtual: false }],
  ['block_api.get_block', { block_num: 1 }],
  ['custom_api.get_app_custom_messages', { app_id: 1, start: -1, limit: 10 }],
  ['jsonrpc.get_signature', { method: 'block_api.get_block' }],
];

export const transport: Section = {
  title: 'Endpoints / Transport',
  lines: [
    ...['POST', 'PUT', 'DELETE'].map((method) =>
      story('POST to {base_url}', `${method} is ${method === 'POST' ? 'answered' : 'refused'}`, async ({ program }) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...EXISTS });
        const { status } = await program.http(method, '/', { 'content-type': 'application/json' }, body);
        assert.equal(status, method === 'POST' ? 200 : 405);
      }),
    ),
    wallet.row(
      'POST to {base_url}',
      (daemon) => daemon.call('is_locked'),
      has({ result: bool }),
      'and to {wallet_url}',
    ),
    row(
      'The body is JSON',
      async (chain) => await posted(chain, { jsonrpc: '2.0', id: 5, ...EXISTS }),
      has({ id: 5, result: anything }),
    ),
    row(
      'The body is JSON',
      async (chain) => await posted(chain, { jsonrpc: '2.0', method: EXISTS.method, params: [EXISTS.params], id: 5 }),
      has({ result: { account_exist: true } }),
      'params may be an array that holds the object',
    ),
    row(
      'The body is JSON',
      async (chain) => await posted(chain, { jsonrpc: '2.0', method: 'alexandria_api.get_version', params: [], id: 5 }),
      has({ id: 5, result: anything }),
      'params may be an empty array',
    ),
    ...[
      { id: 5, ...EXISTS },
      { jsonrpc: '1.0', id: 5, ...EXISTS },
      { jsonrpc: '2.0', id: 5, params: {} },
      { jsonrpc: '2.0', id: 5, method: 7, params: {} },
    ].map((body) =>
      row(
        'The body is JSON',
        async (chain) => await posted(chain, body),
        has({ error: has({ code: -32600 }) }),
        `${JSON.stringify(body)} is no request`,
      ),
    ),
    ...[0, 1, 42, 4_294_967_295, 9_007_199_254_740_991].map((id) =>
      row(
        'Response',
        async (chain) => await posted(chain, { jsonrpc: '2.0', id, ...EXISTS }),
        { jsonrpc: '2.0', result: { account_exist: true }, id },
        `the id ${id} comes back`,
      ),
    ),
    wallet.story('The wallet answers `{id, result}`', 'and nothing else', async (daemon) => {
      expect({ id: 1, result: false }, await daemon.call('is_locked'));
      assert.equal(
        await daemon.post({ jsonrpc: '2.0', id: 99, method: 'is_new', params: [] }),
        '{"id":99,"result":false}',
      );
    }),
    ...named.map(([method, params]) =>
      row(
        'take `params` as an object with named members',
        async (chain) => await posted(chain, { jsonrpc: '2.0', id: 1, method, params }),
        has({ result: anything }),
        method,
      ),
    ),
    row(
      'take `params` as an object with named members',
      async (chain) =>
        await posted(chain, {
          jsonrpc: '2.0',
          id: 1,
          method: 'alexandria_api.account_exist',
          params: { name: 'alice' },
        }),
      has({ error: has({ code: -32602, message: matching(/account_name/) }) }),
      'a missing one is refused by its name',
    ),
    ...withoutParams.map((method) =>
      story('may omit `params` or send `{}`', method, async (chain) => {
        for (const params of [{}, { params: {} }])
          expect(has({ result: anything }), await posted(chain, { jsonrpc: '2.0', id: 1, method, ...params }));
      }),
    ),
    wallet.story('The wallet takes `params` as a positional array', '', async (daemon) => {
      expect([has({ name: 'alice' })], await daemon.ask('get_account', 'alice'));
      const [byName, more] = [{ name: 'alice' }, ['alice', 'bob', 'carol']].map((params) =>
        daemon.post({ jsonrpc: '2.0', id: 1, method: 'get_account', params }),
      );
      expect(matching(/"error"/), (await byName) ?? '');
      expect(matching(/"error".*3/), (await more) ?? '');
    }),
  ],
};

/** The envelope of a body's answer. */
async function posted({ program }: Chain, body: Json): Promise<Json> {
  const { status, body: text } = await program.raw(JSON.stringify(body));
  assert.equal(status, 200);
  return JSON.parse(text);
}
