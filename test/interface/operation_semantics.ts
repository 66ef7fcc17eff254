import assert from 'node:assert/strict';
import { at, listMember, textMember, type Json } from '../outside/json.ts';
import { toMillionths, STRANGERS, transfer, type Chain } from './chain.ts';
import { becomeWitness, beginRound, escrowBody, escrowParties, witness } from './deeds.ts';
import { publicKey } from './keys.ts';
import { expect, on, type Section } from './lines.ts';
import { ADMIN_UPDATE, ADMINISTERED } from './private_net.ts';
import { has, noList } from './shapes.ts';

const dev = on('dev');
const hurried = on('hurried');
const privateNet = on('private net');

const FEE = 10_000n;
const YEAR_DAYS = 365;
/** All coins that came in within this many days become free together. */
const LONGEST_BUCKET_DAYS = 31;

export const operationSemantics: Section = {
  title: 'Resources and their fields / Operation kinds and bodies',
  lines: [
    ...['0.000001', '1', '1234567.891011'].map((coins) =>
      dev.story('transfer moves COIN from one account to another', `${coins} COIN`, async (chain) => {
        const [from, to] = [await chain.millionths('ivan'), await chain.millionths('judy')];
        await chain.send([transfer('ivan', 'judy', coins)], 'ivan');
        assert.equal((await chain.millionths('judy')) - to, toMillionths(coins));
        assert.equal(from - (await chain.millionths('ivan')), toMillionths(coins) + FEE);
      }),
    ),
    dev.story('transfer moves COIN from one account to another', 'not more than there is', async (chain) => {
      const { name, label } = await chain.account('with one coin', '1');
      await chain.refused('insufficient_funds', [transfer(name, 'alice', '1.000001')], label);
    }),
    dev.story('transfer_to_vesting turns COIN into vesting shares (VESTS)', '', async (chain) => {
      const { name, label } = await chain.account('that vests', '10');
      await chain.send([['transfer_to_vesting', { from: name, to: name, amount: '7.5 COIN' }]], label);
      expect(has({ balance: '2.500000 COIN', vesting_shares: '7.500000 VESTS' }), await chain.record(name));
    }),

    hurried.story('A vesting must last at least one coin year', 'and no more than a twelfth longer', async (chain) => {
      const { name, label } = await chain.account('that vests for a year', '100');
      await chain.send([['transfer_to_vesting', { from: name, to: '', amount: '54 COIN' }]], label);
      const withdraw = ['withdraw_vesting', { account: name, vesting_shares: '54 VESTS' }];
      await chain.refused('vesting_too_young', [withdraw], label);
      await chain.days(YEAR_DAYS - 1);
      await chain.refused('vesting_too_young', [withdraw], label);
      await chain.days(1 + LONGEST_BUCKET_DAYS);
      await chain.send([withdraw], label);
      expect(has({ to_withdraw: 54_000_000 }), await chain.record(name));
    }),
    hurried.story('protected against dilution', 'rewards do not lessen the part of who holds shares', async (chain) => {
      const name = 'stranger-1';
      await chain.send([['transfer_to_vesting', { from: name, to: '', amount: '2900000 COIN' }]], name);
      const before = await fetchPart(chain, name);
      await chain.produce(40);
      const after = await fetchPart(chain, name);
      assert.ok(after.supply > before.supply, 'rewards were paid');
      assert.ok(after.owed > 0n, 'shares are owed');
      assert.ok(
        after.shares * before.supply >= before.shares * after.supply,
        `${after.shares} of ${after.supply} now, ${before.shares} of ${before.supply} before`,
      );
    }),
    hurried.story('protected against dilution', 'no more once 90% of the coin is vesting', async (chain) => {
      const id = at(await chain.ask('debug_api.snapshot'), 'id');
      await vestNearlyAll(chain);
      const before = await fetchPart(chain, 'stranger-2');
      await chain.produce(3);
      const after = await fetchPart(chain, 'stranger-2');
      await chain.ask('debug_api.revert', { id });
      assert.ok(after.supply > before.supply, 'rewards were paid');
      assert.equal(after.owed, before.owed);
    }),

    dev.story(
      'transfer_from_promotion_pool recovers funds from the promotion pool',
      'the pool is the poorer for it',
      async (chain) => {
        await chain.produce(10); // each block frees some 0.057 coins of the pool
        const [pool, held] = [await fetchPool(chain), await chain.millionths('erin')];
        await chain.send([fromPool('erin', '0.400000 COIN')], 'initminer');
        assert.equal((await chain.millionths('erin')) - held, 400_000n);
        assert.ok((await fetchPool(chain)) < pool);
      },
    ),
    dev.story(
      'transfer_from_promotion_pool recovers funds from the promotion pool',
      'only by the account initminer',
      async (chain) => {
        await chain.refused('missing_active_authority', [fromPool('alice', '0.000001 COIN')], 'alice');
      },
    ),
    dev.story('account_update updates the keys of an existing account', 'of no other', async (chain) => {
      const update = (account: string): Json => [
        'account_update',
        { account, memo_key: publicKey('new'), json_metadata: '' },
      ];
      await chain.send([update('carol')], 'carol');
      expect(has({ memo_key: publicKey('new') }), await chain.record('carol'));
      await chain.refused('', [update('nobody')], 'carol');
    }),
    dev.story('account_witness_proxy sets the voting proxy', '', async (chain) => {
      const { name, label } = await chain.account('with a proxy');
      await chain.send([proxy(name, 'bob')], label);
      expect(has({ voting_proxy: 'bob' }), await chain.record(name));
      await chain.send([proxy(name, 'carol')], label);
      expect(has({ voting_proxy: 'carol' }), await chain.record(name));
    }),
    dev.story('An empty proxy removes it', '', async (chain) => {
      const { name, label } = await chain.account('without a proxy');
      await chain.send([proxy(name, 'bob')], label);
      await chain.send([proxy(name, '')], label);
      expect(has({ voting_proxy: '' }), await chain.record(name));
    }),
    dev.story('witness_stop deletes the witness object owned by the account', '', async (chain) => {
      await becomeWitness(chain, 'alice');
      await chain.send([['account_witness_vote', { account: 'bob', witness: 'alice', approve: true }]], 'bob');
      await chain.send([['witness_stop', { fee: '0.010000 COIN', owner: 'alice' }]], 'alice');
      assert.equal(await witness(chain, 'alice'), null);
      expect({}, await chain.ask('alexandria_api.get_witness', { owner_account: 'alice' }));
      expect(has({ witness_votes: noList }), await chain.record('bob'));
    }),
    dev.story('witness_set_properties replaces witness_update, which is still accepted', '', async (chain) => {
      await becomeWitness(chain, 'bob');
      const url = Buffer.from('https://by.properties').toString('hex');
      await chain.send([['witness_set_properties', { owner: 'bob', props: { url }, extensions: [] }]], 'bob');
      expect(has({ url: 'https://by.properties', signing_key: publicKey('bob') }), await witness(chain, 'bob'));
      const props = { account_creation_fee: '0.050000 COIN', maximum_block_size: 262_144, price_feeds: [] };
      const update = { owner: 'bob', url: 'https://by.update', block_signing_key: publicKey('bob'), props };
      await chain.send([['witness_update', update]], 'bob');
      expect(has({ url: 'https://by.update' }), await witness(chain, 'bob'));
    }),
    dev.story('admin_witness_update works only in private nets', 'not on a public chain', async (chain) => {
      await chain.refused('in_private_nets_only', [ADMIN_UPDATE], 'initminer');
    }),
    privateNet.story('admin_witness_update works only in private nets', 'there it does', async (net) => {
      await net.administered();
      expect(has({ url: ADMINISTERED.url }), await witness(net, 'initminer'));
    }),
    dev.story('feed_publish is allowed only to the top N witnesses of the round', '', async (chain) => {
      await chain.refused('', [feed('alice', '1 COIN', '0.3 USD')], 'alice');
      await beginRound(chain);
      await becomeWitness(chain, 'carol'); // it has no part in the round that runs
      await chain.refused('publisher_not_in_round', [feed('carol', '1 COIN', '0.3 USD')], 'carol');
      await chain.send([feed('initminer', '1 COIN', '0.3 USD')], 'initminer');
    }),
    ...[
      ['1 COIN', '0.3 EUR', true],
      ['0.3 CNY', '1 COIN', true],
      ['1 EUR', '0.3 USD', false],
      ['1 COIN', '2 COIN', false],
      ['0 COIN', '1 USD', false],
      ['1 COIN', '1 JPY', false],
    ].map(([base, quote, isQuote]) =>
      dev.story(
        'quotes the value of the coin in a fiat currency',
        `${base} is ${quote}: ${isQuote ? 'accepted' : 'refused'}`,
        async (chain) => {
          const operation = feed('initminer', String(base), String(quote));
          if (isQuote) await chain.send([operation], 'initminer');
          else await chain.refused('not_a_price', [operation]);
        },
      ),
    ),
    dev.story(
      'identified by the pair (`from`, `escrow_id`)',
      'another sender may choose the same number, the same may not',
      async (chain) => {
        const body = await escrowBody(chain, 4_000_000_000);
        await chain.send([['escrow_transfer', body]], 'alice');
        await chain.refused('', [['escrow_transfer', { ...body, json_meta: '{"again":1}' }]], 'alice');
        await chain.send([['escrow_transfer', { ...body, from: 'dave' }]], 'dave');
        await chain.send([['escrow_transfer', { ...body, escrow_id: 7 }]], 'alice');
      },
    ),
    dev.story('is paid it when all parties have approved', 'not before', async (chain) => {
      const held = await chain.millionths('carol');
      const parties = escrowParties(8);
      await chain.send([['escrow_transfer', await escrowBody(chain, 8)]], 'alice');
      await chain.send([['escrow_approve', { ...parties, who: 'carol', approve: true }]], 'carol');
      assert.equal((await chain.millionths('carol')) - held, -FEE);
      await chain.send([['escrow_approve', { ...parties, who: 'bob', approve: true }]], 'bob');
      assert.equal((await chain.millionths('carol')) - held, 500_000n - FEE);
    }),
  ],
};

