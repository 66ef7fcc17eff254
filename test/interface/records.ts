import assert from 'node:assert/strict';
import { at, listMember, numberMember, textMember, type Json } from '../outside/json.ts';
import { authorityMembers, transfer, type Chain } from './chain.ts';
import { publicKey } from './keys.ts';
import { call, expect, on, type Section, type Line } from './lines.ts';
import {
  accountName,
  anything,
  authority,
  bool,
  coin,
  has,
  hex,
  id40,
  integer,
  list,
  listCheck,
  listIncluding,
  matching,
  noList,
  price,
  publicKeyText,
  signatureText,
  text,
  time,
  version,
  vests,
  wifText,
  type Shape,
  historyEntry,
} from './shapes.ts';

const { row, story } = on('dev');
const priced = on('hurried');
const wallet = on('wallet');

/**
 * A row of the account record, the shape of its members, and what they are of an account that has done this and that.
 */
const accountMembers: readonly (readonly [
  string,
  { readonly [member: string]: Shape },
  { readonly [member: string]: Shape },
])[] = [
  ['id', { id: integer }, { id: integer }],
  ['name', { name: accountName }, { name: 'frank' }],
  [
    'owner, active',
    { owner: authority, active: authority },
    { owner: authorityMembers('frank'), active: authorityMembers('frank') },
  ],
  ['memo_key', { memo_key: publicKeyText }, { memo_key: publicKey('a memo key of frank') }],
  ['json_metadata', { json_metadata: text }, { json_metadata: '{"of":"frank"}' }],
  ['voting_proxy', { voting_proxy: '' }, { voting_proxy: 'grace' }],
  ['balance', { balance: coin }, { balance: '9719999.990000 COIN' }],
  ['vesting_shares', { vesting_shares: vests }, { vesting_shares: '270000.000000 VESTS' }],
  ['vesting_withdraw_rate', { vesting_withdraw_rate: vests }, { vesting_withdraw_rate: '1000.000000 VESTS' }],
  ['to_withdraw', { to_withdraw: integer }, { to_withdraw: 27_000_000_000 }],
  ['witness_votes', { witness_votes: noList }, { witness_votes: ['initminer'] }],
  ['sponsored_accounts', { sponsored_accounts: noList }, { sponsored_accounts: ['heidi'] }],
  ['sponsoring_account', { sponsoring_account: '' }, { sponsoring_account: 'grace' }],
];

export const accountRecord: Section = {
  title: 'Resources and their fields / Account record (`get_account`, wallet `get_account`)',
  lines: [
    ...accountMembers.flatMap(([member, plain, eventful]) => [
      row(member, (chain) => chain.record('initminer'), has(plain), 'of initminer, who has done nothing'),
      row(member, eventfulRecord, has(eventful), 'of an account that has done this and that'),
      wallet.row(member, (daemon) => daemon.ask('get_account', 'initminer'), [has(plain)], 'as the wallet shows it'),
    ]),
    row(
      '`get_accounts` adds to each record',
      async (chain) => {
        await eventfulRecord(chain);
        const { name } = await chain.account('without shares');
        return await chain.ask('alexandria_api.get_accounts', { account_names: ['frank', name] });
      },
      {
        accounts: [
          has({
            name: 'frank',
            vesting_balance: '270000.000000 COIN',
            transfer_history: list,
            other_history: list,
            memo_key: publicKeyText,
          }),
          has({ vesting_balance: '0.000000 COIN', transfer_history: list, other_history: list, owner: authority }),
        ],
      },
    ),
  ],
};

/** The record of frank, who has vested, withdraws, votes, has a proxy, sponsors and is sponsored. */
async function eventfulRecord(chain: Chain): Promise<Json> {
  return await chain.once('frank', async () => {
    const update = { account: 'frank', memo_key: publicKey('a memo key of frank'), json_metadata: '{"of":"frank"}' };
    const operations = [
      ['account_update', update],
      ['transfer_to_vesting', { from: 'frank', to: '', amount: '270000 COIN' }],
      ['withdraw_vesting', { account: 'frank', vesting_shares: '27000 VESTS' }],
      ['account_witness_vote', { account: 'frank', witness: 'initminer', approve: true }],
      ['account_witness_proxy', { account: 'frank', proxy: 'grace' }],
      ['sponsor_fees', { sponsor: 'frank', sponsored: 'heidi', is_sponsoring: true }],
      transfer('frank', 'grace', '10000'),
    ];
    await chain.send(operations, 'frank');
    await chain.send([['sponsor_fees', { sponsor: 'grace', sponsored: 'frank', is_sponsoring: true }]], 'grace');
    return await chain.record('frank');
  });
}

