import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Refusal } from '../../src/base/refusal.ts';
import type { Json } from '../../src/codec/json.ts';
import { availablePromotionPool } from '../../src/state/promotion_pool.ts';
import { accountRecoveryRequests } from '../../src/state/tables/account_recovery_request.ts';
import { accountAuthorities } from '../../src/state/tables/account_authority.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { blocks } from '../../src/state/tables/block.ts';
import { changeRecoveryAccountRequests } from '../../src/state/tables/change_recovery_account_request.ts';
import { economicModel } from '../../src/state/tables/economic_model.ts';
import { escrows } from '../../src/state/tables/escrow.ts';
import { feedHistories } from '../../src/state/tables/feed_history.ts';
import { ownerAuthorityHistories } from '../../src/state/tables/owner_authority_history.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { witnesses, type Witness } from '../../src/state/tables/witness.ts';
import { NEVER } from '../../src/values/limits.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { timeText } from '../../src/values/time.ts';
import { accountBalance, testKeyText, produce } from '../builders/chain.ts';
import { DAY, HOUR, TestClock } from '../builders/test_clock.ts';

const free = '0.000000 COIN';
const fee = '0.010000 COIN';
const refusedAs =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === code;
const singleKeyAuthority = (name: string): Json => ({
  weight_threshold: 1,
  account_auths: [],
  key_auths: [[testKeyText(name), 1]],
});

const request = (owner: string): Json => [
  'request_account_recovery',
  {
    fee: free,
    recovery_account: 'initminer',
    account_to_recover: 'alice',
    new_owner_authority: singleKeyAuthority(owner),
    extensions: [],
  },
];
const recovery = (owner: string, former: string): Json => [
  'recover_account',
  {
    fee: free,
    account_to_recover: 'alice',
    new_owner_authority: singleKeyAuthority(owner),
    recent_owner_authority: singleKeyAuthority(former),
    extensions: [],
  },
];
const ownerChange = (owner: string): Json => [
  'account_update',
  { fee: free, account: 'alice', owner: singleKeyAuthority(owner), memo_key: testKeyText(owner), json_metadata: '' },
];

test('a request for recovery lives for 24 hours, and a former owner proves one for 30 days', () => {
  const clock = new TestClock();
  clock.jump(2 * HOUR);
  clock.apply('alice', ownerChange('thief'));
  clock.apply('initminer', request('fresh'));
  clock.jump(22 * HOUR);
  assert(clock.chain.committed.get(accountRecoveryRequests, 'alice') !== undefined);
  // 24 hours after the head that the request met, which was an hour before its own block.
  clock.jump(HOUR);
  assert.equal(clock.chain.committed.get(accountRecoveryRequests, 'alice'), undefined);
  assert.throws(() => clock.send(['fresh', 'alice'], recovery('fresh', 'alice')), refusedAs('no_recovery_request'));
  clock.jump(28 * DAY);
  clock.apply('initminer', request('fresh'));
  clock.apply(['fresh', 'alice'], recovery('fresh', 'alice'));
  assert.equal(clock.chain.committed.rows(ownerAuthorityHistories, { limit: 10 }).length, 2);
  clock.jump(3 * DAY);
  // The owner before the theft is forgotten; the thief is not.
  assert.equal(clock.chain.committed.rows(ownerAuthorityHistories, { limit: 10 }).length, 1);
  clock.apply('initminer', request('later'));
  assert.throws(
    () => clock.send(['later', 'alice'], recovery('later', 'alice')),
    refusedAs('authority_not_in_history'),
  );
  clock.apply(['later', 'thief'], recovery('later', 'thief'));
  clock.assertSound();
});

test('another recovery account takes office after 30 days', () => {
  const clock = new TestClock();
  const change = (name: string): Json => [
    'change_recovery_account',
    { fee: free, account_to_recover: 'alice', new_recovery_account: name, extensions: [] },
  ];
  clock.apply('alice', change('bob'));
  clock.jump(29 * DAY);
  assert.equal(clock.chain.committed.get(accounts, 'alice')?.recovery_account, 'initminer');
  clock.jump(DAY - HOUR);
  assert.equal(clock.chain.committed.get(accounts, 'alice')?.recovery_account, 'bob');
  assert.equal(clock.chain.committed.get(changeRecoveryAccountRequests, 'alice'), undefined);
});