function proxy(account: string, to: string): Json {
  return ['account_witness_proxy', { account, proxy: to }];
}

function feed(publisher: string, base: string, quote: string): Json {
  return ['feed_publish', { publisher, exchange_rate: { base, quote } }];
}

function fromPool(transfer_to: string, amount: string): Json {
  return ['transfer_from_promotion_pool', { fee: '0.000000 COIN', transfer_to, amount, extensions: [] }];
}

async function fetchPool(chain: Chain): Promise<bigint> {
  const pool = await chain.ask('database_api.get_promotion_pool_balance');
  return toMillionths(textMember({ pool }, 'pool'));
}

/** Returns an account's shares with the owed ones, the owed part, and the supply. */
async function fetchPart(
  chain: Chain,
  name: string,
): Promise<{ readonly shares: bigint; readonly owed: bigint; readonly supply: bigint }> {
  const owed = await chain.millionths(name, 'owed_vesting_shares');
  const supply = toMillionths(textMember(await chain.ask('alexandria_api.info'), 'info.current_supply'));
  return { shares: owed + (await chain.millionths(name, 'vesting_shares')), owed, supply };
}

/** All strangers and initminer vest what they have, in one block. */
async function vestNearlyAll(chain: Chain): Promise<void> {
  const names = ['initminer', ...STRANGERS];
  const PER_TRANSACTION = 24;
  for (let k = 0; k < names.length; k += PER_TRANSACTION) {
    const some = names.slice(k, k + PER_TRANSACTION);
    const records = listMember(await chain.ask('alexandria_api.get_accounts', { account_names: some }), 'accounts');
    const operations = records.map((record) => [
      'transfer_to_vesting',
      { from: at(record, 'name'), to: '', amount: at(record, 'balance') },
    ]);
    await chain.ask('network_broadcast_api.broadcast_transaction', { trx: await chain.signed(operations, ...some) });
  }
  await chain.produce();
}