const blockMembers: readonly (readonly [string, Shape])[] = [
  ['previous', id40],
  ['timestamp', time],
  ['witness', 'initminer'],
  ['transaction_merkle_root', hex(40)],
  ['extensions', list],
  ['witness_signature', signatureText],
  [
    'transactions',
    listCheck(has({ ref_block_num: integer, operations: listCheck([text, anything]), signatures: [signatureText] })),
  ],
  ['block_id', id40],
  ['signing_key', publicKey('initminer')],
  ['transaction_ids', listCheck(id40)],
];

export const block: Section = {
  title: 'Resources and their fields / Block',
  lines: blockMembers.flatMap(([member, shape]) => [
    row(
      member,
      async (chain) => at(await chain.ask('alexandria_api.get_block', { num: await full(chain) }), 'block'),
      has({ [member]: shape }),
    ),
    row(
      member,
      async (chain) => await chain.ask('block_api.get_block', { block_num: await full(chain) }),
      has({ [member]: member === 'transactions' ? listCheck(anything) : shape }),
      'in block_api',
    ),
  ]),
};

/** The number of a block that holds a transaction. */
async function full(chain: Chain): Promise<number> {
  const { block: number } = await chain.once('a block with a transfer', () =>
    chain.sent([transfer('alice', 'bob', '1', 'in a block')], 'alice'),
  );
  return number;
}

const properties = {
  head_block_number: integer,
  head_block_id: id40,
  time,
  current_witness: 'initminer',
  current_supply: coin,
  total_vesting_shares: vests,
  witness_required_vesting: vests,
  maximum_block_size: integer,
  current_aslot: integer,
  recent_slots_filled: matching(/^\d{30,39}$/, 'a decimal string of a large integer'),
  participation_count: integer,
  last_irreversible_block_num: integer,
  average_block_size: integer,
};

export const dynamicGlobalProperties: Section = {
  title: 'Resources and their fields / Dynamic global properties',
  lines: [
    ...recordMembers(
      properties,
      '(decimal string of a large integer)',
      'alexandria_api.get_dynamic_global_properties',
      'properties',
    ),
    ...recordMembers(
      properties,
      '(decimal string of a large integer)',
      'database_api.get_dynamic_global_properties',
      '',
      'in the database_api form',
    ),
    ...recordMembers(
      { id: integer, total_reward_fund: coin },
      'The `database_api` form adds `id` and `total_reward_fund`',
      'database_api.get_dynamic_global_properties',
      '',
    ),
  ],
};

const info = {
  ...properties,
  witness_majority_version: version,
  hardfork_version: version,
  head_block_age: text,
  participation: matching(/^\d{1,3}\.\d+$/, 'a decimal string'),
  median_sbd1_price: price,
  median_sbd2_price: price,
  median_sbd3_price: price,
  median_sbd4_price: price,
  median_sbd5_price: price,
  account_creation_fee: coin,
};

const about = {
  blockchain_version: version,
  client_version: text,
  coin_revision: text,
  coin_revision_age: text,
  fc_revision: text,
  fc_revision_age: text,
  compile_date: text,
  boost_version: text,
  openssl_version: text,
  build: text,
  server_blockchain_version: version,
  server_coin_revision: text,
  server_fc_revision: text,
  chain_id: hex(64),
};

const versionInfo = { blockchain_version: version, coin_revision: text, fc_revision: text, chain_id: hex(64) };

const schedule = {
  id: integer,
  current_virtual_time: matching(/^\d+$/, 'digits'),
  next_shuffle_block_num: integer,
  current_shuffled_witnesses: listCheck(text),
  num_scheduled_witnesses: integer,
  top19_weight: integer,
  timeshare_weight: integer,
  witness_pay_normalization_factor: integer,
  median_props: { account_creation_fee: coin, maximum_block_size: integer, price_feeds: list },
  majority_version: version,
  max_voted_witnesses: integer,
  max_runner_witnesses: integer,
  hardfork_required_witnesses: integer,
};

const hardforks = {
  id: integer,
  processed_hardforks: listCheck(time),
  last_hardfork: integer,
  current_hardfork_version: version,
  next_hardfork: version,
  next_hardfork_time: time,
};

const document = {
  id: integer,
  sender: 'alice',
  recipients: ['bob', 'carol'],
  app_id: 4_000_000_001,
  data: text,
  received: time,
  binary: bool,
};

