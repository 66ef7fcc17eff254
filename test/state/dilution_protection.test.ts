import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Refusal } from '../../src/base/refusal.ts';
import { clearNullAccount } from '../../src/chain/apply/null_account.ts';
import { payProducer } from '../../src/chain/apply/producer_reward.ts';
import { payVestingWithdrawals } from '../../src/chain/apply/vesting_withdrawals.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { transfer } from '../../src/operations/transfer.ts';
import { transferFromPromotionPool } from '../../src/operations/transfer_from_promotion_pool.ts';
import { transferToVesting } from '../../src/operations/transfer_to_vesting.ts';
import { interest, payOwedSharesAtTurn } from '../../src/operations/virtual/interest.ts';
import { withdrawVesting } from '../../src/operations/withdraw_vesting.ts';
import { owedShares } from '../../src/state/dilution_protection.ts';
import type { Account } from '../../src/state/tables/account.ts';
import {
  dynamicGlobalProperties,
  type DynamicGlobalProperties,
} from '../../src/state/tables/dynamic_global_property.ts';
import { economicModel, FIRST_PROTECTION_INDEX, type EconomicModel } from '../../src/state/tables/economic_model.ts';
import { protectionMarks } from '../../src/state/tables/protection_mark.ts';
import { scheduledBy, witnesses } from '../../src/state/tables/witness.ts';
import { RandomSource } from '../builders/random_source.ts';
import { FUNDS, type Ledger } from '../builders/ledger.ts';
import { witnessLedger } from '../builders/witnesses.ts';
import { formSize } from '../builders/forms.ts';

const holders = ['alice', 'bob', 'carol', 'dave', 'none', 'initminer'] as const;
const free = { amount: 0n, symbol: 'COIN' };

/** An exact fraction; denominators are positive. */
interface Fraction {
  readonly n: bigint;
  readonly d: bigint;
}

const plus = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d + b.n * a.d, d: a.d * b.d });
const over = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.d, d: a.d * b.n });
const isAtLeast = (a: Fraction, b: Fraction): boolean => a.n * b.d >= b.n * a.d;
/** A step may lose this to rounding: one part in 2⁶³. */
const NEARLY_ALL: Fraction = { n: 2n ** 63n - 1n, d: 2n ** 63n };
const times = (a: Fraction, b: Fraction): Fraction => ({ n: a.n * b.n, d: a.d * b.d });

/** A small economy without a chain around it: whoever holds vests, withdraws, burns and is paid, by dice. */
class Economy {
  readonly ledger: Ledger;
  readonly #randomSource: RandomSource;
  /** Coins that entered circulation for the first time and are no interest. */
  counted = 0n;

  constructor(randomSource: RandomSource, percent: number) {
    this.ledger = witnessLedger(['alice', 'bob'], {
      names: [...holders],
      genesis: { dilution_protection_percent: percent, minimum_vesting_seconds: 0, vesting_withdraw_intervals: 2 },
    });
    this.#randomSource = randomSource;
    this.ledger.change(({ rows }) => {
      const supply = FUNDS * BigInt(holders.length);
      const head = rows.only(dynamicGlobalProperties);
      rows.put(dynamicGlobalProperties, { ...head, current_supply: supply, head_block_number: 300_000_000 });
      for (const owner of ['alice', 'bob', 'initminer']) {
        const witness = rows.get(witnesses, owner);
        if (witness !== undefined) rows.put(witnesses, { ...witness, schedule: scheduledBy.votes });
      }
      // Rewards and withdrawals are large beside what there is.
      const initial_promotion_pool = FUNDS * 3n;
      const pools = {
        initial_promotion_pool,
        promotion_pool: initial_promotion_pool,
        coinbase_block_reward: FUNDS / 50n,
      };
      rows.put(economicModel, { ...rows.only(economicModel), ...pools, mining_pool_from_coinbase: FUNDS * 4n });
    });
  }

  get model(): EconomicModel {
    return this.ledger.rows.only(economicModel);
  }

  get head(): DynamicGlobalProperties {
    return this.ledger.rows.only(dynamicGlobalProperties);
  }

  get accounts(): Account[] {
    return holders.map((name) => this.ledger.account(name));
  }

  owed(account: Account): bigint {
    return owedShares(this.ledger.rows, this.ledger.parameters, account);
  }

  /** v·G ÷ g: the shares of an account with all that protection has added to them. */
  worth({ name, vesting_shares }: Account): Fraction {
    const paidUpTo = this.ledger.rows.get(protectionMarks, name)?.index ?? FIRST_PROTECTION_INDEX;
    return { n: vesting_shares * this.model.protection_index, d: paidUpTo };
  }

  /** Everything that shares are a part of: the supply, all that is owed, and what came from fees. */
  whole(): Fraction {
    const {
      mining_pool_from_fees,
      interest_pool_from_fees,
      promotion_pool,
      initial_promotion_pool,
      promotion_withdrawn,
    } = this.model;
    const fees =
      mining_pool_from_fees + interest_pool_from_fees + promotion_pool - initial_promotion_pool + promotion_withdrawn;
    const unvested = this.head.current_supply - this.head.total_vesting_shares + fees;
    return this.accounts.reduce<Fraction>((sum, account) => plus(sum, this.worth(account)), { n: unvested, d: 1n });
  }

