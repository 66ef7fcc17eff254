import assert from 'node:assert/strict';
import { at, textMember } from '../outside/json.ts';
import { authorityMembers, toMillionths, transfer } from './chain.ts';
import { nameOfSeed, publicKey as key } from './keys.ts';
import { expect, on, type Section } from './lines.ts';
import {
  anything,
  coin,
  has,
  id40,
  integer,
  list,
  listCheck,
  listIncluding,
  matching,
  publicKeyText,
  signatureText,
  time,
  vests,
  wifText,
  historyEntry,
} from './shapes.ts';
import type { WalletDaemon } from './wallet_daemon.ts';

const { row, story } = on('wallet');

const processed = { transaction_id: id40, block_num: integer, transaction_num: integer };
const signed = {
  ref_block_num: integer,
  ref_block_prefix: integer,
  expiration: time,
  extensions: list,
  signatures: [signatureText],
};
export const wallet: Section = {
  title: 'Endpoints / Command-line wallet (positional params; result envelope `{id, result}`)',
  lines: [
    story('create_account_with_keys', '', async (daemon) => {
      const made = await daemon.sent(
        'create_account_with_keys',
        'alice',
        'of the wallet',
        '{"a":1}',
        key('o'),
        key('a'),
        key('m'),
        true,
      );
      const body = {
        fee: coin,
        creator: 'alice',
        name_seed: 'of the wallet',
        owner: authorityMembers('o'),
        active: authorityMembers('a'),
        memo_key: key('m'),
      };
      expect(
        { ...signed, operations: [['account_create', { ...body, json_metadata: '{"a":1}' }]], ...processed },
        made,
      );
      expect(
        [has({ name: nameOfSeed('of the wallet'), owner: authorityMembers('o') })],
        await daemon.ask('get_account', 'of the wallet'),
      );
    }),
    ...['alice', 'initminer'].map((name) =>
      row(
        'get_account',
        (daemon) => daemon.ask('get_account', name),
        [has({ id: integer, name, balance: coin, vesting_shares: vests, witness_votes: list })],
        name,
      ),
    ),
    ...(
      [
        [-1, 0, [3]],
        [-1, 1, [2, 3]],
        [2, 1, [1, 2]],
        [1, 100, [0, 1]],
        [0, 0, [0]],
      ] as const
    ).map(([from, limit, sequences]) =>
      row(
        'get_account_history',
        async (daemon) => await daemon.ask('get_account_history', await fourEntries(daemon), from, limit),
        sequences.map((sequence) => [sequence, historyEntry]),
        `from ${from}, limit ${limit}`,
      ),
    ),
    row(
      'get_block',
      async (daemon) => await daemon.ask('get_block', (await sent(daemon)).block),
      has({ previous: id40, block_id: id40, transaction_ids: listCheck(id40) }),
    ),
    row(
      'get_ops_in_block',
      async (daemon) => await daemon.ask('get_ops_in_block', (await sent(daemon)).block, false),
      listIncluding({ ...historyEntry, op: ['transfer', anything] }),
    ),
    row(
      'get_ops_in_block',
      async (daemon) => await daemon.ask('get_ops_in_block', (await sent(daemon)).block, true),
      listCheck({ ...historyEntry, op: ['producer_reward', anything] }),
      'only virtual ones',
    ),
    story('get_transaction', '', async (daemon) => {
      const { id, block, place } = await sent(daemon);
      const there = { transaction_id: id, block_num: block, transaction_num: place };
      expect({ ...signed, operations: [['transfer', anything]], ...there }, await daemon.ask('get_transaction', id));
    }),
    ...[
      ['1 COIN', '1.000000 COIN'],
      ['2.5 COIN', '2.500000 COIN'],
      ['1234567.891011 COIN', '1234567.891011 COIN'],
    ].map(([amount = '', shown = '']) =>
      story('transfer', `${amount}, sent`, async (daemon) => {
        const held = await daemon.chain.millionths('carol');
        const done = await daemon.sent('transfer', 'alice', 'carol', amount, 'from the wallet', true);
        const body = { fee: coin, from: 'alice', to: 'carol', amount: shown, memo: 'from the wallet' };
        expect({ ...signed, operations: [['transfer', body]], ...processed }, done);
        assert.equal((await daemon.chain.millionths('carol')) - held, toMillionths(shown));
      }),
    ),
    story('transfer', 'signed and not sent', async (daemon) => {
      const held = await daemon.chain.millionths('bob');
      const made = await daemon.ask('transfer', 'alice', 'bob', '1 COIN', 'kept', false);
      expect({ ...signed, operations: [['transfer', anything]] }, made);
      await daemon.chain.produce();
      assert.equal(await daemon.chain.millionths('bob'), held);
    }),
    story('transfer_to_vesting', '', async (daemon) => {
      const held = await daemon.chain.millionths('carol', 'vesting_shares');
      const done = await daemon.sent('transfer_to_vesting', 'alice', 'carol', '7 COIN', true);
      expect(
        {
          ...signed,
          operations: [['transfer_to_vesting', { fee: coin, from: 'alice', to: 'carol', amount: '7.000000 COIN' }]],
          ...processed,
        },
        done,
      );
      assert.equal((await daemon.chain.millionths('carol', 'vesting_shares')) - held, 7_000_000n);
    }),
    story('withdraw_vesting', '', async (daemon) => {
      await daemon.sent('transfer_to_vesting', 'bob', 'bob', '54 COIN', true);
      const done = await daemon.sent('withdraw_vesting', 'bob', '27 VESTS', true);
      expect(
        {
          ...signed,
          operations: [['withdraw_vesting', { fee: coin, account: 'bob', vesting_shares: '27.000000 VESTS' }]],
          ...processed,
        },
        done,
      );
      expect([has({ vesting_withdraw_rate: '1.000000 VESTS' })], await daemon.ask('get_account', 'bob'));
    }),
    ...(
      [
        ['get_account', ['alice', 'bob', 'carol']],
        ['transfer', ['alice', 'bob', '1 COIN', '', false, 'more']],
        ['get_block', [1, 2]],
      ] as const
    ).map(([method, params]) =>
      row(
        method,
        (daemon) => daemon.refusal(method, ...params),
        matching(new RegExp(`\\b${params.length}\\b`)),
        `${params.length} params are too many`,
      ),
    ),

    row(
      'which returns a pair of keys',
      (daemon) => daemon.ask('suggest_brain_key'),
      has({ pub_key: publicKeyText, wif_priv_key: wifText }),
    ),
    story('The account creation fee is paid by the creator', 'as much as info shows', async (daemon) => {
      const fee = textMember(await daemon.ask('info'), 'account_creation_fee');
      const held = await daemon.chain.millionths('bob');
      await daemon.sent('create_account_with_keys', 'bob', 'paid by bob', '{}', key('o'), key('a'), key('m'), true);
      assert.equal(held - (await daemon.chain.millionths('bob')), toMillionths(fee));
    }),
    story('controllable by the wallet only if its private key is imported', '', async (daemon) => {
      const pair = await daemon.ask('suggest_brain_key');
      const owner = textMember(pair, 'pub_key');
      await daemon.sent('create_account_with_keys', 'alice', 'imported later', '{}', owner, owner, owner, true);
      const name = nameOfSeed('imported later');
      await daemon.sent('transfer', 'alice', name, '2 COIN', '', true);
      assert.notEqual(await daemon.refusal('transfer', name, 'bob', '1 COIN', '', true), '');
      await daemon.ask('import_key', at(pair, 'wif_priv_key'));
      expect(has(processed), await daemon.sent('transfer', name, 'bob', '1 COIN', '', true));
    }),
  ],
};

const sent = (daemon: WalletDaemon) =>
  daemon.chain.once('by the wallet', () => daemon.chain.sent([transfer('alice', 'judy', '1.5', 'looked up')], 'alice'));

/** An account with four entries in its history, 0 to 3. */
async function fourEntries({ chain }: WalletDaemon): Promise<string> {
  return await chain.once('four entries', async () => {
    const { name } = await chain.account('with four entries');
    for (const memo of ['1', '2', '3']) await chain.send([transfer('alice', name, '1', memo)], 'alice');
    return name;
  });
}
