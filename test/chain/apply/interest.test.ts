import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { Chain } from '../../../src/chain/chain.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import type { RuleSet } from '../../../src/state/rules/index.ts';
import { accounts, type Account } from '../../../src/state/tables/account.ts';
import { economicModel, type EconomicModel } from '../../../src/state/tables/economic_model.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import {
  assertSound,
  people,
  produce,
  testParameters,
  makeTransaction,
  transferJson,
  testKeyText,
} from '../../builders/chain.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { passBlocks } from '../../builders/pass_blocks.ts';

const HOUR = 3600;
const PERIOD = 2400;

/** A chain of hourly blocks: interest begins with block 25, and each account has its turn every hundred days. */
class Economy {
  readonly parameters: ChainParameters;
  readonly chain: Chain;
  readonly store = new MemoryStore();
  readonly remarks: string[] = [];

  constructor(rules: RuleSet, overrides: Parameters<typeof testParameters>[0] = {}) {
    this.parameters = testParameters({ block_interval: HOUR, ...overrides }, rules);
    const remark = (sentence: string): void => void this.remarks.push(sentence);
    this.chain = new Chain({ store: this.store, parameters: this.parameters, durable: false, remark });
    produce(this.chain);
  }

  account(name: string): Account {
    return present(this.chain.committed.get(accounts, name), name);
  }

  get model(): EconomicModel {
    return this.chain.committed.only(economicModel);
  }

  /** The next block of an account's turn. */
  turnOf(name: string): number {
    const { number } = this.chain.head;
    const turn = Number(this.account(name).id % BigInt(PERIOD));
    return number - (number % PERIOD) + turn + (number % PERIOD >= turn ? PERIOD : 0);
  }

  send(from: string, to: string, amount: bigint): void {
    const operation = transferJson(from, to, amount, String(this.chain.head.number));
    this.chain.accept(
      makeTransaction(this.chain, this.parameters, [operation], [from], { expiration: this.chain.head.time + HOUR }),
    );
  }

  runUntilBlock(number: number): void {
    if (this.chain.head.number < number) produce(this.chain);
    // The last, too, is made as any other.
    passBlocks(this.chain, Math.max(number - this.chain.head.number - 1, 0));
    if (this.chain.head.number < number) produce(this.chain);
  }
}

for (const rules of ['interface', 'lineage'] as const) {
  test(`coins that pass through an account in the block after its turn stop no chain (${rules})`, () => {
    const economy = new Economy(rules);
    economy.send('bob', 'alice', economy.account('bob').balance - 20_000n);
    economy.runUntilBlock(economy.turnOf('bob'));
    economy.send('alice', 'bob', 1_000_000_000n);
    produce(economy.chain);
    economy.send('bob', 'alice', 1_000_000_000n);
    produce(economy.chain);
    const holdings = economy.account('bob').holdings_considered_for_interests;
    assert.equal(holdings < 0n, rules === 'lineage');
    const turn = economy.turnOf('bob');
    economy.runUntilBlock(turn + 1);
    assert.equal(economy.chain.head.number, turn + 1);
    assert.deepEqual(
      economy.remarks,
      rules === 'lineage'
        ? [`holdings of bob count as nothing for interest: ${holdings} is outside 0 to ${economyLimit(economy)}`]
        : [],
    );
    assertSound(economy.chain, economy.parameters, economy.store);
  });
}

/** All coins of the period before the last block but one, as the remark names them. */
function economyLimit(economy: Economy): string {
  return /to (\d+)$/.exec(economy.remarks[0] ?? '')?.[1] ?? '';
}

test('what an account holds counts for exactly the blocks that it is held', () => {
  const economy = new Economy('interface');
  const randomSource = new RandomSource(11);
  economy.runUntilBlock(economy.turnOf('bob'));
  const turn = economy.turnOf('bob');
  let held = 0n;
  while (economy.chain.head.number < turn - 1) {
    if (randomSource.chance(20)) economy.send('alice', 'bob', BigInt(1 + randomSource.roll(1_000_000)));
    if (randomSource.chance(20)) economy.send('bob', 'carol', BigInt(1 + randomSource.roll(1_000_000)));
    produce(economy.chain);
    held += economy.account('bob').balance;
  }
  const bob = economy.account('bob');
  assert.equal(bob.holdings_considered_for_interests, held + bob.balance, 'the block of the turn itself counts once');
});

