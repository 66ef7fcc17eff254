import assert from 'node:assert/strict';
import { at, listMember, numberMember, textMember, type Json } from '../outside/json.ts';
import { transfer, type Chain } from './chain.ts';
import { nameOfSeed, PREFIX, publicKey, wif } from './keys.ts';
import { call, expect, on, refusal, type Section } from './lines.ts';
import { has, hex, id40, integer, matching, publicKeyText, signatureText, text, time, wifText } from './shapes.ts';

const { row, story } = on('dev');
const wallet = on('wallet');

const NAI = '@@000000021';

const EMPTY = {
  ref_block_num: 0,
  ref_block_prefix: 0,
  operations: [transfer('alice', 'bob', '1')],
  extensions: [],
  signatures: [],
};

/** Amounts as users write them, and as they come back. */
const amounts: readonly (readonly [string, string])[] = [
  ['1', '1.000000'],
  ['2.5', '2.500000'],
  ['0.25', '0.250000'],
  ['10.125', '10.125000'],
  ['3.0625', '3.062500'],
  ['4.03125', '4.031250'],
  ['0.000001', '0.000001'],
  ['5000000', '5000000.000000'],
  ['987654321.987654', '987654321.987654'],
];

export const conventions: Section = {
  title: 'Resources and their fields / Conventions',
  lines: [
    ...['alice', 'bob the builder', 'Zoë'].map((seed) =>
      row(
        'account name',
        call('alexandria_api.get_account_name_from_seed', { seed }),
        { account_name: nameOfSeed(seed) },
        `the name of the seed ${seed}`,
      ),
    ),
    story('account name', 'get_account takes a seed or a name', async (chain) => {
      const { name } = await seeded(chain);
      expect(
        { account: [has({ name })] },
        await chain.ask('alexandria_api.get_account', { account_name: 'some seed' }),
      );
      expect({ account: [has({ name })] }, await chain.ask('alexandria_api.get_account', { account_name: name }));
    }),
    story('account name', 'get_accounts takes seeds and names', async (chain) => {
      const { name } = await seeded(chain);
      const found = await chain.ask('alexandria_api.get_accounts', { account_names: ['some seed', 'alice', name] });
      expect({ accounts: [has({ name }), has({ name: 'alice' }), has({ name })] }, found);
    }),
    story('account name', 'writing takes the chain name only', async (chain) => {
      const { name, label } = await seeded(chain);
      await chain.send([transfer('alice', name, '1')], 'alice');
      const seed = await chain.account('plainseed');
      await chain.refused('', [transfer('alice', 'plainseed', '1')], 'alice');
      await chain.refused('', [transfer('plainseed', 'alice', '0.1')], seed.label, label);
    }),
    row(
      'account name',
      refusal('alexandria_api.transfer', { from: 'alice', to: 'bob.smith', amount: '1 COIN', memo: '' }),
      has({ code: -32602, message: matching(/\bto\b.*"?\./) }),
      'what cannot be a name is refused, with the member and the character',
    ),
    row('public key', call('alexandria_api.get_public_key', { private_key: wif('anybody') }), {
      public_key: publicKey('anybody'),
    }),
    story('public key', 'all have the one prefix', async (chain) => {
      const keys = [
        await chain.ask('alexandria_api.generate_key_pair'),
        await chain.ask('alexandria_api.generate_key_pair'),
      ];
      for (const pair of keys) assert.ok(textMember(pair, 'key_pair.pub_key').startsWith(PREFIX));
      const foreign = publicKey('alice').replace(PREFIX, 'STM');
      assert.equal((await chain.refusal('alexandria_api.create_simple_authority', { pub_key: foreign })).code, -32602);
    }),
    row('private key', call('alexandria_api.generate_key_pair'), {
      key_pair: { pub_key: publicKeyText, wif_priv_key: wifText },
    }),
    story('private key', 'what is generated is the private key of its public key', async (chain) => {
      const pair = await chain.ask('alexandria_api.generate_key_pair');
      const answer = await chain.ask('alexandria_api.get_public_key', {
        private_key: at(pair, 'key_pair.wif_priv_key'),
      });
      expect({ public_key: at(pair, 'key_pair.pub_key') }, answer);
    }),
    ...amounts.map(([written, shown]) =>
      row(
        'asset string',
        call('alexandria_api.transfer', { from: 'alice', to: 'bob', amount: `${written} COIN`, memo: '' }),
        { op: ['transfer', has({ amount: `${shown} COIN` })] },
        `${written} COIN is shown with six fraction digits`,
      ),
    ),
    row('asset string', call('alexandria_api.withdraw_vesting', { from: 'alice', vesting_shares: '7.5 VESTS' }), {
      op: ['withdraw_vesting', has({ vesting_shares: '7.500000 VESTS' })],
    }),
    ...['0.0000001 COIN', '1', 'COIN', '1,5 COIN', '-1 COIN'].map((amount) =>
      row(
        'asset string',
        refusal('alexandria_api.transfer', { from: 'alice', to: 'bob', amount, memo: '' }),
        has({ code: -32602, message: matching(/amount/) }),
        `${amount} is none`,
      ),
    ),
    wallet.story('asset string', 'the wallet takes an amount without fraction digits and gives six', async (daemon) => {
      const built = await daemon.ask('transfer', 'alice', 'bob', '3 COIN', '', false);
      expect(['transfer', has({ amount: '3.000000 COIN' })], at(built, 'operations.0'));
    }),
    ...['EUR', 'USD', 'CNY', 'GBP'].map((symbol) =>
      row(
        'asset string',
        call('database_api.get_feed_history', { symbol }),
        has({ symbol }),
        `there is a feed in ${symbol}`,
      ),
    ),
    story('asset object', 'amount and symbol in feed_publish, in and out', async (chain) => {
      const exchange_rate = { base: { amount: '1.5', symbol: 'COIN' }, quote: { amount: '0.25', symbol: 'USD' } };
      const { id } = await chain.sent([['feed_publish', { publisher: 'initminer', exchange_rate }]], 'initminer');
      const shown = { base: { amount: '1.500000', symbol: 'COIN' }, quote: { amount: '0.250000', symbol: 'USD' } };
      expect(['feed_publish', has({ exchange_rate: shown })], await operation(chain, id));
    }),
    story(
      'asset object',
      'amount and symbol in escrow_transfer, amount, precision and nai in escrow_release, in and out',
      async (chain) => {
        const parties = { from: 'alice', to: 'bob', agent: 'carol', escrow_id: 77 };
        const times = {
          ratification_deadline: await chain.futureTime(3600),
          escrow_expiration: await chain.futureTime(7200),
        };
        const coins = {
          coin_amount: { amount: '12.5', symbol: 'COIN' },
          escrow_fee: { amount: '0.25', symbol: 'COIN' },
        };
        const sent = await chain.sent(
          [['escrow_transfer', { ...parties, ...times, ...coins, json_meta: '' }]],
          'alice',
        );
        const shown = {
          coin_amount: { amount: '12.500000', symbol: 'COIN' },
          escrow_fee: { amount: '0.250000', symbol: 'COIN' },
        };
        expect(['escrow_transfer', has(shown)], await operation(chain, sent.id));

        for (const who of ['bob', 'carol'])
          await chain.send([['escrow_approve', { ...parties, who, approve: true }]], who);
        const nothing = { amount: '0', precision: 6, nai: NAI };
        const coin_amount = { amount: '2500000', precision: 6, nai: NAI };
        const release = { ...parties, who: 'alice', receiver: 'bob', sbd_amount: nothing, coin_amount };
        const { id } = await chain.sent([['escrow_release', release]], 'alice');
        expect(
          ['escrow_release', has({ coin_amount: { amount: '2500000', precision: integer, nai: text } })],
          await operation(chain, id),
        );
      },
    ),
    row('timestamp', call('alexandria_api.info'), { info: has({ time }) }),
    ...['2099-01-31T12:00:00Z', '2099-01-31T12:00:00.5', '2099-01-31T12:00:00.123456789Z'].map((written) =>
      story('timestamp', `${written} is understood on input`, async (chain) => {
        const [plain, other] = ['2099-01-31T12:00:00', written].map((expiration) =>
          chain.ask('alexandria_api.get_transaction_id', { tx: { ...EMPTY, expiration } }),
        );
        assert.deepEqual(await other, await plain);
      }),
    ),
    ...['2099-01-31', '2099-01-31T12:00:00+02:00', '2099-02-30T12:00:00', '1548936000'].map((expiration) =>
      row(
        'timestamp',
        refusal('alexandria_api.get_transaction_id', { tx: { ...EMPTY, expiration } }),
        has({ code: -32602, message: matching(/expiration/) }),
        `${expiration} is none`,
      ),
    ),
    story('transaction id, block id', "40 hex digits, a block's begin with its number", async (chain) => {
      const { id, block } = await paid(chain);
      expect(id40, id);
      const found = await chain.ask('alexandria_api.get_block', { num: block });
      expect(
        {
          block: has({
            block_id: matching(new RegExp(`^${block.toString(16).padStart(8, '0')}[0-9a-f]{32}$`)),
            previous: id40,
          }),
        },
        found,
      );
      assert.equal(listMember(found, 'block.transaction_ids')[0], id);
    }),
    row(
      'digest',
      call('alexandria_api.get_transaction_digest', async (chain) => ({
        tx: await chain.signed([transfer('alice', 'bob', '1')]),
      })),
      { tx_digest: hex(64) },
    ),
    row('signature', call('alexandria_api.sign_digest', { digest: 'ab'.repeat(32), pk: wif('alice') }), {
      signed_digest: signatureText,
    }),
    story('signature', 'of a transaction in a block', async (chain) => {
      const { id } = await paid(chain);
      expect([signatureText], at(await chain.ask('alexandria_api.get_transaction', { tx_id: id }), 'tx.signatures'));
    }),
    ...['alice', 'judy'].map((account_name) =>
      story(
        'satoshi unit',
        `the balance of ${account_name} is a number of millionths, however large`,
        async (chain) => {
          const answer = await chain.ask('alexandria_api.get_account_balance', { account_name });
          expect({ account_balance: integer }, answer);
          assert.equal(BigInt(numberMember(answer, 'account_balance')), await chain.millionths(account_name));
        },
      ),
    ),
    ...['300000', '5000.5'].map((coins) =>
      story('satoshi unit', `${coins} VESTS are a number of millionths too`, async (chain) => {
        await chain.send([['transfer_to_vesting', { from: 'ivan', to: '', amount: `${coins} COIN` }]], 'ivan');
        const answer = await chain.ask('alexandria_api.get_vesting_balance', { account_name: 'ivan' });
        expect({ vesting_balance: integer }, answer);
        assert.equal(BigInt(numberMember(answer, 'vesting_balance')), await chain.millionths('ivan', 'vesting_shares'));
      }),
    ),
  ],
};

const seeded = (chain: Chain) => chain.once('some seed', () => chain.account('some seed'));
const paid = (chain: Chain) =>
  chain.once('a payment', () => chain.sent([transfer('alice', 'bob', '1.5', 'paid')], 'alice'));

/** The first operation of a transaction, as alexandria_api shows it. */
async function operation(chain: Chain, id: string): Promise<Json> {
  return at(await chain.ask('alexandria_api.get_transaction', { tx_id: id }), 'tx.operations.0');
}
