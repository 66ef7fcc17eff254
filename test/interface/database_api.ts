import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { listMember, textMember, type Json } from '../outside/json.ts';
import { testSecret, sign, unsignedBytes } from '../outside/signer.ts';
import { accountCreate, authorityMembers, transfer, type Chain } from './chain.ts';
import { application, escrow, proposed, recoveryRequest, robbed } from './deeds.ts';
import { nameOfSeed, publicKey as key } from './keys.ts';
import { call, expect, on, refusal, type Line, type Section } from './lines.ts';
import { pricedSymbol } from './records.ts';
import {
  accountName,
  anything,
  authority,
  checked,
  coin,
  has,
  hex,
  integer,
  list,
  listCheck,
  matching,
  noList,
  price,
  publicKeyText,
  text,
  time,
  vests,
  type Shape,
} from './shapes.ts';

const { row, story } = on('dev');
const hurried = on('hurried');

const NOTHING: readonly Json[] = [];

/** A list method: what its elements are like, its first order, and starts that stand for the beginning of it. */
interface List {
  readonly method: string;
  readonly member: string;
  readonly shape: Shape;
  readonly orders: readonly string[];
}

const account = has({ id: integer, name: accountName, owner: authority, balance: coin, vesting_shares: vests });
const witness = has({ id: integer, owner: accountName, votes: integer, url: text, signing_key: publicKeyText });
const request = has({ id: integer, account_to_recover: accountName, new_owner_authority: authority, expires: time });
const change = has({ id: integer, account_to_recover: accountName, recovery_account: accountName, effective_on: time });
const escrowRecord = has({
  id: integer,
  escrow_id: integer,
  from: accountName,
  to: accountName,
  agent: accountName,
  coin_balance: coin,
});
const ownerEntry = has({
  id: integer,
  account: accountName,
  previous_owner_authority: authority,
  last_valid_time: time,
});
const buying = has({ id: integer, app_id: integer, buyer: accountName, created: time });
const app = has({ id: integer, name: text, author: accountName, url: text, metadata: text });

const lists: readonly List[] = [
  {
    method: 'list_account_recovery_requests',
    member: 'requests',
    shape: request,
    orders: ['by_account', 'by_expiration', 'by_account_reverse', 'by_expiration_reverse'],
  },
  {
    method: 'list_accounts',
    member: 'accounts',
    shape: account,
    orders: [
      'by_name',
      'by_name_reverse',
      'by_id',
      'by_proxy',
      'by_proxy_reverse',
      'by_next_vesting_withdrawal',
      'by_balance',
    ],
  },
  {
    method: 'list_change_recovery_account_requests',
    member: 'requests',
    shape: change,
    orders: ['by_account', 'by_effective_date', 'by_account_reverse', 'by_effective_date_reverse'],
  },
  {
    method: 'list_escrows',
    member: 'escrows',
    shape: escrowRecord,
    orders: ['by_from_id', 'by_ratification_deadline', 'by_from_id_reverse', 'by_ratification_deadline_reverse'],
  },
  {
    method: 'list_witness_votes',
    member: 'votes',
    shape: has({ id: integer, witness: accountName, account: accountName }),
    orders: ['by_account_witness', 'by_witness_account', 'by_account_witness_reverse', 'by_witness_account_reverse'],
  },
  {
    method: 'list_witnesses',
    member: 'witnesses',
    shape: witness,
    orders: [
      'by_name',
      'by_name_reverse',
      'by_id',
      'by_vote_name',
      'by_vote_name_reverse',
      'by_schedule_time',
      'by_schedule_time_reverse',
    ],
  },
  {
    method: 'list_applications',
    member: 'applications',
    shape: app,
    orders: ['by_name', 'by_name_reverse', 'by_author', 'by_author_reverse'],
  },
];

