import assert from 'node:assert/strict';
import { test } from 'node:test';

import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import { accountBandwidths } from '../../src/state/tables/account_bandwidth.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { blocks } from '../../src/state/tables/block.ts';
import { economicModel } from '../../src/state/tables/economic_model.ts';
import { feedHistories } from '../../src/state/tables/feed_history.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { Refusal } from '../../src/base/refusal.ts';
import {
  assertSound,
  accountBalance,
  testKeyText,
  openChain,
  people,
  produce,
  testParameters,
  makeTransaction,
  transferJson,
} from '../builders/chain.ts';

const HOUR = 3600;
const free = '0.000000 COIN';

/** An hour a block: a day is 24 blocks. */
function hourly(): { readonly chain: Chain; readonly parameters: ChainParameters; readonly store: MemoryStore } {
  const parameters = testParameters({
    block_interval: HOUR,
    initial_witness_req_vesting_balance: 1_000_000,
    final_witness_req_vesting_balance: 1_000_000,
    max_witnesses: 10,
    max_voted_witnesses: 8,
  });
  const store = new MemoryStore();
  return { chain: openChain(parameters, store), parameters, store };
}

function accept(
  chain: Chain,
  parameters: ChainParameters,
  signer: string,
  operation: Parameters<typeof makeTransaction>[2][number],
): void {
  chain.accept(makeTransaction(chain, parameters, [operation], [signer], { expiration: chain.head.time + HOUR }));
}

test('a producer is paid from the first block behind the delay on, and its reward is noted before, as nothing', () => {
  const { chain, parameters, store } = hourly();
  for (let number = 1; number <= 24; number++) produce(chain);
  assert.equal(chain.committed.get(accounts, 'initminer')?.vesting_shares, 0n);
  assert.equal(chain.committed.get(blocks, 24)?.virtual_operations.length, 1);
  produce(chain);
  // Alone in the schedule, elected: all of the block's reward, which one year of hourly blocks makes large.
  const reward = chain.committed.only(economicModel).coinbase_block_reward;
  assert.equal(chain.committed.get(accounts, 'initminer')?.vesting_shares, reward);
  assert.equal(chain.committed.only(dynamicGlobalProperties).total_vesting_shares, reward);
  assertSound(chain, parameters, store);
});

test('what is sent to the null account is burned when the rules say so, and refused where no block could hold it', () => {
  const { chain, parameters, store } = hourly();
  produce(chain);
  accept(chain, parameters, 'alice', transferJson('alice', 'none', 5_000_000));
  produce(chain);
  assert.equal(accountBalance(chain, 'none'), 0n);
  assert.equal(chain.committed.only(economicModel).burn_pool, 5_001_000n);
  assertSound(chain, parameters, store);
  const old = testParameters({}, 'lineage');
  const strict = openChain(old);
  produce(strict);
  for (const operation of [
    transferJson('alice', 'none', 5_000_000),
    ['transfer_to_vesting', { fee: free, from: 'alice', to: 'none', amount: '5.000000 COIN' }],
  ]) {
    assert.throws(
      () => strict.accept(makeTransaction(strict, old, [operation], ['alice'])),
      (error) => error instanceof Refusal && error.code === 'supply_lost',
    );
  }
  assert.equal(produce(strict).transactions.length, 0);
});

test('witnesses are elected by votes at the end of a round, and the median of their prices becomes the price', () => {
  const { chain, parameters, store } = hourly();
  produce(chain);
  const rates = new Map(people.map((name, index) => [name, `${index + 1}.000000 COIN`]));
  for (const name of people) {
    accept(chain, parameters, name, [
      'transfer_to_vesting',
      { fee: free, from: name, to: '', amount: '10.000000 COIN' },
    ]);
    const props = { account_creation_fee: '0.100000 COIN', maximum_block_size: 131_072, price_feeds: [] };
    accept(chain, parameters, name, [
      'witness_update',
      { fee: free, owner: name, url: 'x', block_signing_key: testKeyText(name), props },
    ]);
    accept(chain, parameters, name, [
      'account_witness_vote',
      { fee: free, account: name, witness: name, approve: true },
    ]);
  }
  while (chain.head.number < 10) produce(chain);
  const schedule = chain.committed.only(witnessSchedule);
  assert.equal(schedule.num_scheduled_witnesses, 6);
  assert.equal(schedule.account_creation_fee.amount, 100_000n);
  assert.equal(chain.committed.only(dynamicGlobalProperties).maximum_block_size, 131_072);
  assert.equal(chain.committed.get(witnesses, 'alice')?.votes, 10_000_000n);
  // A tenth of the round must publish.
  for (const [name, base] of rates)
    accept(chain, parameters, name, [
      'feed_publish',
      { fee: free, publisher: name, exchange_rate: { base, quote: '1.000000 USD' } },
    ]);
  produce(chain);
  assert.equal(chain.committed.get(feedHistories, 'USD')?.current_median_history.base.amount, 3_000_000n);
  assertSound(chain, parameters, store);
});

