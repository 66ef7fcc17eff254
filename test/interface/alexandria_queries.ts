import { at, listMember, numberMember, type Json } from '../outside/json.ts';
import { accountCreate, authorityMembers, transfer, type Chain } from './chain.ts';
import { application, becomeWitness, beginRound, robbed, ROUND } from './deeds.ts';
import { nameOfSeed, publicKey as key } from './keys.ts';
import { call, expect, on, refusal, type Section } from './lines.ts';
import {
  anything,
  authority,
  checked,
  coin,
  has,
  hex,
  id40,
  integer,
  list,
  listCheck,
  listIncluding,
  listExcluding,
  matching,
  noList,
  price,
  text,
  time,
} from './shapes.ts';
import { subscriptionLines } from './subscribing.ts';

const { row, story } = on('dev');

const APP = 4711;

export const alexandriaQueries: Section = {
  title: 'Endpoints / alexandria_api: other methods',
  lines: [
    row('info', call('alexandria_api.info'), { info: has({ head_block_number: integer, account_creation_fee: coin }) }),
    row('about', call('alexandria_api.about'), { about: has({ chain_id: hex(64), blockchain_version: text }) }),
    row('get_version', call('alexandria_api.get_version'), { version_info: has({ chain_id: hex(64) }) }),
    row('get_dynamic_global_properties', call('alexandria_api.get_dynamic_global_properties'), {
      properties: has({ head_block_number: integer, time }),
    }),
    row(
      'get_key_references',
      call('alexandria_api.get_key_references', { keys: [key('heidi'), key('a key of nobody')] }),
      {
        accounts: [['heidi'], []],
      },
    ),
    story('get_key_references', 'keys of the owner or the active authority count, memo keys do not', async (chain) => {
      await chain.send(
        [
          accountCreate('three keys', {
            owner: authorityMembers('o3'),
            active: authorityMembers('a3'),
            memo_key: key('m3'),
          }),
        ],
        'alice',
      );
      const found = await chain.ask('alexandria_api.get_key_references', { keys: ['o3', 'a3', 'm3'].map(key) });
      expect({ accounts: [[nameOfSeed('three keys')], [nameOfSeed('three keys')], []] }, found);
    }),
    ...(
      [
        ['alice', true],
        ['initminer', true],
        ['nobody-here', false],
      ] as const
    ).map(([account_name, exists]) =>
      row(
        'account_exist',
        call('alexandria_api.account_exist', { account_name }),
        { account_exist: exists },
        account_name,
      ),
    ),
    ...subscriptionLines('custom_object_subscription', 'alexandria_api', APP, (subscription) => ({ subscription })),
    ...['alice', 'a seed with blanks', 'ÄÖÜ'].map((seed) =>
      row(
        'get_account_name_from_seed',
        call('alexandria_api.get_account_name_from_seed', { seed }),
        { account_name: nameOfSeed(seed) },
        seed,
      ),
    ),
    row('get_account', call('alexandria_api.get_account', { account_name: 'carol' }), {
      account: [has({ name: 'carol', owner: authority, balance: coin })],
    }),
    row(
      'get_account',
      refusal('alexandria_api.get_account', { account_name: 'dave9' }),
      has({ message: matching(/^no account is named dave9/i), data: has({ name: text, lineage: text }) }),
      'an unknown one is refused in plain words, with the words of the lineage beside them',
    ),
    row('get_accounts', call('alexandria_api.get_accounts', { account_names: ['bob', 'nobody-here', 'alice'] }), {
      accounts: [has({ name: 'bob', transfer_history: list }), has({ name: 'alice', vesting_balance: coin })],
    }),
    story('get_account_balance', '', async (chain) => {
      const { name } = await chain.account('with a balance', '4294.967297');
      expect(
        { account_balance: 4_294_967_297 },
        await chain.ask('alexandria_api.get_account_balance', { account_name: name }),
      );
    }),
    story('get_vesting_balance', '', async (chain) => {
      const { name } = await chain.account('with shares');
      await chain.send([['transfer_to_vesting', { from: 'alice', to: name, amount: '9007.199254 COIN' }]], 'alice');
      expect(
        { vesting_balance: 9_007_199_254 },
        await chain.ask('alexandria_api.get_vesting_balance', { account_name: name }),
      );
    }),
    ...(
      [
        [-1, 0, [5]],
        [-1, 2, [3, 4, 5]],
        [-1, 100, [0, 1, 2, 3, 4, 5]],
        [3, 2, [1, 2, 3]],
        [3, 0, [3]],
        [0, 0, [0]],
        [1, 10, [0, 1]],
        [7, 4, [3, 4, 5]],
      ] as const
    ).map(([start, limit, sequences]) =>
      row(
        'get_account_history',
        async (chain) =>
          await chain.ask('alexandria_api.get_account_history', { account: await eventful(chain), start, limit }),
        has({
          account_history: sequences.map((sequence) => [
            sequence,
            has({ trx_id: id40, block: integer, op: [text, anything] }),
          ]),
        }),
        `start ${start}, limit ${limit}`,
      ),
    ),
    row('get_active_authority', call('alexandria_api.get_active_authority', { account_name: 'alice' }), {
      active_authority: authorityMembers('alice'),
    }),
    row(
      'get_active_witnesses',
      call('alexandria_api.get_active_witnesses'),
      { active_witnesses: listCheck(matching(/^\S+$/, 'a name')) },
      'names only',
    ),
    story('get_active_witnesses', 'a new witness is among them from the next round of 51 blocks on', async (chain) => {
      await beginRound(chain);
      await becomeWitness(chain, 'erin');
      const active = (): Promise<Json> => chain.ask('alexandria_api.get_active_witnesses');
      expect({ active_witnesses: listExcluding('erin') }, await active());
      const head = numberMember(await chain.ask('alexandria_api.info'), 'info.head_block_number');
      await chain.produce(ROUND - (head % ROUND) - 1);
      expect({ active_witnesses: listExcluding('erin') }, await active());
      await chain.produce();
      expect({ active_witnesses: listIncluding('erin') }, await active());
    }),
    story('get_application_buyings', 'by buyer', async (chain) => {
      const app_id = await bought(chain);
      const answer = await chain.ask('alexandria_api.get_application_buyings', {
        name: 'dave',
        search_type: 'by_buyer',
        count: 10,
      });
      expect(has({ application_buyings: [has({ app_id, buyer: 'dave', id: integer })] }), answer);
    }),
    story('get_application_buyings', 'by application name', async (chain) => {
      const app_id = await bought(chain);
      const answer = await chain.ask('alexandria_api.get_application_buyings', {
        name: 'bought',
        search_type: 'by_app_id',
        count: 10,
      });
      expect(has({ application_buyings: [has({ app_id, buyer: 'grace' }), has({ app_id, buyer: 'dave' })] }), answer);
    }),
    story('get_applications', '', async (chain) => {
      const id = await application(chain, 'app-1');
      const record = has({ id, name: 'app-1', author: 'alice', url: 'https://old.example', metadata: 'old' });
      expect(
        { applications: [record] },
        await chain.ask('alexandria_api.get_applications', { names: ['app-1', 'no-such-app'] }),
      );
    }),
    story('get_applications_by_ids', '', async (chain) => {
      const ids = [await application(chain, 'app-2'), await application(chain, 'app-3')];
      const answer = await chain.ask('alexandria_api.get_applications_by_ids', { ids: [...ids, 999_999] });
      expect(
        { applications: [has({ id: ids[0] ?? -1, name: 'app-2' }), has({ id: ids[1] ?? -1, name: 'app-3' })] },
        answer,
      );
    }),
    row('get_block', call('alexandria_api.get_block', { num: 1 }), {
      block: has({
        previous: '0'.repeat(40),
        witness: 'initminer',
        block_id: matching(/^00000001/),
        transaction_ids: list,
      }),
    }),
    row('get_block', call('alexandria_api.get_block', { num: 4_000_000_000 }), {}, 'there is none'),
    row(
      'get_ops_in_block',
      async (chain) =>
        await chain.ask('alexandria_api.get_ops_in_block', {
          block_num: (await sent(chain)).block,
          only_virtual: false,
        }),
      has({ ops_in_block: listIncluding(has({ op: ['transfer', anything], virtual_op: 0 })) }),
    ),
    row(
      'get_ops_in_block',
      async (chain) =>
        await chain.ask('alexandria_api.get_ops_in_block', {
          block_num: (await sent(chain)).block,
          only_virtual: true,
        }),
      has({ ops_in_block: listCheck(has({ op: ['producer_reward', anything] })) }),
      'only virtual ones',
    ),
    ...['EUR', 'USD', 'CNY', 'GBP'].map((symbol) =>
      row(
        'get_feed_history',
        call('alexandria_api.get_feed_history', { symbol }),
        { feed_history: { id: integer, current_median_price: price, price_history: list } },
        symbol,
      ),
    ),
    row(
      'get_feed_history',
      refusal('alexandria_api.get_feed_history', { symbol: 'JPY' }),
      has({ message: matching(/./) }),
      'of no other symbol',
    ),
    row('get_memo_key', call('alexandria_api.get_memo_key', { account_name: 'bob' }), { memo_key: key('bob') }),
    row('get_owner_authority', call('alexandria_api.get_owner_authority', { account_name: 'bob' }), {
      owner_authority: authorityMembers('bob'),
    }),
    story('get_owner_history', '', async (chain) => {
      const { name } = await robbed(chain, 'with a past');
      const entry = has({
        account: name,
        previous_owner_authority: authorityMembers('with a past'),
        last_valid_time: time,
      });
      expect({ owner_history: [entry] }, await chain.ask('alexandria_api.get_owner_history', { account: name }));
    }),
    row(
      'get_owner_history',
      call('alexandria_api.get_owner_history', { account: 'bob' }),
      { owner_history: noList },
      'of an owner that never changed',
    ),
    ...(
      [
        ['by_sender_reverse', '1', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
        ['by_sender_reverse', '3', [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
        ['by_recipient_reverse', '1', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
        ['by_recipient_reverse', '-1', [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
        ['by_sender_reverse', -1, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
        ['by_sender_datetime_reverse', '2000-01-01T00:00:00', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
        ['by_recipient_datetime_reverse', '2000-01-01T00:00:00', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
      ] as const
    ).map(([search_type, start, numbers]) =>
      row(
        'get_received_documents',
        async (chain) => {
          await twelveDocuments(chain);
          const account_name = search_type.startsWith('by_sender') ? 'grace' : 'heidi';
          return await chain.ask('alexandria_api.get_received_documents', {
            app_id: APP,
            account_name,
            search_type,
            start,
          });
        },
        has({
          received_documents: numbers.map((number) => [
            number,
            has({ sender: 'grace', recipients: ['heidi'], data: `{"n":${number}}` }),
          ]),
        }),
        `${search_type} from ${start}, ten without a count`,
      ),
    ),
    row(
      'get_received_documents',
      async (chain) => {
        await twelveDocuments(chain);
        const search = {
          app_id: APP,
          account_name: 'heidi',
          search_type: 'by_recipient_reverse',
          start: '2',
          count: 3,
        };
        return await chain.ask('alexandria_api.get_received_documents', search);
      },
      has({ received_documents: [2, 3, 4].map((number) => [number, anything]) }),
      'as many as count says',
    ),
    story('get_transaction', '', async (chain) => {
      const { id, block, place } = await sent(chain);
      const shape = {
        transaction_id: id,
        block_num: block,
        transaction_num: place,
        operations: [['transfer', has({ memo: 'looked up' })]],
      };
      expect({ tx: has(shape) }, await chain.ask('alexandria_api.get_transaction', { tx_id: id }));
    }),
    row(
      'get_transaction',
      refusal('alexandria_api.get_transaction', { tx_id: '12'.repeat(20) }),
      has({ name: 'unknown_transaction' }),
      'an unknown one',
    ),
    row('get_witness', call('alexandria_api.get_witness', { owner_account: 'initminer' }), {
      witness: has({ owner: 'initminer', signing_key: key('initminer'), url: text }),
    }),
    row('get_witness', call('alexandria_api.get_witness', { owner_account: 'nobody-here' }), {}, 'who is none'),
    ...[{ start: '' }, { start: null }, {}, { start: '', order: 'by_name' }, { start: 'initminer' }].map((params) =>
      row(
        'list_witnesses',
        call('alexandria_api.list_witnesses', { limit: 100, ...params }),
        { witnesses: checked('names in their order, initminer among them', sortedCheck('initminer')) },
        JSON.stringify(params),
      ),
    ),
    row(
      'list_witnesses',
      call('alexandria_api.list_witnesses', { start: '', limit: 1, order: 'by_name' }),
      { witnesses: [text] },
      'as many as limit says',
    ),
    row('list_witnesses_by_vote', call('alexandria_api.list_witnesses_by_vote', { name: '', limit: 100 }), {
      witnesses_by_vote: checked('most votes first', isDescending),
    }),
    row(
      'list_witnesses_by_vote',
      call('alexandria_api.list_witnesses_by_vote', { name: 'initminer', limit: 1 }),
      {
        witnesses_by_vote: [has({ owner: 'initminer', votes: integer, url: text })],
      },
      'from a witness on',
    ),
  ],
};

const sent = (chain: Chain) =>
  chain.once('looked up', () => chain.sent([transfer('alice', 'judy', '1.5', 'looked up')], 'alice'));

/** An account with six entries in its history, 0 to 5. */
async function eventful(chain: Chain): Promise<string> {
  return await chain.once('eventful', async () => {
    const { name } = await chain.account('with a history');
    for (const memo of ['1', '2', '3', '4', '5']) await chain.send([transfer('alice', name, '1', memo)], 'alice');
    return name;
  });
}

/** An application that dave has bought, and after him grace. */
async function bought(chain: Chain): Promise<number> {
  return await chain.once('bought', async () => {
    const app_id = await application(chain, 'bought');
    for (const buyer of ['dave', 'grace'])
      await chain.send([['buy_application', { fee: '0.010000 COIN', buyer, app_id }]], buyer);
    return app_id;
  });
}

/**
 * Documents that grace has sent to heidi, the last two of them later: what is sent together has one time, and so no
 * order in it.
 */
async function twelveDocuments(chain: Chain): Promise<void> {
  await chain.once('twelve documents', async () => {
    const document = (n: number): Json => [
      'custom_json',
      { sender: 'grace', recipients: ['heidi'], app_id: APP, json: `{"n":${n}}` },
    ];
    await chain.send(
      Array.from({ length: 10 }, (_, k) => document(k + 1)),
      'grace',
    );
    await chain.send([document(11), document(12)], 'grace');
  });
}

function sortedCheck(name: string): (value: Json) => boolean {
  return (value) => {
    const names = listMember({ value }, 'value').map(String);
    return names.includes(name) && names.join() === names.toSorted().join();
  };
}

function isDescending(value: Json): boolean {
  const votes = listMember({ value }, 'value').map((witness) => Number(at(witness, 'votes')));
  return votes.length > 0 && votes.every((one, k) => k === 0 || one <= (votes[k - 1] ?? 0));
}
