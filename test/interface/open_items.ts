import assert from 'node:assert/strict';
import { at, type Json } from '../outside/json.ts';
import { accountCreate, authorityMembers, transfer } from './chain.ts';
import {
  application,
  buyings,
  escrow,
  helper,
  fetchOperation,
  proposed,
  recoveryRequest,
  requests,
  robbed,
  witness,
} from './deeds.ts';
import { nameOfSeed, publicKey as key, wif } from './keys.ts';
import { call, expect, on, refusal, type Section } from './lines.ts';
import { ADMINISTERED } from './private_net.ts';
import {
  anything,
  authority,
  bool,
  coin,
  has,
  id40,
  integer,
  lacks,
  list,
  listCheck,
  listIncluding,
  matching,
  publicKeyText,
  signatureText,
  tupleStart,
  text,
  time,
  version,
  type Shape,
  historyEntry,
} from './shapes.ts';

// What the text leaves open, the recordings of the lineage decide.

const dev = on('dev');
const privateNet = on('private net');
const wallet = on('wallet');

const digits = matching(/^\d+$/, 'digits');

const witnessMembers: { readonly [member: string]: Shape } = {
  id: integer,
  owner: 'initminer',
  created: time,
  url: text,
  votes: integer,
  virtual_last_update: digits,
  virtual_position: digits,
  virtual_scheduled_time: digits,
  total_missed: integer,
  last_aslot: integer,
  last_confirmed_block_num: integer,
  signing_key: publicKeyText,
  submitted_exchange_rates: list,
  running_version: version,
  hardfork_version_vote: version,
  hardfork_time_vote: time,
};
const props = { account_creation_fee: coin, maximum_block_size: integer };

const header = { previous: id40, timestamp: time, witness: text, transaction_merkle_root: id40, extensions: list };

export const openRecords: Section = {
  title: 'Resources and their fields / Open items',
  lines: [
    dev.story('The element shape of `account_auths`', 'a name and a weight', async (chain) => {
      const active = {
        weight_threshold: 3,
        account_auths: [
          ['alice', 2],
          ['bob', 1],
        ],
        key_auths: [],
      };
      await chain.send([accountCreate('held by two', { active })], 'alice');
      expect(has({ active }), await chain.record(nameOfSeed('held by two')));
    }),
    dev.story('The body fields of transfer_from_promotion_pool', '', async (chain) => {
      await chain.produce(2);
      const { id } = await chain.sent(
        [['transfer_from_promotion_pool', { transfer_to: 'bob', amount: '0.000003 COIN', extensions: [] }]],
        'initminer',
      );
      const body = { fee: coin, transfer_to: 'bob', amount: '0.000003 COIN', extensions: [] };
      expect(['transfer_from_promotion_pool', body], await fetchOperation(chain, id));
    }),
    privateNet.row(
      'The body fields of admin_witness_update',
      async (net) => await fetchOperation(net, await net.administered()),
      ['admin_witness_update', { ...ADMINISTERED }],
    ),
    dev.story(
      'Whether the account_update body carries the owner and active authorities',
      'when they are given',
      async (chain) => {
        const params = { account_name: 'alice', json_meta: '{}', owner: key('o'), active: key('a'), memo: key('m') };
        const given = { owner: authorityMembers('o'), active: authorityMembers('a') };
        expect(
          ['account_update', { fee: coin, account: 'alice', ...given, memo_key: key('m'), json_metadata: '{}' }],
          await helper(chain, 'update_account', params),
        );
        const op = ['account_update', { account: 'alice', memo_key: key('m'), json_metadata: '{}' }];
        const built = await chain.ask('alexandria_api.create_simple_transaction', { op });
        expect(['account_update', lacks('owner', 'active')], at(built, 'simple_tx.operations.0'));
      },
    ),
    dev.row('The fields of the witness record', (chain) => witness(chain, 'initminer'), {
      ...witnessMembers,
      props: { ...props, price_feeds: list },
    }),
    dev.story('The fields of application records', 'and of their buyings', async (chain) => {
      const id = await application(chain, 'with-all-fields');
      const record = {
        id,
        name: 'with-all-fields',
        author: 'alice',
        url: 'https://old.example',
        metadata: 'old',
        price_param: 'permanent',
      };
      expect({ applications: [record] }, await chain.ask('alexandria_api.get_applications_by_ids', { ids: [id] }));
      await chain.send([['buy_application', { buyer: 'heidi', app_id: id }]], 'heidi');
      expect(listIncluding({ id: integer, app_id: id, buyer: 'heidi', created: time }), await buyings(chain, 'heidi'));
    }),
    dev.story('The fields of escrow records', 'requests and former owners', async (chain) => {
      await proposed(chain, 700);
      const parties = { escrow_id: 700, from: 'alice', to: 'bob', agent: 'carol' };
      const state = { coin_balance: coin, pending_fee: coin, to_approved: bool, agent_approved: bool, disputed: bool };
      expect(
        { id: integer, ...parties, ratification_deadline: time, escrow_expiration: time, ...state },
        await escrow(chain, 700),
      );

      const { name } = await robbed(chain, 'with all records');
      await chain.send([recoveryRequest(name, authorityMembers('x'))], 'alice');
      expect(
        { requests: [{ id: integer, account_to_recover: name, new_owner_authority: authority, expires: time }] },
        await requests(chain, name),
      );
      await chain.send(
        [['change_recovery_account', { account_to_recover: name, new_recovery_account: 'bob', extensions: [] }]],
        'thief',
      );
      const change = { id: integer, account_to_recover: name, recovery_account: 'bob', effective_on: time };
      expect(
        { requests: [change] },
        await chain.ask('database_api.find_change_recovery_account_requests', { accounts: [name] }),
      );
      const past = { id: integer, account: name, previous_owner_authority: authority, last_valid_time: time };
      expect({ owner_auths: [past] }, await chain.ask('database_api.find_owner_histories', { owner: name }));
    }),
    dev.story('The entries returned by `alexandria_api` account history', 'and by block operations', async (chain) => {
      const { block } = await chain.sent([transfer('alice', 'bob', '1', 'in all entries')], 'alice');
      expect(
        has({ account_history: listCheck([integer, historyEntry]) }),
        await chain.ask('alexandria_api.get_account_history', { account: 'bob', start: -1, limit: 2 }),
      );
      const params = { block_num: block, only_virtual: false };
      expect(
        has({ ops_in_block: listCheck(historyEntry) }),
        await chain.ask('alexandria_api.get_ops_in_block', params),
      );
      expect(has({ ops: listCheck(historyEntry) }), await chain.ask('account_history_api.get_ops_in_block', params));
    }),
  ],
};

