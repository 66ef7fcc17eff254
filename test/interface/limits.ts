import assert from 'node:assert/strict';
import type { Json } from '../outside/json.ts';
import { accountCreate, authorityMembers, transfer } from './chain.ts';
import { recoveryRequest, requests, robbed, setReset, witness } from './deeds.ts';
import { publicKey } from './keys.ts';
import { call, expect, on, refusal, type Section } from './lines.ts';
import { anything, has, integer, listCheck, noList, text } from './shapes.ts';

const dev = on('dev');
const hurried = on('hurried');
const privateNet = on('private net');

const DAY_SECONDS = 86_400;

export const limits: Section = {
  title: 'Limits',
  lines: [
    dev.story('Recovery request lifetime', '24 hours', async (chain) => {
      const { name } = await chain.account('asked for a day');
      const expires = await chain.futureTime(DAY_SECONDS);
      await chain.send([recoveryRequest(name, authorityMembers('fresh'))], 'alice');
      expect({ requests: [has({ expires })] }, await requests(chain, name));
    }),
    hurried.story('Owner authority valid for recovery', 'past 30 days', async (chain) => {
      const { name } = await robbed(chain, 'remembered for 30 days');
      const past = (): Promise<Json> => chain.ask('database_api.find_owner_histories', { owner: name });
      await chain.days(29.9);
      expect({ owner_auths: [anything] }, await past());
      await chain.days(0.2);
      expect({ owner_auths: noList }, await past());
    }),
    dev.story('Recovery account change delay', '30 days', async (chain) => {
      const { name, label } = await chain.account('to change in 30 days');
      const effective_on = await chain.futureTime(30 * DAY_SECONDS);
      await chain.send(
        [['change_recovery_account', { account_to_recover: name, new_recovery_account: 'bob', extensions: [] }]],
        label,
      );
      const found = await chain.ask('database_api.find_change_recovery_account_requests', { accounts: [name] });
      expect({ requests: [has({ effective_on })] }, found);
    }),
    hurried.story('Inactivity before a reset', '60 days', async (chain) => {
      const { name, label } = await chain.account('idle for 60 days');
      await chain.send([setReset(name, 'none', 'bob')], label);
      const reset = [
        'reset_account',
        { reset_account: 'bob', account_to_reset: name, new_owner_authority: authorityMembers('woken') },
      ];
      await chain.days(59.9);
      await chain.refused('account_active', [reset], 'bob');
      await chain.days(0.1);
      await chain.send([reset], 'bob');
    }),
    hurried.story('Minimum vesting duration', 'one coin year', async (chain) => {
      const { name, label } = await chain.account('vesting for a coin year', '10');
      await chain.send([['transfer_to_vesting', { from: name, to: '', amount: '5 COIN' }]], label);
      const withdraw = ['withdraw_vesting', { account: name, vesting_shares: '5 VESTS' }];
      await chain.days(364.9);
      await chain.refused('vesting_too_young', [withdraw], label);
      await chain.days(31.1);
      await chain.send([withdraw], label);
    }),
    hurried.story(
      'Dilution protection',
      'shares are owed while less than 90% of the coin is vesting',
      async (chain) => {
        const name = 'stranger-5';
        await chain.send([['transfer_to_vesting', { from: name, to: '', amount: '1000000 COIN' }]], name);
        await chain.produce(20);
        assert.ok((await chain.millionths(name, 'owed_vesting_shares')) > 0n);
      },
    ),
    dev.story('Withdrawal period', '27 days, daily', async (chain) => {
      const { name, label } = await chain.account('withdrawing for 27 days', '60');
      await chain.send([['transfer_to_vesting', { from: name, to: '', amount: '54 COIN' }]], label);
      await chain.send([['withdraw_vesting', { account: name, vesting_shares: '40.5 VESTS' }]], label);
      expect(has({ vesting_withdraw_rate: '1.500000 VESTS', to_withdraw: 40_500_000 }), await chain.record(name));
    }),
    dev.row('Witnesses in a round', call('database_api.get_config'), has({ COIN_MAX_WITNESSES: 51 })),
    hurried.row('Template maximum block size', call('alexandria_api.get_dynamic_global_properties'), {
      properties: has({ maximum_block_size: 262_144 }),
    }),
    dev.story('Template maximum block size', 'in the props of a witness', async (chain) => {
      const props = { account_creation_fee: '0.050000 COIN', maximum_block_size: 262_144, price_feeds: [] };
      const update = { owner: 'initminer', url: 'https://i.example', block_signing_key: publicKey('initminer'), props };
      await chain.send(
        [
          ['transfer_to_vesting', { from: 'initminer', to: '', amount: '250000 COIN' }],
          ['witness_update', update],
        ],
        'initminer',
      );
      expect(has({ props: has({ maximum_block_size: 262_144 }) }), await witness(chain, 'initminer'));
    }),
    dev.row('Required vesting to be a witness', call('alexandria_api.info'), {
      info: has({ witness_required_vesting: '250000.000000 VESTS' }),
    }),
    ...(
      [
        ['249999.999999', false],
        ['250000', true],
      ] as const
    ).map(([coins, isEnough]) =>
      dev.story(
        'Required vesting to be a witness',
        `${coins} VESTS are ${isEnough ? 'enough' : 'too few'}`,
        async (chain) => {
          const { name, label } = await chain.account(`witness of ${coins}`);
          await chain.send([['transfer_to_vesting', { from: 'alice', to: name, amount: `${coins} COIN` }]], 'alice');
          const props = { account_creation_fee: '0.050000 COIN', maximum_block_size: 262_144, price_feeds: [] };
          const update = [
            'witness_update',
            { owner: name, url: 'https://w.example', block_signing_key: publicKey(label), props },
          ];
          if (isEnough) await chain.send([update], label);
          else await chain.refused('', [update], label);
        },
      ),
    ),
    privateNet.row(
      'Schedule constants',
      call('database_api.get_witness_schedule'),
      has({ max_voted_witnesses: 47, max_runner_witnesses: 4, hardfork_required_witnesses: 31 }),
      'those that fit in a round of 51',
    ),
    dev.story('Defaults', 'of the history of an account', async (chain) => {
      await chain.send([transfer('alice', 'bob', '1', 'for the history')], 'alice');
      const history = async (params: Json): Promise<Json> =>
        await chain.ask('account_history_api.get_account_history', params);
      const plain = await history({ account: 'bob' });
      expect(has({ history: listCheck(anything) }), plain);
      assert.deepEqual(plain, await history({ account: 'bob', start: -1, limit: 1000, reverse_order: false }));
    }),
    dev.story('Default / count 10', '', async (chain) => {
      const document = (n: number): Json => [
        'custom_json',
        { sender: 'ivan', recipients: ['judy'], app_id: 321, json: `{"n":${n}}` },
      ];
      await chain.send(
        Array.from({ length: 11 }, (_, n) => document(n)),
        'ivan',
      );
      const search = { app_id: 321, account_name: 'judy', search_type: 'by_recipient_reverse', start: '1' };
      const ten = await chain.ask('alexandria_api.get_received_documents', { ...search, count: 10 });
      assert.deepEqual(await chain.ask('alexandria_api.get_received_documents', search), ten);
    }),
    ...['broadcast_transaction', 'broadcast_transaction_synchronous'].map((name) =>
      dev.row(
        'Default / max_block_age -1',
        call('jsonrpc.get_signature', { method: `network_broadcast_api.${name}` }),
        has({ args: has({ max_block_age: -1 }) }),
        name,
      ),
    ),
    ...(
      [
        ['database_api.list_accounts', { start: null, order: 'by_name' }, 1000],
        ['database_api.list_witnesses', { start: null, order: 'by_name' }, 1000],
        ['account_history_api.get_account_history', { account: 'judy', start: -1 }, 10_000],
      ] as const
    ).flatMap(([method, params, most]) => [
      dev.row(
        'Rate limits, request size limits and maximum page sizes',
        call(method, { ...params, limit: most }),
        anything,
        `${method}: ${most}`,
      ),
      dev.row(
        'Rate limits, request size limits and maximum page sizes',
        refusal(method, { ...params, limit: most + 1 }),
        has({ code: integer, message: text }),
        `${method}: not ${most + 1}`,
      ),
    ]),
    ...(
      [
        ['a memo of 2047 bytes', transfer('alice', 'bob', '1', 'm'.repeat(2047)), ''],
        ['a memo of 2048 bytes', transfer('alice', 'bob', '1', 'm'.repeat(2048)), 'memo_too_large'],
        ['a seed of 32 bytes', accountCreate('s'.repeat(32)), ''],
        ['a seed of 33 bytes', accountCreate('s'.repeat(33)), 'name_seed_too_large'],
      ] as const
    ).map(([what, operation, reason]) =>
      dev.story(
        'Maximum lengths of memo, json, metadata and names',
        `${what}: ${reason === '' ? 'accepted' : 'refused'}`,
        async (chain) => {
          if (reason === '') await chain.send([operation], 'alice');
          else await chain.refused(reason, [operation], 'alice');
        },
      ),
    ),
  ],
};
