import assert from 'node:assert/strict';
import { at, listMember, numberMember, textMember, type Json } from '../outside/json.ts';
import { transfer, type Chain } from './chain.ts';
import { wif } from './keys.ts';
import { call, expect, on, type Section } from './lines.ts';
import { anything, asset, has, integer, listIncluding, matching, noList, publicKeyText, text, time } from './shapes.ts';

const { row, story } = on('dev');
const wallet = on('wallet');
const privateNet = on('private net');

export const introduction: Section = {
  title: '',
  lines: [
    row('the native coin is written COIN', call('alexandria_api.get_account', { account_name: 'alice' }), {
      account: [has({ balance: asset('COIN'), vesting_shares: asset('VESTS'), memo_key: publicKeyText })],
    }),
    story('use a neutral word (coin)', 'in the names of methods and members', async (chain) => {
      expect(listIncluding('alexandria_api.fiat_to_coin'), await chain.ask('jsonrpc.get_methods'));
      expect({ version_info: has({ coin_revision: text }) }, await chain.ask('alexandria_api.get_version'));
      assert.doesNotMatch((await chain.program.http('GET', '/openrpc.json', {})).body, /sophia|sphtx/i);
    }),
  ],
};

const WRITING = new Set(
  ['broadcast_transaction', 'send_and_sign_operation', 'send_and_sign_transaction'].map(
    (name) => `alexandria_api.${name}`,
  ),
);

const groups = [
  'alexandria_api',
  'database_api',
  'jsonrpc',
  'network_broadcast_api',
  'account_history_api',
  'block_api',
  'chain_api',
  'custom_api',
  'subscribe_api',
];

