import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { Chain } from '../../src/chain/chain.ts';
import type { Json } from '../../src/codec/json.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { accounts, type Account } from '../../src/state/tables/account.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { NULL_KEY } from '../../src/values/public_key.ts';
import { assertSound, testKeyText, produce, testParameters } from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import { unverifiedTransaction } from '../builders/unsigned_traffic.ts';
import { formSize } from '../builders/forms.ts';

/** The long run: PHAROS_TEST_BLOCKS=200000. */
const BLOCKS = formSize('PHAROS_TEST_BLOCKS', { short: 1000, long: 3000 });
const HOUR = 3600;
const PERIOD = 2400;
const COIN = 1_000_000n;
const free = '0.000000 COIN';
const fee = '0.010000 COIN';

const hoppers = Array.from({ length: 8 }, (_, index) => `hopper${index}`);
const citizens = Array.from({ length: 12 }, (_, index) => `citizen${index}`);
const villains = ['timer', 'burner', 'milker', 'locker', 'poor', 'mighty', 'author'] as const;
const everybody = [...hoppers, ...citizens, ...villains];

function coins(amount: bigint): string {
  return `${amount / COIN}.${String(amount % COIN).padStart(6, '0')} COIN`;
}

/**
 * A chain of an hour a block in which some try to stop it, to earn twice, or to spend what is not theirs; five coinbase
 * years.
 */
class HostileEconomy {
  readonly parameters: ChainParameters;
  readonly store = new MemoryStore();
  readonly chain: Chain;
  readonly #randomSource: RandomSource;
  readonly #rules: RuleSet;
  /** Coins times blocks that each account has held since its last turn. */
  readonly #held = new Map<string, bigint>();
  #sent = 0;
  /** Counts of each refusal. */
  readonly refused = new Map<string, number>();