export const databaseApi: Section = {
  title: 'Endpoints / database_api',
  lines: [
    ...lists.map(({ method, member, shape }) =>
      row(
        'The list methods take `{start: null or value, limit: int, order: string}`',
        async (chain) => await listed(chain, method, { start: null, limit: 10, order: 'by_name' }),
        { [member]: listCheck(shape) },
        method,
      ),
    ),
    ...lists.map(({ method }) =>
      story(
        'The value `by_name` is the order shown in the request templates',
        `${method} begins in its first order`,
        async (chain) => {
          const template = await listed(chain, method, { start: null, limit: 10, order: 'by_name' });
          assert.deepEqual(await listed(chain, method, { start: null, limit: 10 }), template);
          assert.deepEqual(await listed(chain, method, { limit: 10 }), template);
        },
      ),
    ),

    row('get_active_witnesses', call('database_api.get_active_witnesses'), {
      witnesses: listCheck(matching(/^\S+$/, 'a name')),
    }),
    row(
      'get_config',
      call('database_api.get_config'),
      has({ COIN_BLOCK_INTERVAL: 3, COIN_CHAIN_ID: hex(64), COIN_BLOCKCHAIN_VERSION: text }),
    ),
    story('get_current_price_feed', 'without a feed', async (chain) => {
      await chain.refusal('database_api.get_current_price_feed', { symbol: 'GBP' });
    }),
    hurried.row(
      'get_current_price_feed',
      async (chain) => await chain.ask('database_api.get_current_price_feed', { symbol: await pricedSymbol(chain) }),
      { base: '2.000000 COIN', quote: '0.500000 USD' },
      'that was published',
    ),
    row(
      'get_dynamic_global_properties',
      call('database_api.get_dynamic_global_properties'),
      has({ head_block_number: integer, current_supply: coin }),
    ),
    ...['EUR', 'USD', 'CNY', 'GBP'].map((symbol) =>
      row(
        'get_feed_history',
        call('database_api.get_feed_history', { symbol }),
        { id: integer, symbol, current_median_history: price, price_history: list },
        symbol,
      ),
    ),
    row(
      'get_hardfork_properties',
      call('database_api.get_hardfork_properties'),
      has({ processed_hardforks: listCheck(time), last_hardfork: integer }),
    ),
    story('get_potential_signatures', 'all public keys that could sign', async (chain) => {
      await chain.send(
        [accountCreate('many may sign', { active: eitherAuthority('p1', 'p2'), owner: authorityMembers('p3') })],
        'alice',
      );
      const trx = await chain.signed([transfer(nameOfSeed('many may sign'), 'bob', '1')]);
      const answer = await chain.ask('database_api.get_potential_signatures', { trx });
      expect({ keys: checked('the keys of p1, p2 and p3', sameSet(['p1', 'p2', 'p3'].map(key))) }, answer);
    }),
    ...(
      [
        [['q1', 'q2'], 1],
        [['q2'], 1],
        [['q3'], 0],
      ] as const
    ).map(([available, count]) =>
      story(
        'get_required_signatures',
        `${count} of ${available.join(' and ')}, for either of q1 and q2`,
        async (chain) => {
          const name = await chain.once('either may sign', async () => {
            await chain.send([accountCreate('either may sign', { active: eitherAuthority('q1', 'q2') })], 'alice');
            return nameOfSeed('either may sign');
          });
          const trx = await chain.signed([transfer(name, 'bob', '1')]);
          const answer = await chain.ask('database_api.get_required_signatures', {
            trx,
            available_keys: available.map(key),
          });
          expect({ keys: count === 0 ? noList : listCheck(publicKeyText) }, answer);
          assert.equal(listMember(answer, 'keys').length, count);
        },
      ),
    ),
    story('get_transaction_hex', 'its id is the sha256 of these bytes without signatures', async (chain) => {
      const trx = await chain.signed([transfer('alice', 'bob', '1')], 'alice');
      expect({ hex: matching(/^([0-9a-f]{2})+$/) }, await chain.ask('database_api.get_transaction_hex', { trx }));
      const id = createHash('sha256')
        .update(await unsignedBytes(chain.program, trx))
        .digest('hex')
        .slice(0, 40);
      expect({ tx_id: id }, await chain.ask('alexandria_api.get_transaction_id', { tx: trx }));
    }),
    row(
      'get_witness_schedule',
      call('database_api.get_witness_schedule'),
      has({ current_shuffled_witnesses: listCheck(text), median_props: anything }),
    ),

    ...lists.flatMap(listLines),
    ...['by_name', 'by_name_reverse'].map((order) =>
      row(
        'list_accounts',
        call('database_api.list_accounts', { start: 'bob', limit: 3, order }),
        { accounts: [has({ name: 'bob' }), account, account] },
        `${order} from bob`,
      ),
    ),
    ...[{ start: null, limit: 10 }, { limit: 10 }].map((params) =>
      row(
        'list_owner_histories',
        async (chain) => await listed(chain, 'list_owner_histories', params),
        { owner_auths: listCheck(ownerEntry) },
        JSON.stringify(params),
      ),
    ),
    row(
      'verify_account_authority',
      refusal('database_api.verify_account_authority', { account: 'alice', signers: [key('alice')] }),
      has({ name: 'not_implemented' }),
    ),
    ...(
      [
        [['alice'], true],
        [[], false],
        [['bob'], false],
      ] as const
    ).map(([signers, valid]) =>
      row(
        'verify_authority',
        call('database_api.verify_authority', async (chain) => ({
          trx: await chain.signed([transfer('alice', 'carol', '1')], ...signers),
        })),
        { valid },
        `signed by ${signers.join(' and ') || 'nobody'}`,
      ),
    ),
    ...(
      [
        [['alice'], ['alice'], [], true],
        [['bob'], ['alice'], [], false],
        [['alice', 'bob'], ['alice', 'bob'], [], true],
        [[], ['alice'], [], false],
        [['alice'], [], ['alice'], true],
      ] as const
    ).map(([signers, active, owner, valid]) =>
      row(
        'verify_signatures',
        call('database_api.verify_signatures', {
          hash: 'c3'.repeat(32),
          signatures: signers.map((name) => sign(Buffer.alloc(32, 0xc3), testSecret(name))),
          required_owner: owner,
          required_active: active,
          required_other: NOTHING,
        }),
        { valid },
        `by ${signers.join(' and ') || 'nobody'}, required ${active.join(' and ') || 'nobody'} and as owner ${owner.join() || 'nobody'}`,
      ),
    ),
    ...Array.from({ length: 8 }, (_, k) =>
      row(
        'verify_signatures',
        call('database_api.verify_signatures', {
          hash: Buffer.alloc(32, k).toString('hex'),
          signatures: [sign(Buffer.alloc(32, k), testSecret('carol'))],
          required_owner: NOTHING,
          required_active: ['carol'],
          required_other: NOTHING,
        }),
        { valid: true },
        `whatever the signature begins with, ${k}`,
      ),
    ),
    ...['by_buyer', 'by_app_id'].flatMap((search_type) =>
      [{ start: null }, {}].map((start) =>
        row(
          'get_application_buyings',
          async (chain) => await listed(chain, 'get_application_buyings', { ...start, limit: 10, search_type }),
          has({ application_buyings: listCheck(buying) }),
          `${search_type}, ${JSON.stringify(start)}`,
        ),
      ),
    ),
    row(
      'get_application_buyings',
      async (chain) =>
        await listed(chain, 'get_application_buyings', { start: 'judy', limit: 10, search_type: 'by_buyer' }),
      has({ application_buyings: listCheck(has({ buyer: 'judy' })) }),
      'of a buyer',
    ),
    row('get_burned_balance', call('database_api.get_burned_balance'), coin),
    story('get_burned_balance', 'a tenth of each fee', async (chain) => {
      const burned = async (): Promise<bigint> =>
        BigInt(textMember({ burned: await chain.ask('database_api.get_burned_balance') }, 'burned').replace(/\D/g, ''));
      const before = await burned();
      await chain.send([transfer('alice', 'bob', '1', 'a fee is burned')], 'alice');
      assert.equal((await burned()) - before, 1000n);
    }),
    row('get_promotion_pool_balance', call('database_api.get_promotion_pool_balance'), coin),

    story('find_account_recovery_requests', 'of these accounts only', async (chain) => {
      await everything(chain);
      const { name } = await chain.account('found by its request');
      await chain.send([recoveryRequest(name, authorityMembers('x'))], 'alice');
      const answer = await chain.ask('database_api.find_account_recovery_requests', {
        accounts: [name, 'alice', 'nobody-here'],
      });
      expect({ requests: [has({ account_to_recover: name })] }, answer);
    }),
    row('find_accounts', call('database_api.find_accounts', { accounts: ['judy', 'nobody-here', 'alice'] }), {
      accounts: [has({ name: 'judy' }), has({ name: 'alice' })],
    }),
    story('find_change_recovery_account_requests', '', async (chain) => {
      const { name, label } = await chain.account('found by its change');
      await chain.send(
        [['change_recovery_account', { account_to_recover: name, new_recovery_account: 'bob', extensions: [] }]],
        label,
      );
      const answer = await chain.ask('database_api.find_change_recovery_account_requests', {
        accounts: [name, 'alice'],
      });
      expect({ requests: [has({ account_to_recover: name, recovery_account: 'bob' })] }, answer);
    }),
    story('find_escrows', '', async (chain) => {
      await proposed(chain, 900);
      expect(has({ from: 'alice', escrow_id: 900 }), await escrow(chain, 900));
      expect({ escrows: noList }, await chain.ask('database_api.find_escrows', { from: 'judy' }));
    }),
    story('find_owner_histories', '', async (chain) => {
      const { name } = await robbed(chain, 'found by its past');
      const answer = await chain.ask('database_api.find_owner_histories', { owner: name });
      expect(
        { owner_auths: [has({ account: name, previous_owner_authority: authorityMembers('found by its past') })] },
        answer,
      );
    }),
    row('find_witnesses', call('database_api.find_witnesses', { owners: ['initminer', 'nobody-here'] }), {
      witnesses: [has({ owner: 'initminer' })],
    }),
  ],
};