  /** True when the next coin is protected from. */
  isProtecting(): boolean {
    const { genesis } = this.ledger.parameters;
    const { current_supply, total_vesting_shares: shares } = this.head;
    const { protection_bound: bound } = this.model;
    return (
      shares > 0n && 100n * bound < BigInt(genesis.dilution_protection_percent) * (current_supply - shares + bound)
    );
  }

  /** Coins that dilute: a reward, or a withdrawal from the pool. */
  dilute(): void {
    if (this.#randomSource.chance(60)) this.reward(this.#randomSource.pick(['alice', 'bob', 'initminer']));
    else this.take(this.#randomSource.pick(holders), BigInt(1 + this.#randomSource.roll(Number(FUNDS / 4n))));
  }

  reward(witness: string): void {
    const header = { previous: '', timestamp: 0, witness, transaction_merkle_root: '', extensions: [] };
    const before = this.model.mining_pool_from_coinbase;
    this.ledger.change((state) => payProducer(state, header));
    this.counted += before - this.model.mining_pool_from_coinbase;
  }

  take(transfer_to: string, amount: bigint): void {
    const before = this.model.promotion_withdrawn;
    this.#try(
      transferFromPromotionPool.of({ fee: free, transfer_to, amount: this.ledger.coins(amount), extensions: [] }),
    );
    this.counted += this.model.promotion_withdrawn - before;
  }

  vest(from: string, to: string, amount: bigint): void {
    this.#try(transferToVesting.of({ fee: free, from, to, amount: this.ledger.coins(amount) }));
  }

  withdraw(account: string, amount: bigint): void {
    this.#try(withdrawVesting.of({ fee: free, account, vesting_shares: { amount, symbol: 'VESTS' } }));
  }

  /** Anything that is no dilution. */
  act(): void {
    const [from, to] = [this.#randomSource.pick(holders), this.#randomSource.pick(holders)];
    const amount = this.#randomSource.chance(20)
      ? 1n
      : BigInt(1 + this.#randomSource.roll(Number(this.#randomSource.chance(30) ? FUNDS : FUNDS / 20n)));
    const kind = this.#randomSource.roll(10);
    if (kind < 4) this.vest(from, to, amount);
    else if (kind < 6)
      this.withdraw(from, this.ledger.account(from).vesting_shares / BigInt(1 + this.#randomSource.roll(4)));
    else if (kind < 7) this.#try(transfer.of({ fee: free, from, to, amount: this.ledger.coins(amount), memo: '' }));
    else if (kind < 8) this.ledger.change(clearNullAccount);
    else if (kind < 9) this.ledger.change((state) => payOwedSharesAtTurn(state, from));
    else this.instalments();
  }

  /** Nearly everybody vests nearly everything, or withdraws it. */
  stampede(): void {
    const isIn = this.#randomSource.chance(60);
    for (const name of holders) {
      const { balance, vesting_shares } = this.ledger.account(name);
      if (isIn) this.vest(name, name, (balance * BigInt(90 + this.#randomSource.roll(11))) / 100n);
      else this.withdraw(name, (vesting_shares * 9n) / 10n);
    }
    if (!isIn) for (let day = 0; day < 3; day++) this.instalments();
  }

  /** A day passes. */
  instalments(): void {
    this.ledger.change(({ rows }) =>
      rows.put(dynamicGlobalProperties, { ...this.head, time: this.head.time + 86_400 }),
    );
    this.ledger.change(payVestingWithdrawals);
  }

  assertExact(): void {
    const { current_supply, total_vesting_shares } = this.head;
    const { protection_bound, protection_issued } = this.model;
    const sum = (of: (account: Account) => bigint): bigint =>
      this.accounts.reduce((total, account) => total + of(account), 0n);
    const owed = sum((account) => this.owed(account));
    assert.equal(
      sum(({ vesting_shares }) => vesting_shares),
      total_vesting_shares,
    );
    assert.equal(
      sum(({ balance, vesting_shares }) => balance + vesting_shares),
      current_supply,
    );
    const isProtected = this.ledger.parameters.genesis.dilution_protection_percent > 0;
    if (isProtected) assert(total_vesting_shares + owed <= protection_bound, 'the bound holds');
    assert(
      protection_issued + owed <= 9n * this.counted,
      'no more than nine times the counted coins is issued or owed',
    );
  }

  #try(operation: Operation): void {
    try {
      this.ledger.apply(operation);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
}

const seeds = Array.from({ length: formSize('PHAROS_TEST_SEEDS', { short: 4, long: 12 }) }, (_, index) => index + 1);

for (const percent of [0, 50, 90]) {
  test(`no coin that is protected from makes anybody's part smaller, and every sum is exact (${percent} %)`, () => {
    let protectedSteps = 0;
    let crossings = 0;
    for (const seed of seeds) {
      const randomSource = new RandomSource(seed);
      const economy = new Economy(randomSource, percent);
      let wasProtecting = false;
      for (let step = 0; step < 300; step++) {
        if (randomSource.chance(50)) {
          economy.act();
        } else if (randomSource.chance(8)) {
          economy.stampede();
        } else {
          const isProtecting = economy.isProtecting();
          if (isProtecting !== wasProtecting) crossings++;
          wasProtecting = isProtecting;
          const before = economy.accounts.map((account) => over(economy.worth(account), economy.whole()));
          economy.dilute();
          if (isProtecting) {
            protectedSteps++;
            economy.accounts.forEach((account, index) => {
              const [now, then] = [over(economy.worth(account), economy.whole()), before[index] ?? assert.fail()];
              assert(
                isAtLeast(now, times(then, NEARLY_ALL)),
                `seed ${seed}, step ${step}: the part of ${account.name}`,
              );
            });
          }
        }
        economy.assertExact();
      }
    }
    assert.equal(protectedSteps > 0 && crossings > seeds.length, percent > 0, 'the limit is crossed up and down');
    if (percent === 0) assert.equal(crossings, 0);
  });
}

test('protection is paid to the unit, with less than one unit lost, and shows as interest in vesting shares', () => {
  const economy = new Economy(new RandomSource(1), 90);
  const { ledger } = economy;
  economy.vest('carol', 'carol', 100_000_000n);
  economy.take('dave', FUNDS / 3n);
  const worth = economy.worth(ledger.account('carol'));
  const owed = economy.owed(ledger.account('carol'));
  assert.equal(owed, worth.n / worth.d - 100_000_000n);
  assert(owed > 0n);
  ledger.events.length = 0;
  ledger.change((state) => payOwedSharesAtTurn(state, 'carol'));
  assert.equal(ledger.account('carol').vesting_shares, 100_000_000n + owed);
  assert.equal(economy.owed(ledger.account('carol')), 0n);
  assert.equal(economy.model.protection_issued, owed);
  assert.deepEqual(
    ledger.events.map(({ kind }) => kind),
    [interest],
  );
});

test('nobody gains by splitting, by timing or by poking', () => {
  for (const seed of seeds) {
    const randomSource = new RandomSource(seed);
    const economy = new Economy(randomSource, 90);
    const { ledger } = economy;
    // Dave holds in one account what alice and bob hold in two; carol is poked with one unit before every coin.
    const part = 10_000_000n + BigInt(randomSource.roll(1_000_000));
    economy.vest('dave', 'dave', 2n * part);
    for (const name of ['alice', 'bob']) economy.vest('dave', name, part);
    economy.vest('carol', 'carol', 2n * part);
    let [poked, payments] = [0n, 0n];
    for (let step = 0; step < 200; step++) {
      economy.vest('initminer', 'carol', 1n);
      poked++;
      economy.take('initminer', BigInt(1 + randomSource.roll(Number(FUNDS / 100n))));
      if (!randomSource.chance(10)) continue;
      ledger.change((state) => payOwedSharesAtTurn(state, randomSource.pick(['alice', 'dave'])));
      payments++;
    }
    const all = (name: string): bigint => ledger.account(name).vesting_shares + economy.owed(ledger.account(name));
    const growth = economy.model.protection_index / FIRST_PROTECTION_INDEX + 1n;
    // Each payment rounds down by less than a unit, which would have grown.
    const rounding = (payments + 2n) * growth;
    assert(all('alice') + all('bob') <= all('dave') + rounding, 'splitting gains nothing');
    assert(all('dave') <= all('alice') + all('bob') + rounding, 'and loses nothing');
    assert(all('carol') <= all('dave') + (poked + payments) * growth, 'poking gains nothing');
    economy.assertExact();
  }
});

test('who withdraws from the pool, vests and repeats within one block gets no more than nine times what was counted', () => {
  const economy = new Economy(new RandomSource(3), 90);
  for (let round = 0; round < 300; round++) {
    economy.take('alice', FUNDS / 100n);
    economy.vest('alice', 'alice', economy.ledger.account('alice').balance);
    economy.assertExact();
  }
  assert.equal(economy.model.promotion_withdrawn, economy.model.initial_promotion_pool, 'the pool is through once');
  const index = economy.model.protection_index;
  economy.take('alice', FUNDS / 100n);
  assert.equal(economy.model.protection_index, index, 'recycled coins are not protected from');
});

test('when nobody vests any more the bound begins anew', () => {
  const economy = new Economy(new RandomSource(4), 90);
  economy.vest('carol', 'carol', 1_000_000n);
  economy.take('dave', FUNDS);
  economy.withdraw('carol', 1_000_000n);
  for (let day = 0; day < 4; day++) economy.instalments();
  economy.withdraw('carol', economy.ledger.account('carol').vesting_shares);
  for (let day = 0; day < 4; day++) economy.instalments();
  assert.equal(economy.head.total_vesting_shares, 0n);
  assert.equal(economy.model.protection_bound, 0n);
});