export const whatTheServiceDoes: Section = {
  title: 'What the service does',
  lines: [
    story('The service is a blockchain node', 'blocks follow each other, each naming the one before', async (chain) => {
      const head = numberMember(await chain.produce(3), 'head_block_number');
      const before = await chain.ask('alexandria_api.get_block', { num: head - 1 });
      expect(
        { block: has({ previous: textMember(before, 'block.block_id') }) },
        await chain.ask('alexandria_api.get_block', { num: head }),
      );
    }),
    story('over HTTP POST at {base_url}', '', async ({ program }) => {
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 17,
        method: 'alexandria_api.account_exist',
        params: { account_name: 'alice' },
      });
      const answer = await program.raw(body);
      assert.equal(answer.status, 200);
      assert.match(answer.contentType, /^application\/json/);
      assert.deepEqual(JSON.parse(answer.body), { jsonrpc: '2.0', id: 17, result: { account_exist: true } });
    }),
    wallet.row('accepts JSON-RPC 2.0 calls at {wallet_url}', (daemon) => daemon.call('is_locked'), {
      id: 1,
      result: false,
    }),
    privateNet.row(
      'must run the account-by-key and alexandria_api plugins',
      (net) => net.walletCommand('get_account', 'initminer'),
      [has({ name: 'initminer' })],
      'and be configured with webserver-ws-endpoint: a wallet reads from such a node',
    ),
    ...groups.map((group) =>
      row(
        'Method groups (the prefix of the method name)',
        call('jsonrpc.get_methods'),
        listIncluding(matching(new RegExp(`^${group}\\.`), `a method of ${group}`)),
        group,
      ),
    ),
    wallet.row("The wallet's methods have no prefix", (daemon) => daemon.ask('get_account', 'alice'), [
      has({ name: 'alice' }),
    ]),
    wallet.row(
      "The wallet's methods have no prefix",
      (daemon) => daemon.refusal('alexandria_api.get_account', 'alice'),
      matching(/alexandria_api\.get_account/),
      'with a prefix there is no such method',
    ),
    row(
      'Only `alexandria_api.*` is declared ready for use',
      async (chain) => notDeclared(await documented(chain), 'stable', (group) => group === 'alexandria_api'),
      [],
      'the OpenRPC document declares each of its methods stable',
    ),
    row(
      'All other groups are declared work in progress',
      async (chain) =>
        notDeclared(await documented(chain), 'experimental deprecated', (group) => group !== 'alexandria_api'),
      [],
      'the OpenRPC document declares none of their methods stable',
    ),
    story(
      'Data is written to the chain only by broadcasting',
      'what is built and signed and not sent changes nothing',
      async (chain) => {
        const before = await chain.record('alice');
        const built = await chain.ask('alexandria_api.transfer', {
          from: 'alice',
          to: 'bob',
          amount: '5 COIN',
          memo: '',
        });
        const trx = await chain.signed([at(built, 'op')], 'alice');
        await chain.produce(2);
        assert.deepEqual(await chain.record('alice'), before);
        await chain.ask('network_broadcast_api.broadcast_transaction', { trx });
        await chain.produce();
        assert.notDeepEqual(await chain.record('alice'), before);
      },
    ),
    row(
      'A transaction has fixed fields',
      call('alexandria_api.create_transaction', { op_vec: [transfer('alice', 'bob', '0.5')] }),
      {
        tx: {
          ref_block_num: integer,
          ref_block_prefix: integer,
          expiration: time,
          operations: [['transfer', anything]],
          extensions: [],
          signatures: [],
        },
      },
    ),
    ...['vote', 'interest', 'producer_reward', 'Transfer'].map((kind) =>
      story('Each operation is one of the kinds listed', `${kind} is refused`, async (chain) => {
        const signed = await chain.signed([transfer('alice', 'bob', '1')], 'alice');
        const { message } = await chain.refusal('network_broadcast_api.broadcast_transaction', {
          trx: {
            ...signed,
            operations: [
              [kind, { producer: 'alice', vesting_shares: '1.000000 VESTS', owner: 'alice', interest: '1 COIN' }],
            ],
          },
        });
        assert.match(message, /[Oo]peration/);
      }),
    ),
    story('The main write call is `alexandria_api.broadcast_transaction`', '', async (chain) => {
      const tx = await chain.signed([transfer('alice', 'carol', '1.25')], 'alice');
      await moves(chain, 1_250_000n, 'alexandria_api.broadcast_transaction', { tx });
    }),
    story('also write, but they are meant for testing', 'send_and_sign_operation', async (chain) => {
      await moves(chain, 2_000_000n, 'alexandria_api.send_and_sign_operation', {
        op: transfer('alice', 'carol', '2'),
        pk: wif('alice'),
      });
    }),
    story('also write, but they are meant for testing', 'send_and_sign_transaction', async (chain) => {
      const built = await chain.ask('alexandria_api.create_simple_transaction', {
        op: transfer('bob', 'carol', '0.000003'),
      });
      await moves(chain, 3n, 'alexandria_api.send_and_sign_transaction', {
        tx: at(built, 'simple_tx'),
        pk: wif('bob'),
      });
    }),
    story('Every other `alexandria_api` method only reads', 'blocks stay empty while each is called', async (chain) => {
      const calls = (await documented(chain)).filter(
        ({ name }) => name.startsWith('alexandria_api.') && !WRITING.has(name),
      );
      assert.ok(calls.length > 60);
      const first = numberMember(await chain.produce(), 'head_block_number') + 1;
      for (const { name, params } of calls) await chain.program.call(name, params);
      const last = numberMember(await chain.produce(2), 'head_block_number');
      for (let num = first; num <= last; num++)
        expect({ block: has({ transactions: noList }) }, await chain.ask('alexandria_api.get_block', { num }));
    }),
    story('return an operation in its required JSON form', 'it is taken as it is', async (chain) => {
      const params = { sponsoring_account: 'alice', sponsored_account: 'judy', is_sponsoring: true };
      await chain.send([at(await chain.ask('alexandria_api.sponsor_account_fees', params), 'op')], 'alice');
      expect(has({ sponsoring_account: 'alice' }), await chain.record('judy'));
    }),
  ],
};

/** Carol has so many millionths more after the call. */
async function moves(chain: Chain, millionths: bigint, method: string, params: Json): Promise<void> {
  const held = await chain.millionths('carol');
  await chain.waited(method, params);
  assert.equal((await chain.millionths('carol')) - held, millionths);
}

/** A method as the OpenRPC document has it, with the params of its example. */
interface Documented {
  readonly name: string;
  readonly stability: string;
  readonly params: Json;
}

async function documented({ program }: Chain): Promise<readonly Documented[]> {
  const document: Json = JSON.parse((await program.http('GET', '/openrpc.json', {})).body);
  return listMember(document, 'methods').map((method) => ({
    name: textMember(method, 'name'),
    stability: textMember(method, 'x-stability'),
    params: Object.fromEntries(
      listMember(method, 'examples.0.params').map((param) => [textMember(param, 'name'), at(param, 'value')]),
    ),
  }));
}

/** The methods of such groups that are declared otherwise; bare names are old forms of alexandria_api. */
function notDeclared(
  methods: readonly Documented[],
  stabilities: string,
  isMeant: (group: string) => boolean,
): readonly string[] {
  const named = methods.filter(({ name }) => name.includes('.') && isMeant(name.split('.')[0] ?? ''));
  return named.filter(({ stability }) => !stabilities.split(' ').includes(stability)).map(({ name }) => name);
}