test('a reset account acts after 60 days of silence, to the hour', () => {
  const clock = new TestClock();
  clock.apply('alice', [
    'set_reset_account',
    { fee: free, account: 'alice', current_reset_account: 'initminer', reset_account: 'bob' },
  ]);
  const reset: Json = [
    'reset_account',
    { fee: free, reset_account: 'bob', account_to_reset: 'alice', new_owner_authority: singleKeyAuthority('fresh') },
  ];
  clock.jump(60 * DAY - 2 * HOUR);
  assert.throws(() => clock.send('bob', reset), refusedAs('account_active'));
  clock.jump(HOUR);
  clock.apply('bob', reset);
  assert.deepEqual(clock.chain.committed.get(accountAuthorities, 'alice')?.owner.key_auths.length, 1);
  assert.throws(() => clock.send('alice', ownerChange('alice')), refusedAs('missing_owner_authority'));
});

test('an escrow goes back when it is not approved in time, and after expiration either party pays it to whom it likes', () => {
  const clock = new TestClock();
  const parties = { from: 'alice', to: 'bob', agent: 'carol' };
  const open = (escrow_id: number, deadline: number, expiration: number): Json => {
    const ends = {
      ratification_deadline: timeText(clock.chain.head.time + deadline),
      escrow_expiration: timeText(clock.chain.head.time + expiration),
    };
    return [
      'escrow_transfer',
      { fee, ...parties, coin_amount: '5.000000 COIN', escrow_id, escrow_fee: free, json_meta: '', ...ends },
    ];
  };
  const release = (who: string, receiver: string): Json => [
    'escrow_release',
    { fee, ...parties, who, receiver, escrow_id: 2, coin_amount: '2.000000 COIN' },
  ];
  clock.apply('alice', open(1, 2 * DAY, 10 * DAY), open(2, 2 * DAY, 10 * DAY));
  for (const who of ['bob', 'carol'])
    clock.apply(who, ['escrow_approve', { fee, ...parties, who, escrow_id: 2, approve: true }]);
  const held = accountBalance(clock.chain, 'alice');
  clock.jump(2 * DAY);
  assert.equal(clock.chain.committed.get(escrows, { from: 'alice', escrow_id: 1 }), undefined);
  assert.equal(accountBalance(clock.chain, 'alice'), held + 5_000_000n);
  assert.throws(() => clock.send('bob', release('bob', 'bob')), refusedAs('only_to_releases_from'));
  clock.jump(10 * DAY);
  assert(clock.chain.committed.get(escrows, { from: 'alice', escrow_id: 2 }) !== undefined);
  assert.throws(
    () => clock.send('bob', ['escrow_dispute', { fee, ...parties, who: 'bob', escrow_id: 2 }]),
    refusedAs('dispute_too_late'),
  );
  clock.apply('bob', release('bob', 'bob'));
  clock.apply('alice', release('alice', 'alice'));
  clock.assertSound();
});

test('a price is the median of rates of the last week and stays when no more come; 84 medians are kept', () => {
  const clock = new TestClock();
  const rate = (coins: number): Json => [
    'feed_publish',
    { fee: free, publisher: 'initminer', exchange_rate: { base: `${coins}.000000 COIN`, quote: '1.000000 USD' } },
  ];
  clock.apply('initminer', rate(3));
  const history = () => clock.chain.committed.get(feedHistories, 'USD') ?? assert.fail('there is no feed');
  assert.equal(history().current_median_history.base.amount, 3_000_000n);
  clock.apply('initminer', rate(4));
  assert.deepEqual(
    history().price_history.map(({ base }) => base.amount),
    [3_000_000n, 4_000_000n],
  );
  clock.blocks(100);
  assert.equal(history().price_history.length, 84);
  // The rate met a head an hour before its block: it is a week old seven days after that.
  clock.blocks(7 * 24);
  const [kept] = [history()];
  clock.jump(8 * DAY);
  assert.deepEqual(history(), kept);
  assert.equal(history().current_median_history.base.amount, 4_000_000n);
});

test('a witness that makes no block for a day loses its key in the next slot that it misses', () => {
  const clock = new TestClock();
  const props = { account_creation_fee: '0.100000 COIN', maximum_block_size: 131_072, price_feeds: [] };
  clock.apply('alice', [
    'witness_update',
    { fee: free, owner: 'alice', url: 'u', block_signing_key: testKeyText('alice'), props },
  ]);
  clock.apply('alice', ['transfer_to_vesting', { fee: free, from: 'alice', to: '', amount: '9.000000 COIN' }]);
  clock.apply('alice', ['account_witness_vote', { fee: free, account: 'alice', witness: 'alice', approve: true }]);
  while (clock.chain.head.number < 30) produceAllBut(clock, 'alice');
  const witness = () => clock.chain.committed.get(witnesses, 'alice') ?? assert.fail('there is no witness');
  assert.equal(witness().signing_key, NULL_KEY);
  assert(witness().total_missed > 0);
  const shutdowns = clock.chain.committed
    .rows(blocks, { limit: 100 })
    .flatMap(({ virtual_operations }) => virtual_operations.filter(({ packed }) => packed[0] === SHUTDOWN));
  assert(shutdowns.length > 0);
  while (clock.chain.head.number % 5 !== 0) produceAllBut(clock, 'alice');
  const turns = Array.from(
    { length: 10 },
    (_, slot) => clock.chain.findProductionSlot(clock.chain.slotTime(slot + 1))?.witness,
  );
  assert.equal(turns.includes('alice'), false);
});

