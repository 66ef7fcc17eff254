import type { Json } from '../outside/json.ts';
import { authorityMembers, type Chain, type Members } from './chain.ts';
import { publicKey as key } from './keys.ts';
import { call, expect, on, type Line, type Section } from './lines.ts';
import { anything, coin, has, list, listExcluding, text, type Shape } from './shapes.ts';

const { row, story } = on('dev');

const KEYS = { owner: key('o'), active: key('a'), memo: key('m') };
const PROPS = {
  account_creation_fee: '0.5 COIN',
  maximum_block_size: 262_144,
  price_feeds: [['USD', { base: '1 USD', quote: '2 COIN' }]],
};
const SHOWN_PROPS = {
  account_creation_fee: '0.500000 COIN',
  maximum_block_size: 262_144,
  price_feeds: [['USD', anything]],
};

/** Kinds of operations that no helper makes. */
const withoutHelper = [
  'transfer_from_promotion_pool',
  'request_account_recovery',
  'recover_account',
  'change_recovery_account',
  'reset_account',
  'set_reset_account',
  'witness_set_properties',
  'admin_witness_update',
  'feed_publish',
  'escrow_transfer',
  'escrow_approve',
  'escrow_dispute',
  'escrow_release',
];

export const operationHelpers: Section = {
  title: 'Endpoints / alexandria_api: operation helpers',
  lines: [
    row(
      'Each returns `{op: [<operation_name>, <body>]}`',
      call('alexandria_api.stop_witness', { witness_account_name: 'alice' }),
      {
        op: ['witness_stop', { fee: coin, owner: 'alice' }],
      },
    ),
    story(
      'Parameter names differ from body field names where shown',
      'the params are those of the table',
      async (chain) => {
        expect(
          {
            args: has({ creator: text, name_seed: text, json_meta: text, owner: text, active: text, memo: text }),
            ret: anything,
          },
          await fetchSignature(chain, 'create_account'),
        );
        expect(
          { args: has({ app_id: anything, from: text, to: list, data: text }), ret: anything },
          await fetchSignature(chain, 'make_custom_binary_operation'),
        );
      },
    ),
    helper('transfer', { from: 'alice', to: 'bob', amount: '1.5 COIN', memo: 'ümlaut' }, 'transfer', {
      from: 'alice',
      to: 'bob',
      amount: '1.500000 COIN',
      memo: 'ümlaut',
    }),
    helper('transfer_to_vesting', { from: 'alice', to: 'bob', amount: '2 COIN' }, 'transfer_to_vesting', {
      from: 'alice',
      to: 'bob',
      amount: '2.000000 COIN',
    }),
    helper('withdraw_vesting', { from: 'alice', vesting_shares: '0.5 VESTS' }, 'withdraw_vesting', {
      account: 'alice',
      vesting_shares: '0.500000 VESTS',
    }),
    helper(
      'create_account',
      { creator: 'alice', name_seed: 'a new one', json_meta: '{"x":1}', ...KEYS },
      'account_create',
      {
        creator: 'alice',
        name_seed: 'a new one',
        owner: authorityMembers('o'),
        active: authorityMembers('a'),
        memo_key: key('m'),
        json_metadata: '{"x":1}',
      },
    ),
    row(
      'alexandria_api.update_account',
      call('alexandria_api.update_account', { account_name: 'bob', json_meta: '{}', ...KEYS }),
      {
        op: ['account_update', has({ fee: coin, account: 'bob', memo_key: key('m'), json_metadata: '{}' })],
      },
    ),
    helper('delete_account', { account_name: 'bob' }, 'account_delete', { account: 'bob' }),
    helper(
      'create_application',
      { author: 'alice', app_name: 'chess', url: 'u', meta_data: 'm', price_param: 1 },
      'application_create',
      {
        author: 'alice',
        name: 'chess',
        url: 'u',
        metadata: 'm',
        price_param: 1,
      },
    ),
    ...['bob', ''].map((new_author) =>
      row(
        'alexandria_api.update_application',
        call('alexandria_api.update_application', {
          author: 'alice',
          app_name: 'chess',
          new_author,
          url: 'u',
          meta_data: 'm',
          price_param: 0,
        }),
        { op: ['application_update', has({ fee: coin, author: 'alice', name: 'chess', url: 'u', metadata: 'm' })] },
        `new author ${new_author || 'empty'}`,
      ),
    ),
    helper('delete_application', { author: 'alice', app_name: 'chess' }, 'application_delete', {
      author: 'alice',
      name: 'chess',
    }),
    helper('buy_application', { buyer: 'bob', app_id: 3 }, 'buy_application', { buyer: 'bob', app_id: 3 }),
    helper('cancel_application_buying', { app_owner: 'alice', buyer: 'bob', app_id: 3 }, 'cancel_application_buying', {
      app_owner: 'alice',
      buyer: 'bob',
      app_id: 3,
    }),
    ...[
      ['', ''],
      ['AA==', '00'],
      ['aGVsbG8gd29ybGQ=', '68656c6c6f20776f726c64'],
      ['+/+/', 'fbffbf'],
    ].map(([base64 = '', hex = '']) =>
      helper(
        'make_custom_binary_operation',
        { app_id: 9, from: 'alice', to: ['bob', 'carol'], data: base64 },
        'custom_binary',
        {
          sender: 'alice',
          recipients: ['bob', 'carol'],
          app_id: 9,
          data: hex,
        },
        `the data ${JSON.stringify(base64)}`,
      ),
    ),
    helper(
      'make_custom_json_operation',
      { app_id: 9_007_199_254_740_991, from: 'alice', to: ['bob'], json: '{"x":[1]}' },
      'custom_json',
      {
        sender: 'alice',
        recipients: ['bob'],
        app_id: 9_007_199_254_740_991,
        json: '{"x":[1]}',
      },
    ),
    ...[true, false].map((is_sponsoring) =>
      helper(
        'sponsor_account_fees',
        { sponsoring_account: 'alice', sponsored_account: 'bob', is_sponsoring },
        'sponsor_fees',
        {
          sponsor: 'alice',
          sponsored: 'bob',
          is_sponsoring,
        },
        String(is_sponsoring),
      ),
    ),
    helper('stop_witness', { witness_account_name: 'initminer' }, 'witness_stop', { owner: 'initminer' }),
    helper(
      'update_witness',
      { witness_account_name: 'alice', url: 'https://a.example', block_signing_key: key('s'), props: PROPS },
      'witness_update',
      {
        owner: 'alice',
        url: 'https://a.example',
        block_signing_key: key('s'),
        props: SHOWN_PROPS,
      },
    ),
    ...['bob', ''].map((proxy) =>
      helper(
        'set_voting_proxy',
        { account_to_modify: 'alice', proxy },
        'account_witness_proxy',
        { account: 'alice', proxy },
        proxy || 'empty',
      ),
    ),
    ...[true, false].map((approve) =>
      helper(
        'vote_for_witness',
        { voting_account: 'alice', witness_to_vote_for: 'initminer', approve },
        'account_witness_vote',
        {
          account: 'alice',
          witness: 'initminer',
          approve,
        },
        String(approve),
      ),
    ),
    ...withoutHelper.map((kind) =>
      row(
        'The remaining operation kinds have no helper',
        call('jsonrpc.get_methods'),
        listExcluding(`alexandria_api.${kind}`),
        kind,
      ),
    ),
  ],
};

/** A helper and the operation that it makes, to the last member; whatever the fee is, it comes along. */
function helper(
  method: string,
  params: Members,
  kind: string,
  body: { readonly [member: string]: Shape },
  note = '',
): Line {
  return row(
    `alexandria_api.${method}`,
    call(`alexandria_api.${method}`, params),
    { op: [kind, { fee: coin, ...body }] },
    note,
  );
}

async function fetchSignature(chain: Chain, name: string): Promise<Json> {
  return await chain.ask('jsonrpc.get_signature', { method: `alexandria_api.${name}` });
}
