import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Refusal } from '../../src/base/refusal.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { Json } from '../../src/codec/json.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { testKeyText, openChain, produce, testParameters, makeTransaction } from '../builders/chain.ts';
import { forgedBlock } from '../builders/forged_block.ts';

const WITNESSES = 6;
const witnesses = Array.from({ length: WITNESSES }, (_, index) => `witness-${index}`);
const voters = witnesses.map((_, index) => `voter-${index}`);
const fee = '0.000000 COIN';
const key = testKeyText('alice');
/**
 * A chain whose accounts have one vote each, and whose transactions 1 024 bytes: room for five witnesses, and for 256
 * members.
 */
const SMALL = {
  max_account_witness_votes: 1,
  max_transaction_size: 1024,
  initial_witness_req_vesting_balance: 0,
  vesting_withdraw_intervals: 2,
};

class Setting {
  readonly parameters: ChainParameters;
  readonly chain: Chain;

  constructor(rules: RuleSet, overrides: Readonly<Record<string, Json>> = {}) {
    const names = ['alice', 'bob', ...witnesses, ...voters];
    this.parameters = testParameters(
      { ...SMALL, initial_accounts: names.map((name) => ({ name, key, balance: 1_000_000_000 })), ...overrides },
      rules,
    );
    this.chain = openChain(this.parameters);
    produce(this.chain);
  }

  transaction(operations: readonly Json[]): VerifiedTransaction {
    return makeTransaction(this.chain, this.parameters, operations, ['alice']);
  }

  apply(operations: readonly Json[]): void {
    for (const operation of operations) this.chain.accept(this.transaction([operation]));
    produce(this.chain);
  }

  /** Lets all of them be witnesses, and each voter vote for one of the first `count`. */
  elect(some: readonly string[] = voters, count = WITNESSES): void {
    const props = { account_creation_fee: '0.050000 COIN', maximum_block_size: 262_144, price_feeds: [] };
    this.apply(witnesses.map((owner) => ['witness_update', { fee, owner, url: 'u', block_signing_key: key, props }]));
    const vote = (account: string, index: number): Json => [
      'account_witness_vote',
      { fee: '0.010000 COIN', account, witness: witnesses[index % count] ?? '', approve: true },
    ];
    this.apply(some.map(vote));
  }

  accountShares(name: string): bigint | undefined {
    return this.chain.committed.get(accounts, name)?.vesting_shares;
  }
}

function vestings(count: number): Json[] {
  return voters
    .slice(0, count)
    .map((to) => ['transfer_to_vesting', { fee, from: 'alice', to, amount: '1.000000 COIN' }]);
}

function outcome(act: () => unknown): string {
  try {
    act();
    return 'ok';
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error.code;
  }
}

test('a transaction that moves the votes of too many witnesses is refused, in a block of the lineage it is not', () => {
  for (const rules of ['interface', 'lineage'] as const) {
    const setting = new Setting(rules);
    setting.elect();
    const most = setting.transaction(vestings(WITNESSES - 1));
    const tooMany = setting.transaction(vestings(WITNESSES));
    assert.equal(
      outcome(() => setting.chain.accept(tooMany)),
      'too_many_votes_moved',
    );
    assert.equal(
      outcome(() => setting.chain.accept(most)),
      'ok',
    );
    produce(setting.chain);
    const again = setting.transaction(vestings(WITNESSES));
    const expected = rules === 'interface' ? 'too_many_votes_moved' : 'ok';
    assert.equal(
      outcome(() => setting.chain.push(forgedBlock(setting.chain, { transactions: [again] }))),
      expected,
    );
  }
});

test('a transaction that changes accounts with too many votes is refused, in a block of the lineage it is not', () => {
  for (const rules of ['interface', 'lineage'] as const) {
    const electors = Array.from({ length: 61 }, (_, index) => `v${index}`);
    const initial_accounts = ['alice', ...witnesses, ...electors].map((name) => ({
      name,
      key,
      balance: 1_000_000_000,
    }));
    const setting = new Setting(rules, { initial_accounts, max_transaction_size: 8192, max_allowed_ops: 1000 });
    setting.elect(electors, 1);
    const vesting = (to: string): Json => ['transfer_to_vesting', { fee, from: 'alice', to, amount: '1.000000 COIN' }];
    const all = setting.transaction(electors.map(vesting));
    assert.equal(
      outcome(() => setting.chain.accept(all)),
      'too_many_voters_moved',
    );
    const expected = rules === 'interface' ? 'too_many_voters_moved' : 'ok';
    assert.equal(
      outcome(() => setting.chain.push(forgedBlock(setting.chain, { transactions: [all] }))),
      expected,
    );
    assert.equal(
      outcome(() => setting.chain.accept(setting.transaction(electors.slice(1).map(vesting)))),
      'ok',
    );
  }
});

test('a transaction that updates accounts with too many members in their authorities is refused, in a block of the lineage it is not', () => {
  const others = Array.from({ length: 24 }, (_, index): Json => [testKeyText(`key ${index}`), 1]);
  const wide = { weight_threshold: 1, account_auths: [], key_auths: [[key, 1], ...others] };
  const narrow = { weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] };
  const update = (account: string, change: Readonly<Record<string, Json>>): Json => [
    'account_update',
    { fee, account, memo_key: key, json_metadata: '', ...change },
  ];
  for (const rules of ['interface', 'lineage'] as const) {
    const setting = new Setting(rules);
    for (const role of ['owner', 'active']) setting.apply(voters.map((account) => update(account, { [role]: wide })));
    // 50 members each: five accounts have 250.
    const tooMany = setting.transaction(voters.map((account) => update(account, { active: narrow })));
    assert.equal(
      outcome(() => setting.chain.accept(tooMany)),
      'authorities_too_large',
    );
    const expected = rules === 'interface' ? 'authorities_too_large' : 'ok';
    assert.equal(
      outcome(() => setting.chain.push(forgedBlock(setting.chain, { transactions: [tooMany] }))),
      expected,
    );
    const most = setting.transaction(voters.slice(1).map((account) => update(account, { active: narrow })));
    assert.equal(
      outcome(() => setting.chain.accept(most)),
      'ok',
    );
  }
});

test('instalments that move too many votes are left to the next block', () => {
  for (const rules of ['interface', 'lineage'] as const) {
    const setting = new Setting(rules, { vesting_withdraw_interval_seconds: 9 });
    setting.elect();
    setting.apply(vestings(WITNESSES));
    setting.apply(voters.map((account) => ['withdraw_vesting', { fee, account, vesting_shares: '1.000000 VESTS' }]));
    const left = (): bigint[] => voters.map((name) => setting.accountShares(name) ?? 0n);
    // The lineage's instalments are a day apart, whatever the genesis says.
    const slots = Math.ceil(setting.parameters.withdrawIntervalSeconds / setting.parameters.blockIntervalSeconds);
    while (left().every((shares) => shares === 1_000_000n)) produce(setting.chain, slots);
    const unpaid = left().filter((shares) => shares === 1_000_000n).length;
    assert.equal(unpaid, rules === 'interface' ? 1 : 0);
    produce(setting.chain);
    assert.equal(left().filter((shares) => shares === 1_000_000n).length, 0);
  }
});
