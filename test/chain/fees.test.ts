import assert from 'node:assert/strict';
import { test } from 'node:test';

import { catchRefusal } from '../../src/base/refusal.ts';
import type { Json } from '../../src/codec/json.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { accountBalance, testKeyText, openChain, produce, testParameters, makeTransaction } from '../builders/chain.ts';

const free = '0.000000 COIN';

/** A chain on which alice sponsors bob. */
class Sponsored {
  readonly parameters;
  readonly chain;

  constructor(rules: RuleSet = 'interface') {
    this.parameters = testParameters({}, rules);
    this.chain = openChain(this.parameters);
    produce(this.chain);
    this.apply('alice', ['sponsor_fees', { fee: free, sponsor: 'alice', sponsored: 'bob', is_sponsoring: true }]);
  }

  apply(signer: string | readonly string[], ...operations: Json[]): void {
    const signers = typeof signer === 'string' ? [signer] : signer;
    this.chain.accept(makeTransaction(this.chain, this.parameters, operations, signers));
    produce(this.chain);
  }

  refusalOf(signer: string | readonly string[], ...operations: Json[]): string {
    return catchRefusal(() => this.apply(signer, ...operations))?.code ?? 'none';
  }

  balance(name: string): bigint {
    return accountBalance(this.chain, name);
  }
}

function transfer(from: string, fee: string, amount = '1.000000 COIN', to = 'carol'): Json {
  return ['transfer', { fee, from, to, amount, memo: '' }];
}

test('a sponsored account spends no more of its sponsor’s coins than an operation costs, whatever fee it offers', () => {
  const node = new Sponsored();
  const before = node.balance('alice');
  assert.equal(node.refusalOf('bob', transfer('bob', '9000000.000000 COIN')), 'fee_above_required');
  assert.equal(node.refusalOf('bob', transfer('bob', '0.010001 COIN')), 'fee_above_required');
  node.apply('bob', transfer('bob', '0.010000 COIN'));
  assert.equal(node.balance('alice'), before - 10_000n);
  // With the sponsor's own signature on something of its own the sponsor agrees to what it is charged.
  node.apply(['alice', 'bob'], transfer('bob', '0.020000 COIN'), transfer('alice', '0.010000 COIN'));
  assert.equal(node.balance('alice'), before - 10_000n - 20_000n - 10_000n - 1_000_000n);
  const lineage = new Sponsored('lineage');
  lineage.apply('bob', transfer('bob', '9000000.000000 COIN'));
  assert(lineage.balance('alice') < before - 8_000_000_000_000n);
});

test('a sponsor that cannot pay is passed over, and nobody’s transfers stop for it', () => {
  for (const [rules, refusal] of [
    ['interface', 'none'],
    ['lineage', 'fee_not_covered'],
  ] as const) {
    const node = new Sponsored(rules);
    node.apply('alice', transfer('alice', '0.010000 COIN', '9999999.989000 COIN'));
    assert.equal(node.balance('alice'), 1_000n);
    const before = node.balance('bob');
    assert.equal(node.refusalOf('bob', transfer('bob', '0.010000 COIN')), refusal);
    if (refusal === 'none') assert.equal(node.balance('bob'), before - 1_010_000n);
    // What costs nothing any sponsor covers.
    assert.equal(
      node.refusalOf('bob', [
        'account_update',
        { fee: free, account: 'bob', json_metadata: '{}', memo_key: testKeyText('bob') },
      ]),
      'none',
    );
  }
});

test('an account that pays for itself may offer more than an operation costs', () => {
  const node = new Sponsored();
  const before = node.balance('carol');
  node.apply('carol', transfer('carol', '5.000000 COIN', '1.000000 COIN', 'alice'));
  assert.equal(node.balance('carol'), before - 6_000_000n);
});

test('who receives from the promotion pool pays no fee that somebody else thought of', () => {
  const node = new Sponsored();
  const body = { fee: '7.000000 COIN', transfer_to: 'carol', amount: '0.000001 COIN', extensions: [] };
  assert.equal(node.refusalOf('initminer', ['transfer_from_promotion_pool', body]), 'fee_above_required');
  assert.equal(node.refusalOf('initminer', ['transfer_from_promotion_pool', { ...body, fee: free }]), 'none');
});

test('the key that a witness produces with spends no coins of the account behind it', () => {
  const node = new Sponsored();
  const body = {
    fee: '7.000000 COIN',
    owner: 'initminer',
    props: { key: testKeyText('initminer'), url: 'http://w' },
    extensions: [],
  };
  assert.equal(node.refusalOf('initminer', ['witness_set_properties', body]), 'fee_above_required');
  assert.equal(node.refusalOf('initminer', ['witness_set_properties', { ...body, fee: free }]), 'none');
});

test('a fee of nothing in a symbol without prices is refused for the missing history, as the lineage does', () => {
  for (const rules of ['interface', 'lineage'] as const) {
    const node = new Sponsored(rules);
    const vest = (fee: string): Json => [
      'transfer_to_vesting',
      { fee, from: 'carol', to: '', amount: '1.000000 COIN' },
    ];
    assert.equal(node.refusalOf('carol', vest('0.000000 VESTS')), 'symbol_history_not_found');
    assert.equal(node.refusalOf('carol', vest('0.000000 XYZ')), 'symbol_history_not_found');
    assert.equal(node.refusalOf('carol', vest('0.000000 USD')), 'no_price');
    assert.equal(node.refusalOf('carol', transfer('carol', '0.010000 VESTS')), 'fee_symbol');
  }
});
