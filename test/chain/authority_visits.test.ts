import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../src/base/refusal.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { Json } from '../../src/codec/json.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import {
  testKeyText,
  openChain,
  people,
  produce,
  testParameters,
  makeTransaction,
  transferJson,
} from '../builders/chain.ts';
import { forgedBlock } from '../builders/forged_block.ts';

const members = Array.from({ length: 301 }, (_, index) => `member-${index}`).toSorted();

interface Setting {
  readonly chain: Chain;
  readonly parameters: ChainParameters;
}

/** A chain on which Alice's active authority names the first `count` members; the last of them alone would do. */
function chainWhereAliceNames(count: number, rules: RuleSet): Setting {
  const setting = makeSetting(rules);
  const { chain, parameters } = setting;
  const account_auths = members.slice(0, count).map((name, index): Json => [name, index === count - 1 ? 2 : 1]);
  const update = updateOfAlice({ weight_threshold: 2, account_auths, key_auths: [] });
  chain.accept(makeTransaction(chain, parameters, [update], ['alice']));
  produce(chain);
  return setting;
}

function makeSetting(rules: RuleSet): Setting {
  const accounts = [...people, ...members].map((name) => ({ name, key: testKeyText(name), balance: 10_000_000 }));
  const parameters = testParameters({ initial_accounts: accounts }, rules);
  const chain = openChain(parameters);
  produce(chain);
  return { chain, parameters };
}

function updateOfAlice(active: Json): Json {
  const owner = { weight_threshold: 1, account_auths: [], key_auths: [[testKeyText('alice'), 1]] };
  const update = {
    fee: '0.000000 COIN',
    account: 'alice',
    owner,
    active,
    memo_key: testKeyText('alice'),
    json_metadata: '',
  };
  return ['account_update', update];
}

function payment({ chain, parameters }: Setting, signer: string): VerifiedTransaction {
  return makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1)], [signer]);
}

function outcome(act: () => unknown): string {
  try {
    act();
    return 'ok';
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return error.code;
  }
}

/** Returns the outcome of a payment of Alice that the last of the accounts that she names has signed. */
function acceptanceTime(count: number, rules: RuleSet): string {
  const setting = chainWhereAliceNames(count, rules);
  return outcome(() => setting.chain.accept(payment(setting, members[count - 1] ?? '')));
}

test('a transaction whose check takes more than 125 accounts is refused, but not in the lineage', () => {
  assert.equal(acceptanceTime(124, 'interface'), 'ok');
  assert.equal(acceptanceTime(125, 'interface'), 'too_many_accounts_visited');
  assert.equal(acceptanceTime(125, 'lineage'), 'ok');
  assert.equal(acceptanceTime(299, 'lineage'), 'ok');
});

test('an authority with more members than a check may look at is warned of before it is set', () => {
  const problems = (count: number, rules: RuleSet): readonly string[] => {
    const { chain, parameters } = makeSetting(rules);
    const account_auths = members.slice(0, count).map((name): Json => [name, 1]);
    const update = updateOfAlice({ weight_threshold: count, account_auths, key_auths: [] });
    return chain.check(makeTransaction(chain, parameters, [update], ['alice'])).warnings.map(({ problem }) => problem);
  };
  assert.deepEqual(problems(124, 'interface'), []);
  assert.deepEqual(problems(125, 'interface'), ['too_many_accounts']);
  assert.deepEqual(problems(299, 'lineage'), []);
  assert.deepEqual(problems(300, 'lineage'), ['too_many_accounts'], 'no node takes a transaction by it');
});

test('a block that holds such a transaction is refused too', () => {
  const setting = chainWhereAliceNames(125, 'interface');
  const block = forgedBlock(setting.chain, { transactions: [payment(setting, members[124] ?? '')] });
  assert.equal(
    outcome(() => setting.chain.push(block)),
    'too_many_accounts_visited',
  );
});

test('what a node of the lineage takes from nobody, it takes in a block', () => {
  const setting = chainWhereAliceNames(300, 'lineage');
  const transaction = payment(setting, members[299] ?? '');
  assert.equal(
    outcome(() => setting.chain.accept(transaction)),
    'too_many_accounts_visited',
  );
  assert.equal(
    outcome(() => setting.chain.push(forgedBlock(setting.chain, { transactions: [transaction] }))),
    'ok',
  );
});

test('accounts whose authority is asked for count, each once, and those that are approved do not', () => {
  const setting = chainWhereAliceNames(123, 'interface');
  const { chain, parameters } = setting;
  const twice = [transferJson('alice', 'bob', 1), transferJson('alice', 'bob', 2)];
  const withBob = [...twice, transferJson('bob', 'alice', 1)];
  const withCarol = [...withBob, transferJson('carol', 'alice', 1)];
  const last = members[122] ?? '';
  const by = (operations: readonly Json[], ...signers: string[]): string =>
    outcome(() => chain.accept(makeTransaction(chain, parameters, operations, signers)));
  assert.equal(by(twice, last), 'ok');
  assert.equal(by(withBob, last, 'bob'), 'ok');
  assert.equal(by(withCarol, last, 'bob', 'carol'), 'too_many_accounts_visited');
  // One that was approved on the way is not looked into for itself.
  assert.equal(by([...withBob, transferJson(last, 'alice', 1)], last, 'bob'), 'ok');
});
