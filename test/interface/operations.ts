import assert from 'node:assert/strict';
import type { Json } from '../outside/json.ts';
import { authorityMembers, transfer } from './chain.ts';
import {
  application,
  applications,
  approved,
  becomeWitness,
  buyings,
  escrow,
  escrowBody,
  helper,
  fetchOperation,
  proposed,
  received,
  recovery,
  recoveryRequest,
  requests,
  robbed,
  setReset,
  stands,
  units,
  witness,
} from './deeds.ts';
import { compressed, nameOfSeed, publicKey as key } from './keys.ts';
import { expect, on, type Section } from './lines.ts';
import { ADMINISTERED } from './private_net.ts';
import { anything, coin, has, integer, listCheck, listIncluding, listExcluding, noList, text, time } from './shapes.ts';

const dev = on('dev');
const hurried = on('hurried');
const privateNet = on('private net');

/** Helpers and params for them. */
const feeHelpers: readonly (readonly [string, { readonly [name: string]: Json }])[] = [
  ['transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo: '' }],
  ['transfer_to_vesting', { from: 'alice', to: 'bob', amount: '1 COIN' }],
  ['delete_account', { account_name: 'alice' }],
  ['stop_witness', { witness_account_name: 'alice' }],
  ['buy_application', { buyer: 'alice', app_id: 0 }],
];

/**
 * The rows of the table: each kind is sent with the body that its row shows, stands in the chain like that, and has its
 * effect.
 */
export const operationBodies: Section = {
  title: 'Resources and their fields / Operation kinds and bodies',
  lines: [
    dev.story('A body created by a helper carries `fee`', 'in COIN', async (chain) => {
      for (const [method, params] of feeHelpers)
        expect({ op: [text, has({ fee: coin })] }, await chain.ask(`alexandria_api.${method}`, params));
    }),
    dev.story('It is listed first in each row', 'and first in each body', async (chain) => {
      for (const [method, params] of feeHelpers) {
        const { result } = JSON.parse(
          (
            await chain.program.raw(
              JSON.stringify({ jsonrpc: '2.0', id: 1, method: `alexandria_api.${method}`, params }),
            )
          ).body,
        );
        assert.equal(Object.keys(result.op[1])[0], 'fee', method);
      }
    }),

    dev.story('transfer', '', async (chain) => {
      const op = await helper(chain, 'transfer', { from: 'alice', to: 'bob', amount: '1.5 COIN', memo: 'for tea' });
      expect(['transfer', { fee: coin, from: 'alice', to: 'bob', amount: '1.500000 COIN', memo: 'for tea' }], op);
      const held = await chain.millionths('bob');
      await stands(chain, op, ['alice']);
      assert.equal((await chain.millionths('bob')) - held, 1_500_000n);
    }),
    dev.story('transfer_to_vesting', '', async (chain) => {
      const op = await helper(chain, 'transfer_to_vesting', { from: 'alice', to: 'dave', amount: '27.25 COIN' });
      expect(['transfer_to_vesting', { fee: coin, from: 'alice', to: 'dave', amount: '27.250000 COIN' }], op);
      const held = await chain.millionths('dave', 'vesting_shares');
      await stands(chain, op, ['alice']);
      assert.equal((await chain.millionths('dave', 'vesting_shares')) - held, 27_250_000n);
    }),
    dev.story('withdraw_vesting', '', async (chain) => {
      await chain.send([['transfer_to_vesting', { from: 'erin', to: '', amount: '100 COIN' }]], 'erin');
      const op = await helper(chain, 'withdraw_vesting', { from: 'erin', vesting_shares: '54 VESTS' });
      expect(['withdraw_vesting', { fee: coin, account: 'erin', vesting_shares: '54.000000 VESTS' }], op);
      await stands(chain, op, ['erin']);
      expect(has({ to_withdraw: 54_000_000, vesting_withdraw_rate: '2.000000 VESTS' }), await chain.record('erin'));
    }),
    dev.story(
      'transfer_from_promotion_pool',
      'the body is open; the lineage has transfer_to and amount',
      async (chain) => {
        await chain.produce(2);
        const held = await chain.millionths('erin');
        const body = { fee: '0.000000 COIN', transfer_to: 'erin', amount: '0.000007 COIN', extensions: [] };
        await stands(chain, ['transfer_from_promotion_pool', body], ['initminer']);
        assert.equal((await chain.millionths('erin')) - held, 7n);
      },
    ),
    dev.story('account_create', '', async (chain) => {
      const params = {
        creator: 'alice',
        name_seed: 'first',
        json_meta: '{"a":1}',
        owner: key('o'),
        active: key('a'),
        memo: key('m'),
      };
      const op = await helper(chain, 'create_account', params);
      const body = {
        creator: 'alice',
        name_seed: 'first',
        owner: authorityMembers('o'),
        active: authorityMembers('a'),
        memo_key: key('m'),
        json_metadata: '{"a":1}',
      };
      expect(['account_create', { fee: coin, ...body }], op);
      await stands(chain, op, ['alice']);
      const record = {
        owner: authorityMembers('o'),
        active: authorityMembers('a'),
        memo_key: key('m'),
        json_metadata: '{"a":1}',
      };
      expect(has({ name: nameOfSeed('first'), ...record }), await chain.record(nameOfSeed('first')));
    }),
    dev.story('account_update', 'without authorities: memo key and metadata change', async (chain) => {
      const { name, label } = await chain.account('to be updated');
      const body = { fee: '0.000000 COIN', account: name, memo_key: key('another memo'), json_metadata: '{"b":[2]}' };
      const { id } = await stands(chain, ['account_update', body], [label]);
      expect(['account_update', body], await fetchOperation(chain, id));
      expect(
        has({ memo_key: key('another memo'), json_metadata: '{"b":[2]}', owner: authorityMembers(label) }),
        await chain.record(name),
      );
    }),
    dev.story('account_update', 'as the helper makes it: all keys change', async (chain) => {
      const { name, label } = await chain.account('to get new keys');
      const params = { account_name: name, json_meta: '{}', owner: key('o2'), active: key('a2'), memo: key('m2') };
      const op = await helper(chain, 'update_account', params);
      expect(['account_update', has({ fee: coin, account: name, memo_key: key('m2'), json_metadata: '{}' })], op);
      await stands(chain, op, [label]);
      expect(
        has({ owner: authorityMembers('o2'), active: authorityMembers('a2'), memo_key: key('m2') }),
        await chain.record(name),
      );
    }),
    dev.story('account_delete', '', async (chain) => {
      const { name, label } = await chain.account('to be deleted', '5');
      const op = await helper(chain, 'delete_account', { account_name: name });
      expect(['account_delete', { fee: coin, account: name }], op);
      await stands(chain, op, [label]);
      await chain.refused('missing_active_authority', [transfer(name, 'alice', '1')], label);
    }),

    dev.story('request_account_recovery', '', async (chain) => {
      const { name } = await chain.account('to be requested');
      await stands(chain, recoveryRequest(name, authorityMembers('fresh')), ['alice']);
      expect(
        { requests: [has({ account_to_recover: name, new_owner_authority: authorityMembers('fresh') })] },
        await requests(chain, name),
      );
    }),
    dev.story('recover_account', '', async (chain) => {
      const { name } = await robbed(chain, 'to be recovered once');
      const fresh = authorityMembers('the rightful owner');
      await chain.send([recoveryRequest(name, fresh)], 'alice');
      const recover = recovery(name, fresh, authorityMembers('to be recovered once'));
      await stands(chain, recover, ['the rightful owner', 'to be recovered once']);
      expect(has({ owner: fresh }), await chain.record(name));
    }),
    dev.story('change_recovery_account', '', async (chain) => {
      const { name, label } = await chain.account('to change partners');
      const body = { account_to_recover: name, new_recovery_account: 'bob', extensions: [] };
      await stands(chain, ['change_recovery_account', body], [label]);
      const found = await chain.ask('database_api.find_change_recovery_account_requests', { accounts: [name] });
      expect({ requests: [has({ account_to_recover: name, recovery_account: 'bob', effective_on: time })] }, found);
    }),
    hurried.story('reset_account', '', async (chain) => {
      const { name, label } = await chain.account('to be reset');
      await chain.send([setReset(name, 'none', 'bob')], label);
      await chain.days(61);
      const body = { reset_account: 'bob', account_to_reset: name, new_owner_authority: authorityMembers('reset') };
      await stands(chain, ['reset_account', body], ['bob']);
      expect(has({ owner: authorityMembers('reset') }), await chain.record(name));
    }),
    dev.story('set_reset_account', '', async (chain) => {
      const { name, label } = await chain.account('to choose who resets');
      await stands(chain, setReset(name, 'none', 'bob'), [label]);
      await chain.refused('not_current_reset_account', [setReset(name, 'none', 'carol')], label);
      await stands(chain, setReset(name, 'bob', 'carol'), [label]);
    }),

    dev.story('application_create', '', async (chain) => {
      const params = {
        author: 'alice',
        app_name: 'chess',
        url: 'https://chess.example',
        meta_data: 'a game',
        price_param: 1,
      };
      const op = await helper(chain, 'create_application', params);
      const body = {
        fee: coin,
        author: 'alice',
        name: 'chess',
        url: 'https://chess.example',
        metadata: 'a game',
        price_param: 1,
      };
      expect(['application_create', body], op);
      await stands(chain, op, ['alice']);
      expect(
        { applications: [has({ name: 'chess', author: 'alice', url: 'https://chess.example', metadata: 'a game' })] },
        await applications(chain, 'chess'),
      );
    }),
    dev.story('application_update', '', async (chain) => {
      await application(chain, 'draughts');
      const body = {
        fee: '0.010000 COIN',
        author: 'alice',
        name: 'draughts',
        url: 'https://new.example',
        metadata: 'updated',
      };
      await stands(chain, ['application_update', body], ['alice']);
      expect(
        { applications: [has({ author: 'alice', url: 'https://new.example', metadata: 'updated' })] },
        await applications(chain, 'draughts'),
      );
    }),
    ...[{}, { new_author: '' }, { new_author: 'alice' }].map((more) =>
      dev.story(
        'application_update',
        `as the helper makes it, with ${JSON.stringify(more)}: the author stays`,
        async (chain) => {
          const name = `go${Object.keys(more).length}${Object.values(more).join('')}`;
          await application(chain, name);
          const params = {
            author: 'alice',
            app_name: name,
            url: 'https://go.example',
            meta_data: 'm',
            price_param: 0,
            ...more,
          };
          const op = await helper(chain, 'update_application', params);
          expect(
            ['application_update', has({ fee: coin, author: 'alice', name, url: 'https://go.example', metadata: 'm' })],
            op,
          );
          await stands(chain, op, ['alice']);
          expect(
            { applications: [has({ author: 'alice', url: 'https://go.example' })] },
            await applications(chain, name),
          );
        },
      ),
    ),
    dev.story('application_update', 'as the helper makes it, with another author', async (chain) => {
      await application(chain, 'reversi');
      const params = {
        author: 'alice',
        app_name: 'reversi',
        new_author: 'bob',
        url: 'https://r.example',
        meta_data: '',
        price_param: 0,
      };
      await stands(chain, await helper(chain, 'update_application', params), ['alice']);
      expect({ applications: [has({ author: 'bob' })] }, await applications(chain, 'reversi'));
    }),
    dev.story('application_delete', '', async (chain) => {
      await application(chain, 'bridge');
      const op = await helper(chain, 'delete_application', { author: 'alice', app_name: 'bridge' });
      expect(['application_delete', { fee: coin, author: 'alice', name: 'bridge' }], op);
      await stands(chain, op, ['alice']);
      expect({ applications: noList }, await applications(chain, 'bridge'));
    }),
    dev.story('buy_application', '', async (chain) => {
      const app_id = await application(chain, 'whist');
      const op = await helper(chain, 'buy_application', { buyer: 'bob', app_id });
      expect(['buy_application', { fee: coin, buyer: 'bob', app_id }], op);
      await stands(chain, op, ['bob']);
      expect(listIncluding(has({ app_id, buyer: 'bob' })), await buyings(chain, 'bob'));
    }),
    dev.story('cancel_application_buying', '', async (chain) => {
      const app_id = await application(chain, 'poker');
      await chain.send([['buy_application', { fee: '0.010000 COIN', buyer: 'carol', app_id }]], 'carol');
      const op = await helper(chain, 'cancel_application_buying', { app_owner: 'alice', buyer: 'carol', app_id });
      expect(['cancel_application_buying', { fee: coin, app_owner: 'alice', buyer: 'carol', app_id }], op);
      await stands(chain, op, ['alice']);
      expect(listExcluding(has({ app_id })), await buyings(chain, 'carol'));
    }),

    dev.story('custom_binary', '', async (chain) => {
      const params = {
        app_id: 81,
        from: 'alice',
        to: ['bob', 'carol'],
        data: Buffer.from([0, 1, 254, 255]).toString('base64'),
      };
      const op = await helper(chain, 'make_custom_binary_operation', params);
      expect(
        ['custom_binary', { fee: coin, sender: 'alice', recipients: ['bob', 'carol'], app_id: 81, data: '0001feff' }],
        op,
      );
      await stands(chain, op, ['alice']);
      expect(listIncluding([integer, has({ data: 'AAH+/w==', binary: true })]), await received(chain, 81, 'carol'));
    }),
    dev.story('custom_json', '', async (chain) => {
      const params = { app_id: 5_000_000_000, from: 'alice', to: ['bob'], json: '{"text":"grüße"}' };
      const op = await helper(chain, 'make_custom_json_operation', params);
      expect(
        [
          'custom_json',
          { fee: coin, sender: 'alice', recipients: ['bob'], app_id: 5_000_000_000, json: '{"text":"grüße"}' },
        ],
        op,
      );
      await stands(chain, op, ['alice']);
      expect(
        listIncluding([integer, has({ data: '{"text":"grüße"}', binary: false })]),
        await received(chain, 5_000_000_000, 'bob'),
      );
    }),
    dev.story('custom_json', 'what is not JSON is refused', async (chain) => {
      const body = { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob'], app_id: 81, json: '{"a":' };
      assert.match((await chain.refused('json_malformed', [['custom_json', body]])).message, /JSON/i);
    }),
    dev.story('sponsor_fees', '', async (chain) => {
      const { name, label } = await chain.account('to be sponsored', '3');
      const params = { sponsoring_account: 'bob', sponsored_account: name, is_sponsoring: true };
      const op = await helper(chain, 'sponsor_account_fees', params);
      expect(['sponsor_fees', { fee: coin, sponsor: 'bob', sponsored: name, is_sponsoring: true }], op);
      await stands(chain, op, ['bob']);
      const held = await chain.millionths('bob');
      await chain.send([transfer(name, 'carol', '3')], label);
      assert.equal((await chain.millionths('bob')) - held, -10_000n);
    }),

    dev.story('witness_update', '', async (chain) => {
      await chain.send([['transfer_to_vesting', { from: 'alice', to: 'grace', amount: '250000 COIN' }]], 'alice');
      const props = {
        account_creation_fee: '0.05 COIN',
        maximum_block_size: 262_144,
        price_feeds: [['EUR', { base: '1 EUR', quote: '4 COIN' }]],
      };
      const params = {
        witness_account_name: 'grace',
        url: 'https://grace.example',
        block_signing_key: key('grace signs'),
        props,
      };
      const op = await helper(chain, 'update_witness', params);
      const shown = {
        account_creation_fee: '0.050000 COIN',
        maximum_block_size: 262_144,
        price_feeds: listCheck(anything),
      };
      expect(
        [
          'witness_update',
          {
            fee: coin,
            owner: 'grace',
            url: 'https://grace.example',
            block_signing_key: key('grace signs'),
            props: shown,
          },
        ],
        op,
      );
      await stands(chain, op, ['grace']);
      expect(
        has({
          owner: 'grace',
          url: 'https://grace.example',
          signing_key: key('grace signs'),
          props: has({ account_creation_fee: '0.050000 COIN' }),
        }),
        await witness(chain, 'grace'),
      );
    }),
    dev.story('witness_stop', '', async (chain) => {
      await becomeWitness(chain, 'heidi');
      const op = await helper(chain, 'stop_witness', { witness_account_name: 'heidi' });
      expect(['witness_stop', { fee: coin, owner: 'heidi' }], op);
      await stands(chain, op, ['heidi']);
      expect({ witnesses: noList }, await chain.ask('database_api.find_witnesses', { owners: ['heidi'] }));
    }),
    dev.story('witness_set_properties', 'each property that the row names, as a member of an object', async (chain) => {
      await becomeWitness(chain, 'judy');
      const props = {
        account_creation_fee: '0.0500 COIN',
        account_subsidy_budget: 797,
        account_subsidy_decay: 347_321,
        maximum_block_size: 131_072,
        sbd_interest_rate: '0.000000 COIN',
        sbd_exchange_rate: { base: '0.250000 USD', quote: '1.000000 COIN' },
        url: Buffer.from('https://judy.example').toString('hex'),
        new_signing_key: compressed('judy signs'),
      };
      await chain.send([['witness_set_properties', { owner: 'judy', props, extensions: [] }]], 'judy');
      const set = {
        url: 'https://judy.example',
        signing_key: key('judy signs'),
        props: has({ account_creation_fee: '0.050000 COIN', maximum_block_size: 131_072 }),
      };
      expect(has(set), await witness(chain, 'judy'));
    }),
    dev.story('account_witness_proxy', '', async (chain) => {
      const op = await helper(chain, 'set_voting_proxy', { account_to_modify: 'heidi', proxy: 'bob' });
      expect(['account_witness_proxy', { fee: coin, account: 'heidi', proxy: 'bob' }], op);
      await stands(chain, op, ['heidi']);
      expect(has({ voting_proxy: 'bob' }), await chain.record('heidi'));
    }),
    dev.story('account_witness_vote', '', async (chain) => {
      const op = await helper(chain, 'vote_for_witness', {
        voting_account: 'dave',
        witness_to_vote_for: 'initminer',
        approve: true,
      });
      expect(['account_witness_vote', { fee: coin, account: 'dave', witness: 'initminer', approve: true }], op);
      await stands(chain, op, ['dave']);
      expect(has({ witness_votes: ['initminer'] }), await chain.record('dave'));
    }),
    privateNet.story(
      'admin_witness_update',
      'the body is open; the lineage has the one of witness_update',
      async (net) => {
        expect(['admin_witness_update', has(ADMINISTERED)], await fetchOperation(net, await net.administered()));
        expect(
          has({ url: ADMINISTERED.url, props: has({ maximum_block_size: 131_072 }) }),
          await witness(net, 'initminer'),
        );
      },
    ),
    dev.story('feed_publish', '', async (chain) => {
      const exchange_rate = {
        base: { amount: '1.000000', symbol: 'COIN' },
        quote: { amount: '0.750000', symbol: 'GBP' },
      };
      await stands(chain, ['feed_publish', { publisher: 'initminer', exchange_rate }], ['initminer']);
      const rate = { base: '1.000000 COIN', quote: '0.750000 GBP' };
      expect(
        has({ submitted_exchange_rates: listIncluding(['GBP', has({ rate, last_change: time })]) }),
        await witness(chain, 'initminer'),
      );
    }),

    dev.story('escrow_transfer', '', async (chain) => {
      const held = await chain.millionths('alice');
      const body = await escrowBody(chain, 1);
      await stands(chain, ['escrow_transfer', body], ['alice']);
      assert.equal(held - (await chain.millionths('alice')), 20_000_000n + 500_000n + 10_000n);
      expect(
        has({ escrow_id: 1, coin_balance: '20.000000 COIN', pending_fee: '0.500000 COIN', to_approved: false }),
        await escrow(chain, 1),
      );
    }),
    dev.story('escrow_approve', '', async (chain) => {
      const parties = await proposed(chain, 2);
      await stands(chain, ['escrow_approve', { ...parties, who: 'carol', approve: true }], ['carol']);
      expect(has({ agent_approved: true, to_approved: false }), await escrow(chain, 2));
      await stands(chain, ['escrow_approve', { ...parties, who: 'bob', approve: false }], ['bob']);
      assert.equal(await escrow(chain, 2), null);
    }),
    dev.story('escrow_dispute', '', async (chain) => {
      const parties = await approved(chain, 3);
      await stands(chain, ['escrow_dispute', { ...parties, who: 'bob' }], ['bob']);
      expect(has({ disputed: true }), await escrow(chain, 3));
    }),
    dev.story('escrow_release', 'a zero sbd_amount may come along', async (chain) => {
      const parties = await approved(chain, 4);
      const held = await chain.millionths('bob');
      const amounts = { sbd_amount: units('0', 3, '@@000000013'), coin_amount: units('5000001', 6, '@@000000021') };
      await chain.send([['escrow_release', { ...parties, who: 'alice', receiver: 'bob', ...amounts }]], 'alice');
      assert.equal((await chain.millionths('bob')) - held, 5_000_001n);
      expect(has({ coin_balance: '14.999999 COIN' }), await escrow(chain, 4));
    }),
    dev.story('escrow_release', 'another sbd_amount than zero is refused by name', async (chain) => {
      const parties = await approved(chain, 5);
      const amounts = { sbd_amount: units('1000', 3, '@@000000013'), coin_amount: units('1000000', 6, '@@000000021') };
      const op = ['escrow_release', { ...parties, who: 'alice', receiver: 'bob', ...amounts }];
      assert.match((await chain.refusal('alexandria_api.create_simple_transaction', { op })).message, /sbd_amount/);
    }),
  ],
};