test('a chain that stood still for decades notes no more shutdowns in a block than it can hold', () => {
  const clock = new TestClock();
  const props = { account_creation_fee: '0.100000 COIN', maximum_block_size: 131_072, price_feeds: [] };
  clock.blocks(25);
  clock.apply('alice', [
    'witness_update',
    { fee: free, owner: 'alice', url: 'u', block_signing_key: testKeyText('alice'), props },
  ]);
  clock.blocks(30 - clock.chain.head.number);
  let slot = (30 * 365 * DAY) / HOUR;
  if (clock.chain.findProductionSlot(clock.chain.slotTime(slot))?.witness === 'alice') slot++;
  produce(clock.chain, slot);
  const { virtual_operations } = clock.chain.committed.get(blocks, 31) ?? assert.fail('there is no block');
  const shutdowns = virtual_operations.filter(({ packed }) => packed[0] === SHUTDOWN);
  assert.equal(shutdowns.length, 10_000);
  assert.equal(clock.chain.committed.get(witnesses, 'alice')?.total_missed, slot >> 1);
});

const SHUTDOWN = 34;

function produceAllBut({ chain }: TestClock, absent: string): void {
  for (let slot = 1; ; slot++) {
    if (chain.findProductionSlot(chain.slotTime(slot))?.witness === absent) continue;
    produce(chain, slot);
    return;
  }
}

test('a block is final as soon as three quarters of the round have built upon it, in the lineage after a week of being final behind a round', () => {
  for (const clock of [new TestClock({ confirmations_from_block: 20 }), new TestClock({}, 'lineage')]) {
    const { confirmationsFromBlock } = clock.parameters;
    assert.equal(
      confirmationsFromBlock,
      clock.parameters.rules.early_confirmations ? 20 : clock.parameters.startMinerVotingBlock,
    );
    clock.blocks(confirmationsFromBlock - 2);
    assert.equal(clock.chain.head.number, confirmationsFromBlock - 1);
    assert.equal(clock.chain.head.lastIrreversible, confirmationsFromBlock - 1 - 5);
    clock.blocks(1);
    // Its own producer is the whole round.
    assert.equal(clock.chain.head.lastIrreversible, confirmationsFromBlock);
  }
  const fromTheFirst = new TestClock({ confirmations_from_block: 1 });
  assert.equal(fromTheFirst.chain.head.lastIrreversible, fromTheFirst.chain.head.number);
});

test('the coinbase is paid out over its years, block by block however long the pauses are, and then producers live on fees', () => {
  const clock = new TestClock({ coinbase_years: 1 });
  const { coinbaseBlocks, interestDelayBlocks } = clock.parameters;
  const model = () => clock.chain.committed.only(economicModel);
  const first = model();
  clock.blocks(interestDelayBlocks - 1);
  clock.jump(25 * 365 * DAY);
  const { coinbase_block_reward } = model();
  assert.equal(model().mining_pool_from_coinbase, first.mining_pool_from_coinbase - coinbase_block_reward);
  const left = Number(model().mining_pool_from_coinbase / coinbase_block_reward);
  assert(left > coinbaseBlocks - 10);
  clock.pass(coinbaseBlocks + 50 - clock.chain.head.number);
  clock.blocks(10);
  assert(model().mining_pool_from_coinbase < coinbase_block_reward);
  assert.equal(availablePromotionPool(clock.parameters, model(), coinbaseBlocks), model().promotion_pool);
  assert.equal(availablePromotionPool(clock.parameters, model(), coinbaseBlocks + 1), model().promotion_pool);
  clock.assertSound();
});