test('a witness that stops in the middle of a round leaves a missed slot, and nobody can sign for it', () => {
  const { chain, parameters, store } = hourly();
  produce(chain);
  accept(chain, parameters, 'bob', [
    'transfer_to_vesting',
    { fee: free, from: 'bob', to: '', amount: '10.000000 COIN' },
  ]);
  const props = { account_creation_fee: '0.100000 COIN', maximum_block_size: 131_072, price_feeds: [] };
  accept(chain, parameters, 'bob', [
    'witness_update',
    { fee: free, owner: 'bob', url: 'x', block_signing_key: testKeyText('bob'), props },
  ]);
  while (chain.head.number < 10) produce(chain);
  accept(chain, parameters, 'bob', ['witness_stop', { fee: '0.010000 COIN', owner: 'bob' }]);
  produce(chain);
  assert.equal(chain.committed.get(witnesses, 'bob'), undefined);
  const gone =
    [1, 2].find((slot) => chain.findProductionSlot(chain.slotTime(slot))?.signingKey === undefined) ?? assert.fail();
  assert.throws(
    () => produce(chain, gone),
    (error) => error instanceof Refusal && error.code === 'unknown_key',
  );
  produce(chain, gone === 1 ? 2 : 3);
  assertSound(chain, parameters, store);
});

test('a withdrawal is paid in daily instalments, counted from when each was due', () => {
  const { chain, parameters, store } = hourly();
  produce(chain);
  accept(chain, parameters, 'bob', [
    'transfer_to_vesting',
    { fee: free, from: 'bob', to: '', amount: '10.000000 COIN' },
  ]);
  produce(chain);
  accept(chain, parameters, 'bob', [
    'withdraw_vesting',
    { fee: free, account: 'bob', vesting_shares: '10.000000 VESTS' },
  ]);
  const asked = chain.head.time;
  produce(chain);
  assert.equal(chain.committed.get(accounts, 'bob')?.vesting_withdraw_rate, 370_371n);
  // Three days late: each block pays one of those that are due.
  for (const [slot, paid] of [
    [24 * 3, 1n],
    [1, 2n],
    [1, 3n],
    [1, 3n],
  ] as const) {
    produce(chain, slot);
    assert.equal(chain.committed.get(accounts, 'bob')?.withdrawn, 370_371n * paid);
  }
  assert.equal(chain.committed.get(accounts, 'bob')?.next_vesting_withdrawal, asked + 4 * 86_400);
  assertSound(chain, parameters, store);
});

test('free operations are limited in number until the counters are reset', () => {
  const parameters = testParameters({ max_allowed_ops: 3, limit_bandwidth_blocks: 5 });
  const chain = openChain(parameters);
  produce(chain);
  const vote = (approve: boolean): void => {
    chain.accept(
      makeTransaction(
        chain,
        parameters,
        [['account_witness_vote', { fee: free, account: 'alice', witness: 'initminer', approve }]],
        ['alice'],
      ),
    );
  };
  vote(true);
  vote(false);
  produce(chain);
  vote(true);
  assert.throws(
    () => vote(false),
    /alice has authorised 4 operations without a fee; 3 are free, and they count from zero again after block 6/,
  );
  while (chain.head.number < 7) produce(chain);
  vote(false);
  assert.equal(chain.pendingRows.get(accountBandwidths, 'alice')?.act_fee_free_ops_count, 1n);
});
