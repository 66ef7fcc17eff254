import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { catchRefusal } from '../../src/base/refusal.ts';
import type { Json } from '../../src/codec/json.ts';
import { timeText } from '../../src/values/time.ts';
import { testKeyText, encoding, readTestParameters, testGenesis } from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import { ComparedChain } from './compared_chain.ts';
import { checkGenesis, readGenesis } from './parameters.ts';
import { catchReason } from './refusal.ts';
import type { Rules } from './rules.ts';
import { inLongForm } from '../builders/forms.ts';

const FREE = '0.000000 COIN';

const EQUALS = ['frank', 'grace', 'heidi', 'ivan', 'judy', 'kim'];

/** Six accounts of equal stake that are witnesses and vote for themselves, one of them elected and three by time. */
function equals(rules: 'interface' | 'lineage', otherRules: Partial<Rules> = {}): ComparedChain {
  const members = {
    max_witnesses: 4,
    max_voted_witnesses: 1,
    initial_witness_req_vesting_balance: 0,
    initial_accounts: EQUALS.map((name) => ({ name, key: testKeyText(name), balance: 1_000_000_000 })),
  };
  const compared = new ComparedChain(testGenesis(members, rules), new RandomSource(1), otherRules);
  compared.elect(EQUALS);
  return compared;
}

for (const rules of ['interface', 'lineage'] as const) {
  test(`a reward of nothing moves the virtual time of those that the producer votes for, rules ${rules}`, () => {
    const compared = equals(rules);
    for (let made = 0; made < 60; made++) compared.produce();
  });
}

test('without it the schedules of chain and model part, which the comparison finds', () => {
  const compared = equals('lineage', { zeroChangesMoveTime: false });
  assert.throws(() => {
    for (let made = 0; made < 60; made++) compared.produce();
  }, /behind block [1-9]/);
});

// More than a block works off of each kind.
const MANY = 130;
const many = Array.from({ length: MANY }, (_, index) => `one${index}`);

for (const rules of ['interface', 'lineage'] as const) {
  test(
    `what is due in a block beyond what it works off comes in the next ones, rules ${rules}`,
    rules === 'interface' ? {} : inLongForm,
    () => {
      const compared = new ComparedChain(
        testGenesis(
          {
            block_interval: 3600,
            max_allowed_ops: 10_000,
            max_allowed_bandwidth: 10_000_000,
            initial_accounts: many.map((name) => ({ name, key: testKeyText(name), balance: 1_000_000_000 })),
          },
          rules,
        ),
        new RandomSource(1),
      );
      compared.produce();
      const { time } = compared.chain.head;
      const byKey = (name: string): Json => ({
        weight_threshold: 1,
        account_auths: [],
        key_auths: [[testKeyText(name), 1]],
      });
      for (const [escrow_id, name] of many.entries()) {
        const ends = { ratification_deadline: timeText(time + 86_400), escrow_expiration: timeText(time + 90_000) };
        const held = { coin_amount: '1.000000 COIN', escrow_fee: '0.000000 COIN', json_meta: '' };
        const parties = { from: name, to: 'none', agent: 'initminer', escrow_id };
        const done: Json[] = [
          ['escrow_transfer', { fee: '0.010000 COIN', ...parties, ...held, ...ends }],
          ['transfer_to_vesting', { fee: FREE, from: name, to: '', amount: '100.000000 COIN' }],
          ['withdraw_vesting', { fee: FREE, account: name, vesting_shares: '50.000000 VESTS' }],
          [
            'change_recovery_account',
            { fee: FREE, account_to_recover: name, new_recovery_account: 'none', extensions: [] },
          ],
          [
            'account_update',
            { fee: FREE, account: name, owner: byKey(`${name} new`), memo_key: testKeyText(name), json_metadata: '' },
          ],
        ];
        assert(compared.send(done, [name]), name);
      }
      compared.produce();
      // A day later escrows and instalments are due, a month later owners and recovery accounts.
      for (const slots of [24, 1, 1, 24 * 29, 1, 1, 48]) {
        compared.produce(slots);
        askAgain(compared);
      }
    },
  );
}

/** Asks again after waiting work, which must count as done for the first and the last alike. */
function askAgain(compared: ComparedChain): void {
  const byKey = (name: string): Json => ({
    weight_threshold: 1,
    account_auths: [],
    key_auths: [[testKeyText(name), 1]],
  });
  for (const name of [
    present(many[0], 'the first'),
    present(many.at(-1), 'the last'),
    present(many.at(-2), 'the last but one'),
  ]) {
    const asked = { fee: FREE, account_to_recover: name, new_owner_authority: byKey(`${name} again`), extensions: [] };
    compared.send([['request_account_recovery', { ...asked, recovery_account: 'initminer' }]], ['initminer']);
    compared.send([['recover_account', { ...asked, recent_owner_authority: byKey(name) }]], [`${name} again`, name]);
    const escrow = { from: name, to: 'none', agent: 'initminer', escrow_id: many.indexOf(name) };
    compared.send(
      [['escrow_approve', { fee: '0.010000 COIN', ...escrow, who: 'initminer', approve: true }]],
      ['initminer'],
    );
  }
}