test('in the last years of 32 bits what would be due behind them is refused, and no block wraps to 1970', () => {
  const clock = new TestClock({ genesis_time: timeText(NEVER - 100 * DAY - ((NEVER - 100 * DAY) % HOUR)) });
  clock.apply('alice', ['transfer_to_vesting', { fee: free, from: 'alice', to: '', amount: '27.000000 COIN' }]);
  const withdraw = ['withdraw_vesting', { fee: free, account: 'alice', vesting_shares: '2.700000 VESTS' }];
  const changeRecovery = (new_recovery_account: string): Json => [
    'change_recovery_account',
    { fee: free, account_to_recover: 'bob', new_recovery_account, extensions: [] },
  ];
  clock.apply('bob', changeRecovery('alice'));
  clock.jump(72 * DAY);
  assert.throws(() => clock.send('bob', changeRecovery('carol')), refusedAs('time_over'));
  clock.apply('alice', withdraw);
  clock.jump(DAY);
  const more = ['withdraw_vesting', { fee: free, account: 'alice', vesting_shares: '5.400000 VESTS' }];
  assert.throws(() => clock.send('alice', more), refusedAs('time_over'));
  for (let day = 0; day < 26; day++) clock.jump(DAY);
  assert.throws(() => clock.send('initminer', request('fresh')), refusedAs('time_over'));
  let last = clock.chain.head.time;
  for (; clock.chain.slotTime(1) <= NEVER; last = clock.chain.head.time) clock.blocks(1);
  assert.throws(() => clock.blocks(1), refusedAs('time_over'));
  assert.equal(clock.chain.head.time, last);
  assert(NEVER - last < HOUR);
  const { vesting_withdraw_rate, withdrawn } = clock.chain.committed.get(accounts, 'alice') ?? assert.fail('alice');
  assert.deepEqual([vesting_withdraw_rate, withdrawn], [0n, 2_700_000n], 'the last instalment was paid');
  clock.assertSound();
});

test('what is due in a block beyond what it may work off is left to the next ones, and counts all the same', () => {
  const clock = new TestClock({ max_allowed_bandwidth: 50_000_000, max_allowed_ops: 100_000 });
  const { due_per_block } = clock.parameters.rules;
  const escrowsLeft = (): number => clock.chain.committed.rows(escrows, { limit: 1000 }).length;
  const inDays = (days: number): string => timeText(clock.chain.head.time + days * DAY);
  const [deadline, expiration] = [inDays(2), inDays(3)];
  const propose = (escrow_id: number): Json => [
    'escrow_transfer',
    {
      fee,
      from: 'alice',
      to: 'bob',
      agent: 'carol',
      escrow_id,
      coin_amount: '1.000000 COIN',
      escrow_fee: '0.000001 COIN',
      json_meta: '',
      ratification_deadline: deadline,
      escrow_expiration: expiration,
    },
  ];
  for (let id = 0; id < 2 * due_per_block + 1; id += 20)
    clock.send(
      'alice',
      ...Array.from({ length: Math.min(20, 2 * due_per_block + 1 - id) }, (_, index) => propose(id + index)),
    );
  clock.blocks(1);
  clock.jump(3 * DAY);
  assert.equal(escrowsLeft(), due_per_block + 1);
  const left = 2 * due_per_block;
  const approve = { fee, from: 'alice', to: 'bob', agent: 'carol', who: 'bob', escrow_id: left, approve: true };
  assert.throws(() => clock.send('bob', ['escrow_approve', approve]), refusedAs('ratification_over'));
  clock.blocks(1);
  assert.equal(escrowsLeft(), 1);
  clock.blocks(1);
  assert.equal(escrowsLeft(), 0);
  clock.assertSound();
});

/** A chain whose rounds have two witnesses, initminer and alice. */
function roundOfTwo(rules: RuleSet): TestClock {
  // A transaction lives long enough for the second slot.
  const clock = new TestClock({ block_interval: HOUR / 3 }, rules);
  const props = { account_creation_fee: '0.100000 COIN', maximum_block_size: 131_072, price_feeds: [] };
  clock.apply('alice', [
    'witness_update',
    { fee: free, owner: 'alice', url: 'u', block_signing_key: testKeyText('alice'), props },
  ]);
  while (clock.chain.head.number < 10) produce(clock.chain);
  return clock;
}

test('the last witness of a round that can sign is not shut down, however long it is silent', () => {
  for (const rules of ['interface', 'lineage'] as const) {
    const clock = roundOfTwo(rules);
    const { chain } = clock;
    const alice = (): Witness => chain.committed.get(witnesses, 'alice') ?? assert.fail('there is no witness');
    const isSilent = (): boolean =>
      BigInt(chain.head.number) - alice().last_confirmed_block_num > BigInt(clock.parameters.blocksPerDay);
    while (!isSilent() || chain.findProductionSlot(chain.slotTime(1))?.witness !== 'alice')
      produceAllBut(clock, 'alice');
    // The other one stops in the very block that misses her slot: it could, because she could still sign.
    clock.send('initminer', ['witness_stop', { fee, owner: 'initminer' }]);
    produceAllBut(clock, 'alice');
    assert.equal(alice().signing_key === NULL_KEY, rules === 'lineage');
    if (rules === 'interface') clock.blocks(20);
  }
});