/** Constants that tools of the lineage read (rpc_conventions.md#constants-of-the-chain). */
const constants = [
  'IS_TEST_NET',
  'IS_PRIVATE_NET',
  'VESTS_SYMBOL',
  'BASE_FEE',
  'SIZE_COVERED_IN_BASE_FEE',
  ...[
    'BLOCKCHAIN_VERSION',
    'CHAIN_ID',
    'INIT_PUBLIC_KEY',
    'MIN_ACCOUNT_CREATION_FEE',
    'TOTAL_SUPPLY',
    'GENESIS_TIME',
    'BLOCK_INTERVAL',
  ].map((name) => `COIN_${name}`),
  ...[
    'SYMBOL',
    'MAX_WITNESSES',
    'MAX_MEMO_SIZE',
    'MAX_TRANSACTION_SIZE',
    'MAX_TIME_UNTIL_EXPIRATION',
    'VESTING_WITHDRAW_INTERVALS',
  ].map((name) => `COIN_${name}`),
];

export const openCalls: Section = {
  title: 'Endpoints / Open items',
  lines: [
    ...['alexandria_api', 'subscribe_api'].map((group, k) =>
      dev.story(
        'The meaning of `custom_object_subscription`',
        `${group}: documents from a number on, those that are there and those that come`,
        async (chain) => {
          const app_id = 9000 + k;
          const send = (n: number): Promise<void> =>
            chain.send([['custom_json', { sender: 'ivan', recipients: ['judy'], app_id, json: `{"n":${n}}` }]], 'ivan');
          for (const n of [1, 2]) await send(n);
          const socket = await chain.program.socket();
          const subscribe = { return_id: 41, app_id, account_name: 'judy', search_type: 'by_recipient', start: 2 };
          socket.send(
            JSON.stringify({ jsonrpc: '2.0', id: 1, method: `${group}.custom_object_subscription`, params: subscribe }),
          );
          const frames = [await socket.next(), await socket.next()].map((frame): Json => JSON.parse(frame));
          expect(listIncluding(notice(2)), frames);
          await send(3);
          expect(notice(3), JSON.parse(await socket.next()));
          socket.close();
        },
      ),
    ),
    dev.row(
      'The members of the `get_witness` result',
      call('alexandria_api.get_witness', { owner_account: 'initminer' }),
      {
        witness: { ...witnessMembers, props },
      },
    ),
    ...['by_buyer', 'by_app_id'].map((search_type) =>
      dev.row(
        'The allowed `search_type` values',
        call('alexandria_api.get_application_buyings', { name: '0', search_type, count: 10 }),
        has({ application_buyings: list }),
        search_type,
      ),
    ),
    dev.story('The allowed `search_type` values', 'no other', async (chain) => {
      await chain.refusal('alexandria_api.get_application_buyings', { name: '0', search_type: 'by_price', count: 10 });
      await chain.refusal('database_api.get_application_buyings', {
        start: 'alice',
        search_type: 'by_price',
        limit: 10,
      });
    }),
    ...['by_nonsense', 'by_price', ''].map((order) =>
      dev.row(
        'The allowed `order` values',
        refusal('database_api.list_accounts', { start: null, limit: 10, order }),
        has({ code: integer, message: text }),
        `not ${JSON.stringify(order)}; the others stand in the lines of the lists`,
      ),
    ),
    dev.row(
      'The members of the `database_api.get_config` result',
      call('database_api.get_config'),
      has(Object.fromEntries(constants.map((name) => [name, anything]))),
    ),
    dev.row('The members of the `block_api` results', call('block_api.get_block', { block_num: 1 }), {
      ...header,
      witness_signature: signatureText,
      transactions: list,
      block_id: id40,
      signing_key: publicKeyText,
      transaction_ids: list,
    }),
    dev.row(
      'The members of the `block_api` results',
      call('block_api.get_block_header', { block_num: 1 }),
      header,
      'of a header',
    ),
    dev.story(
      'The four preparation steps before broadcast',
      'create, digest, sign, add the signature',
      async (chain) => {
        const op = transfer('alice', 'bob', '1', 'in four steps');
        const tx = at(await chain.ask('alexandria_api.create_simple_transaction', { op }), 'simple_tx');
        const digest = at(await chain.ask('alexandria_api.get_transaction_digest', { tx }), 'tx_digest');
        const signature = at(
          await chain.ask('alexandria_api.sign_digest', { digest, pk: wif('alice') }),
          'signed_digest',
        );
        const signed = at(await chain.ask('alexandria_api.add_signature', { tx, signature }), 'signed_tx');
        const done = await chain.waited('alexandria_api.send_and_sign_transaction', { tx, pk: wif('alice') });
        expect({ signed_tx: has({ signatures: at(signed, 'signatures'), transaction_id: id40 }) }, done);
      },
    ),
    wallet.story('The meaning of the trailing boolean', 'true sends, false and nothing only sign', async (daemon) => {
      const held = await daemon.chain.millionths('dave');
      for (const flag of [[false], []])
        expect(
          has({ signatures: [signatureText] }),
          await daemon.ask('transfer', 'alice', 'dave', '1 COIN', '', ...flag),
        );
      await daemon.chain.produce();
      assert.equal(await daemon.chain.millionths('dave'), held);
      await daemon.sent('transfer', 'alice', 'dave', '1 COIN', '', true);
      assert.equal((await daemon.chain.millionths('dave')) - held, 1_000_000n);
    }),
    dev.story(
      'The meaning of `max_block_age`',
      'refused when the head is older than so many seconds; the one here is a day old',
      async (chain) => {
        const trx = await chain.signed([transfer('alice', 'bob', '1', 'with an age')], 'alice');
        for (const name of ['broadcast_transaction', 'broadcast_transaction_synchronous'])
          assert.match((await chain.refusal(`network_broadcast_api.${name}`, { trx, max_block_age: 60 })).message, /./);
        expect({}, await chain.ask('network_broadcast_api.broadcast_transaction', { trx, max_block_age: 864_000 }));
      },
    ),
  ],
};

/** A document as it is told to judy. */
function notice(n: number): Shape {
  return has({ method: 'notice', params: tupleStart(41, [[n, has({ sender: 'ivan', data: `{"n":${n}}` })]]) });
}