  constructor(rules: RuleSet, seed: number) {
    this.#rules = rules;
    this.#randomSource = new RandomSource(seed);
    this.parameters = testParameters(
      {
        block_interval: HOUR,
        coinbase_years: 5,
        max_witnesses: 5,
        max_voted_witnesses: 4,
        initial_witness_req_vesting_balance: 1_000_000,
        final_witness_req_vesting_balance: 2_000_000,
        minimum_vesting_seconds: 30 * 86_400,
        initial_balace: 1_000_000_000_000,
        // Mighty holds nearly everything.
        initial_accounts: everybody.map((name) => ({
          name,
          key: testKeyText(name),
          balance: name === 'mighty' ? 300_000_000_000_000 : 1_000_000_000_000,
        })),
        confirmations_from_block: 1,
      },
      rules,
    );
    this.chain = new Chain({ store: this.store, parameters: this.parameters, durable: false });
    produce(this.chain);
    for (const name of everybody) this.#held.set(name, this.account(name).balance);
    this.#send(
      'milker',
      ['sponsor_fees', { fee: free, sponsor: 'mighty', sponsored: 'milker', is_sponsoring: true }],
      'mighty',
    );
    this.#send(
      'citizen0',
      ['sponsor_fees', { fee: free, sponsor: 'poor', sponsored: 'citizen0', is_sponsoring: true }],
      'poor',
    );
  }

  run(blocks: number): void {
    for (let block = 0; block < blocks; block++) {
      const { number } = this.chain.head;
      this.#attack(number);
      this.#live();
      produce(this.chain, this.#slot());
      assert.equal(this.chain.head.number, number + 1, 'no block is refused');
      if (this.#rules === 'interface') this.#checkShares();
      if (block % 500 === 0) assertSound(this.chain, this.parameters, this.store);
    }
    assertSound(this.chain, this.parameters, this.store);
  }

  /** The next slot of a witness that has not stopped since. */
  #slot(): number {
    for (let slot = 1; ; slot++) {
      const key = this.chain.findProductionSlot(this.chain.slotTime(slot))?.signingKey;
      if (key !== undefined && key !== NULL_KEY) return slot;
    }
  }

  account(name: string): Account {
    return present(this.chain.committed.get(accounts, name), name);
  }

  /** True when the account has its turn this many blocks behind the head. */
  #isTurn(name: string, ahead: number): boolean {
    return (this.chain.head.number + ahead) % PERIOD === Number(this.account(name).id % BigInt(PERIOD));
  }

  #attack(number: number): void {
    // The same coins go through neighbours, each of whom has its turn in the block in which it has them.
    hoppers.forEach((name, index) => {
      const next = hoppers[index + 1];
      if (next !== undefined && this.#isTurn(name, 0)) this.#pay(name, next, this.account(name).balance - COIN);
    });
    if (this.#isTurn('hopper7', 0)) this.#pay('hopper7', 'hopper0', this.account('hopper7').balance / 2n);
    // In the block behind a turn, and out in the next.
    if (this.#isTurn('timer', 0)) this.#pay('burner', 'timer', 1000n * COIN);
    if (this.#isTurn('timer', -1)) this.#pay('timer', 'burner', this.account('timer').balance - COIN);
    if (this.#isTurn('none', 0) || this.#isTurn('none', -1) || number % 97 === 0) {
      this.#pay('burner', 'none', COIN);
      this.#send('mighty', [
        'transfer_to_vesting',
        { fee: free, from: 'mighty', to: 'none', amount: '20000.000000 COIN' },
      ]);
    }
    if (number % 50 === 0) {
      this.#send('milker', [
        'transfer',
        { fee: coins(9_000_000n * COIN), from: 'milker', to: 'burner', amount: '0.000001 COIN', memo: '' },
      ]);
      this.#pay('poor', 'mighty', this.account('poor').balance - 1n);
      this.#pay('citizen0', 'citizen1', 1n);
      this.#send('initminer', [
        'transfer_from_promotion_pool',
        { fee: '1.000000 COIN', transfer_to: 'mighty', amount: '1.000000 COIN', extensions: [] },
      ]);
    }
    if (number % 20 === 0) {
      this.#send('locker', [
        'transfer_to_vesting',
        { fee: free, from: 'locker', to: 'citizen2', amount: '0.000001 COIN' },
      ]);
      this.#send('initminer', [
        'transfer_from_promotion_pool',
        { fee: free, transfer_to: 'mighty', amount: '100000.000000 COIN', extensions: [] },
      ]);
      const recipients = Array.from({ length: 200 }, (_, index) => `r${index}`);
      this.#send('author', ['custom_json', { fee, sender: 'author', recipients, app_id: 1, json: '{}' }]);
    }
    if (number % 400 === 7) this.#witness('timer', number);
  }

  /** A witness that comes with votes, stops, and comes again. */
  #witness(owner: string, number: number): void {
    const props = { account_creation_fee: '0.100000 COIN', maximum_block_size: 131_072, price_feeds: [] };
    this.#send(owner, ['transfer_to_vesting', { fee: free, from: owner, to: '', amount: '3.000000 COIN' }]);
    if (number % 800 === 7)
      this.#send(owner, [
        'witness_update',
        { fee: free, owner, url: 'u', block_signing_key: testKeyText(owner), props },
      ]);
    else this.#send(owner, ['witness_stop', { fee, owner }]);
    for (const account of citizens)
      this.#send(account, ['account_witness_vote', { fee: free, account, witness: owner, approve: true }]);
  }

  /** Plays the actions of one account. */
  #live(): void {
    for (let sent = this.#randomSource.roll(3); sent > 0; sent--) {
      const [from, to] = [this.#randomSource.pick(citizens), this.#randomSource.pick(citizens)];
      const { balance, vesting_shares } = this.account(from);
      const amount = balance / BigInt(2 + this.#randomSource.roll(1000));
      const kind = this.#randomSource.roll(10);
      if (kind < 5) this.#pay(from, to, amount);
      else if (kind < 7) this.#send(from, ['transfer_to_vesting', { fee: free, from, to, amount: coins(amount) }]);
      else if (kind < 9)
        this.#send(from, [
          'withdraw_vesting',
          { fee: free, account: from, vesting_shares: coins(vesting_shares / 3n).replace('COIN', 'VESTS') },
        ]);
      else
        this.#send(from, [
          'account_witness_proxy',
          { fee: free, account: from, proxy: this.#randomSource.pick(['', to]) },
        ]);
    }
  }

  #pay(from: string, to: string, amount: bigint): void {
    if (amount > 20_000n)
      this.#send(from, ['transfer', { fee, from, to, amount: coins(amount - 20_000n), memo: String(this.#sent) }]);
  }

  #send(sender: string, operation: Json, signer = sender): void {
    this.#sent++;
    const expiration = this.chain.head.time + 1 + (this.#sent % HOUR);
    try {
      this.chain.accept(
        unverifiedTransaction(this.chain, [operation], signer, Math.max(expiration, this.chain.slotTime(1))),
      );
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refused.set(error.code, (this.refused.get(error.code) ?? 0) + 1);
    }
  }

  /** At its turn nobody's holdings are more than what it has held, block by block. */
  #checkShares(): void {
    for (const name of everybody) {
      const { balance, vesting_shares, holdings_considered_for_interests: counted } = this.account(name);
      const total = balance + vesting_shares;
      const held = (this.#held.get(name) ?? 0n) + total;
      if (this.#isTurn(name, 1)) {
        assert(
          counted <= held + total,
          `${name} in block ${this.chain.head.number} counts ${counted}, held ${held + total}`,
        );
      }
      // With its turn the next period begins.
      this.#held.set(name, this.#isTurn(name, 0) ? 0n : held);
    }
  }
}

for (const rules of ['interface', 'lineage'] as const) {
  test(`hostile accounts stop no chain, earn no more than their share and spend nobody else's coins (${rules})`, () => {
    const economy = new HostileEconomy(rules, 1);
    economy.run(BLOCKS);
    const refused = Object.fromEntries(economy.refused);
    if (rules === 'interface') {
      assert((refused['fee_above_required'] ?? 0) > 0, 'a fee out of another pocket');
      assert.equal(refused['fee_not_covered'], undefined, 'a poor sponsor stops nobody');
      assert(economy.account('mighty').balance > 200_000_000n * COIN, 'nobody milked the sponsor');
    } else {
      assert((refused['supply_lost'] ?? 0) > 0, 'what no block could hold');
    }
  });
}