/** The lines of a list method: each order from its beginning, and as many elements as `limit` says. */
function listLines({ method, member, shape, orders }: List): readonly Line[] {
  const inOrders = orders.map((order) =>
    row(
      method,
      async (chain) => await listed(chain, method, { start: null, limit: 10, order }),
      { [member]: listCheck(shape) },
      order,
    ),
  );
  const limited = [0, 1].map((limit) =>
    row(
      method,
      async (chain) => await listed(chain, method, { start: null, limit, order: orders[0] ?? '' }),
      { [member]: Array.from({ length: limit }, () => shape) },
      `limit ${limit}`,
    ),
  );
  return [...inOrders, ...limited];
}

async function listed(chain: Chain, method: string, params: Json): Promise<Json> {
  await everything(chain);
  return await chain.ask(`database_api.${method}`, params);
}

/** Something for every list: a request, a change, an escrow, a vote, an application and its buyer, a former owner. */
async function everything(chain: Chain): Promise<void> {
  await chain.once('everything', async () => {
    const { name } = await robbed(chain, 'something for all lists');
    await chain.send([recoveryRequest(name, authorityMembers('x'))], 'alice');
    await chain.send(
      [['change_recovery_account', { account_to_recover: name, new_recovery_account: 'bob', extensions: [] }]],
      'thief',
    );
    await proposed(chain, 901);
    await chain.send([['account_witness_vote', { account: 'ivan', witness: 'initminer', approve: true }]], 'ivan');
    const app_id = await application(chain, `for-all-lists`);
    await chain.send([['buy_application', { fee: '0.010000 COIN', buyer: 'judy', app_id }]], 'judy');
  });
}

/** One of these keys is enough. */
function eitherAuthority(...labels: readonly string[]): Json {
  return { ...authorityMembers(...labels), weight_threshold: 1 };
}

function sameSet(keys: readonly string[]): (value: Json) => boolean {
  return (value) => listMember({ value }, 'value').map(String).toSorted().join() === keys.toSorted().join();
}