export const otherRecords: Section = {
  title: 'Resources and their fields / Other records',
  lines: [
    ...recordMembers(info, 'Chain info (`info`)', 'alexandria_api.info', 'info'),
    ...recordMembers(about, 'About (`about`)', 'alexandria_api.about', 'about'),
    row('Version info', call('alexandria_api.get_version'), { version_info: versionInfo }),
    priced.row(
      'Feed history (`alexandria_api`)',
      async (chain) => await chain.ask('alexandria_api.get_feed_history', { symbol: await pricedSymbol(chain) }),
      {
        feed_history: {
          id: integer,
          current_median_price: { base: '2.000000 COIN', quote: '0.500000 USD' },
          price_history: listCheck(price),
        },
      },
    ),
    priced.row(
      'The `database_api` form has `id`, `symbol`',
      async (chain) => await chain.ask('database_api.get_feed_history', { symbol: await pricedSymbol(chain) }),
      {
        id: integer,
        symbol: 'USD',
        current_median_history: { base: '2.000000 COIN', quote: '0.500000 USD' },
        price_history: listCheck(price),
      },
    ),
    ...recordMembers(schedule, 'Witness schedule', 'database_api.get_witness_schedule', ''),
    ...recordMembers(hardforks, 'Hardfork properties', 'database_api.get_hardfork_properties', ''),
    row(
      'Received document',
      async (chain) => await chain.ask('custom_api.get_received_document', { id: await documentId(chain, 0) }),
      {
        ...document,
        data: '{"a":1}',
        binary: false,
      },
    ),
    row(
      'Received document',
      async (chain) => await chain.ask('custom_api.get_received_document', { id: await documentId(chain, 1) }),
      { ...document, data: Buffer.from('hello').toString('base64'), binary: true },
      'of bytes',
    ),
    wallet.story('Account-history entry (wallet)', '', async (daemon) => {
      const { id } = await daemon.chain.sent([transfer('alice', 'judy', '1.5', 'in the history')], 'alice');
      const history = await daemon.ask('get_account_history', 'judy', -1, 10);
      expect(listCheck([integer, historyEntry]), history);
      const operation = ['transfer', has({ from: 'alice', memo: 'in the history' })];
      expect(
        listIncluding([integer, { ...historyEntry, trx_id: id, op: operation, fee_payer: 'alice', virtual_op: 0 }]),
        history,
      );
    }),
    row('Keypair', call('alexandria_api.generate_key_pair'), {
      key_pair: { pub_key: publicKeyText, wif_priv_key: wifText },
    }),
    story('Synchronous broadcast result (`network_broadcast_api`)', '', async (chain) => {
      const trx = await chain.signed([transfer('alice', 'judy', '1', 'synchronous')], 'alice');
      const done = await chain.waited('network_broadcast_api.broadcast_transaction_synchronous', { trx });
      expect({ id: id40, block_num: integer, trx_num: integer, expired: false }, done);
      const stored = await chain.ask('alexandria_api.get_block', { num: numberMember(done, 'block_num') });
      assert.equal(listMember(stored, 'block.transaction_ids')[numberMember(done, 'trx_num')], textMember(done, 'id'));
    }),
  ],
};

/** A line for each member of a record. */
function recordMembers(
  shapes: { readonly [member: string]: Shape },
  words: string,
  method: string,
  wrapper: string,
  note = '',
): readonly Line[] {
  return Object.entries(shapes).map(([member, shape]) =>
    row(
      words,
      call(method),
      wrapper === '' ? has({ [member]: shape }) : { [wrapper]: has({ [member]: shape }) },
      `${member} ${note}`.trim(),
    ),
  );
}

/** The ids of documents that bob has received: one of JSON, one of bytes. */
async function documentId(chain: Chain, index: number): Promise<number> {
  const made = { sender: 'alice', recipients: ['carol', 'bob'], app_id: document.app_id };
  await chain.once('documents', () =>
    chain.send(
      [
        ['custom_json', { fee: '0.010000 COIN', ...made, json: '{"a":1}' }],
        ['custom_binary', { fee: '0.010000 COIN', ...made, data: Buffer.from('hello').toString('hex') }],
      ],
      'alice',
    ),
  );
  const params = {
    app_id: document.app_id,
    account_name: 'bob',
    search_type: 'by_recipient_reverse',
    start: '1',
    count: 10,
  };
  const found = await chain.ask('custom_api.list_received_documents', params);
  return numberMember(listMember({ found }, 'found')[index] ?? null, '1.id');
}

/** A symbol that has a price: half a dollar is two coins. */
export async function pricedSymbol(chain: Chain): Promise<string> {
  return await chain.once('a price', async () => {
    const exchange_rate = { base: { amount: '2', symbol: 'COIN' }, quote: { amount: '0.5', symbol: 'USD' } };
    await chain.send([['feed_publish', { publisher: 'initminer', exchange_rate }]], 'initminer');
    await chain.produce(3);
    return 'USD';
  });
}