test('chain and model agree on which genesis is odd', () => {
  const odd: readonly Record<string, Json>[] = [
    {},
    { block_interval: 0 },
    { block_interval: 86_400 },
    { block_interval: 86_401 },
    { coinbase_years: 0 },
    { mining_pool_percentage: 2501 },
    { promotion_pool_percentage: 999, interest_pool_percentage: 6501 },
    { dilution_protection_percent: 91 },
    { total_supply: 349_999_999_999_999 },
    { total_supply: 350_000_000_000_001 },
    { total_supply: 3_843_000_000_000_000, dilution_protection_percent: 0 },
    { total_supply: 3_844_000_000_000_000, dilution_protection_percent: 0 },
    { total_supply: 3_800_000_000_000_000 },
    { total_supply: 1_100_000_000_000_000 },
  ];
  for (const members of odd) {
    const genesis = testGenesis(members);
    const reason = catchReason(() => checkGenesis(readGenesis(genesis, encoding.keyPrefix)));
    assert.equal(refuses(genesis), reason !== undefined, `${JSON.stringify(members)}: the model says ${reason}`);
  }
});

function refuses(genesis: Json): boolean {
  return catchRefusal(() => void readTestParameters(genesis)) !== undefined;
}

test('the turn for interest comes to the ids of a round of 2400 and to those behind it', () => {
  const names = Array.from({ length: 2410 }, (_, index) => `one${index}`);
  const compared = new ComparedChain(
    testGenesis({
      block_interval: 43_200,
      initial_balace: 0,
      initial_accounts: names.map((name) => ({ name, key: testKeyText('alice'), balance: 100_000_000 })),
    }),
    new RandomSource(1),
  );
  for (let made = 0; made < 12; made++) compared.produce();
});

for (const rules of ['interface', 'lineage'] as const) {
  test(`interest from fees when days are short of blocks, rules ${rules}`, () => {
    const holders = Array.from({ length: 30 }, (_, index) => `one${index}`);
    const compared = new ComparedChain(
      testGenesis(
        {
          block_interval: 3600,
          initial_balace: 1_000_000,
          initial_accounts: holders.map((name, index) => ({
            name,
            key: testKeyText('alice'),
            // The turn of the rich one comes when interest is paid, and others come behind it.
            balance: index === 24 ? 300_000_000_000_000 : 1_000_000_000_000,
          })),
        },
        rules,
      ),
      new RandomSource(1),
    );
    compared.produce();
    for (let made = 0; made < 36; made++) {
      const moved: Json = [
        'transfer',
        { fee: '50.000000 COIN', from: 'one24', to: 'one1', amount: '1.000000 COIN', memo: String(made) },
      ];
      assert(compared.send([moved], ['alice']));
      if (!compared.produceAt(compared.chain.slotTime(1))) return;
    }
  });

  test(
    `the promotion pool when the coinbase years are over, rules ${rules}`,
    rules === 'interface' ? {} : inLongForm,
    () => {
      const compared = new ComparedChain(
        testGenesis({ block_interval: 86_400, coinbase_years: 1 }, rules),
        new RandomSource(1),
      );
      const take: Json = [
        'transfer_from_promotion_pool',
        { fee: FREE, transfer_to: 'bob', amount: '900000000.000000 COIN', extensions: [] },
      ];
      for (let made = 0; made < 363; made++) compared.produce();
      // Late in its day, so that a transaction lives to see the next block.
      for (let made = 0; made < 5; made++) {
        compared.produceAt(compared.chain.slotTime(1) + 86_300);
        compared.send([take], ['initminer']);
        compared.produce();
      }
    },
  );
}

for (const rules of ['interface', 'lineage'] as const) {
  test(`who holds everything and takes from the promotion pool before the turn for interest, rules ${rules}`, () => {
    const genesis = testGenesis(
      { block_interval: 86_400, initial_balace: 350_000_000_000_000, initial_accounts: [] },
      rules,
    );
    const compared = new ComparedChain(genesis, new RandomSource(1));
    const body = { fee: FREE, transfer_to: 'initminer', amount: '1000.000000 COIN', extensions: [] };
    assert(compared.produceAt(compared.chain.slotTime(1) + 86_300));
    assert(compared.send([['transfer_from_promotion_pool', body]], ['initminer']));
    for (let made = 0; made < 5; made++) compared.produce();
  });
}