test('the same coins earn interest once, through however many accounts of neighbouring turns they pass', () => {
  const economy = new Economy('interface');
  economy.runUntilBlock(economy.turnOf('alice') + PERIOD - 1);
  const amount = 5_000_000_000_000n;
  const earned = new Map<string, bigint>();
  for (const [from, to] of [
    ['alice', 'bob'],
    ['bob', 'carol'],
    ['carol', 'dave'],
    ['dave', 'erin'],
  ] as const) {
    const before = economy.account(from).balance;
    produce(economy.chain);
    const received = earned.size === 0 ? 0n : amount;
    earned.set(from, economy.account(from).balance - before - received);
    economy.send(from, to, amount);
  }
  // Each had its own ten millions for the period, and the five that passed through for one block of 2 400.
  const [alice = 0n, bob = 0n, carol = 0n] = earned.values();
  assert(alice > 0n);
  for (const each of [bob, carol]) assert(each - alice <= alice / 2000n, `${each} is not much more than ${alice}`);
});

for (const rules of ['interface', 'lineage'] as const) {
  test(`interest takes no more from fees than there is, and no chain stops for it (${rules})`, () => {
    const economy = new Economy(rules);
    economy.send('alice', 'bob', 1n);
    economy.runUntilBlock(PERIOD - 1);
    let least = 0n;
    for (let block = 0; block < 12; block++) {
      produce(economy.chain);
      if (economy.model.interest_pool_from_fees < least) least = economy.model.interest_pool_from_fees;
    }
    assert.equal(least < 0n, rules === 'lineage', 'a hundred times the pool is due to all accounts together');
    assertSound(economy.chain, economy.parameters, economy.store);
  });
}

test('who holds nearly everything and takes from the promotion pool counts as holding all there was', () => {
  const overrides = {
    initial_accounts: [{ name: 'alice', key: testKeyText('alice'), balance: 1_000_000 }],
    initial_balace: 350_000_000_000_000,
  };
  for (const rules of ['interface', 'lineage'] as const) {
    const economy = new Economy(rules, overrides);
    const turn = economy.turnOf('initminer') + 2 * PERIOD;
    economy.runUntilBlock(turn - PERIOD + 1);
    const body = { fee: '0.000000 COIN', transfer_to: 'initminer', amount: '1000000.000000 COIN', extensions: [] };
    const taking = [['transfer_from_promotion_pool', body]];
    const options = { expiration: economy.chain.head.time + HOUR };
    economy.chain.accept(makeTransaction(economy.chain, economy.parameters, taking, ['initminer'], options));
    economy.runUntilBlock(turn - 1);
    const before = economy.account('initminer');
    assert(before.holdings_considered_for_interests > economy.model.accumulated_supply || rules === 'lineage');
    economy.runUntilBlock(turn + 1);
    assert.equal(
      economy.account('initminer').balance > before.balance,
      rules === 'interface' || economy.remarks.length === 0,
    );
    assertSound(economy.chain, economy.parameters, economy.store);
  }
});

test('interest is reckoned from the genesis’ own supply', () => {
  const small = { total_supply: 2_000_000_000_000, initial_balace: 1_000_000_000_000, initial_accounts: [] };
  const [own, lineage] = [new Economy('interface', small), new Economy('lineage', small)];
  assert.equal(own.parameters.initialSupply, 1_000_000_000_000n);
  assert.equal(lineage.parameters.initialSupply, 350_000_000_000_000n);
  own.runUntilBlock(PERIOD + 4);
  assert(own.account('initminer').balance > 1_000_000_000_000n);
  lineage.runUntilBlock(PERIOD + 4);
  assert.equal(
    lineage.account('initminer').balance,
    1_000_000_000_000n,
    'the lineage pays nothing on a chain that is smaller',
  );
});

test(`coins that are burned in any block stop no chain, and what is vested to nobody earns nothing`, () => {
  const economy = new Economy('interface');
  const none = economy.turnOf('none');
  for (const number of [none - 1, none, none + 1]) {
    economy.runUntilBlock(number);
    for (const from of people) economy.send(from, 'none', 1_000_000n);
    const vesting = [
      'transfer_to_vesting',
      { fee: '0.000000 COIN', from: 'alice', to: 'none', amount: '200000.000000 COIN' },
    ];
    const options = { expiration: economy.chain.head.time + HOUR };
    economy.chain.accept(makeTransaction(economy.chain, economy.parameters, [vesting], ['alice'], options));
    produce(economy.chain);
    const { balance, vesting_shares, vestings, holdings_considered_for_interests } = economy.account('none');
    assert.deepEqual({ balance, vesting_shares, vestings }, { balance: 0n, vesting_shares: 0n, vestings: [] });
    assert(holdings_considered_for_interests >= 0n);
  }
  economy.runUntilBlock(none + PERIOD + 2);
  assert.deepEqual([economy.account('none').balance, economy.account('none').vesting_shares], [0n, 0n]);
  assertSound(economy.chain, economy.parameters, economy.store);
});
