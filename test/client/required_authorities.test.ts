import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeJson } from '../../src/codec/json_writer.ts';
import type { Operation } from '../../src/client/index.ts';
import { requiredAuthorities } from '../../src/client/required_authorities.ts';
import { operationCodec, operationKinds } from '../../src/operations/index.ts';
import { encoding, openChain, produce, testParameters } from '../builders/chain.ts';
import { RandomOperations } from '../builders/random_operations/index.ts';
import { RandomSource } from '../builders/random_source.ts';

test('the client names the authorities of accounts that each kind of operation declares', () => {
  const chain = openChain(testParameters());
  produce(chain);
  const operations = new RandomOperations(chain, new RandomSource(7), new Map());
  const levels = new Set<string>();
  for (const { name } of Object.values(operationKinds).filter(({ isVirtual }) => !isVirtual))
    for (let times = 0; times < 20; times++) {
      const operation = operationCodec.fromJson(operations.make(name).operation, encoding);
      const { active = [], owner = [] } = operation.authorities();
      const shown: Operation = JSON.parse(writeJson(operationCodec.toJson(operation, encoding)));
      assert.deepEqual(
        requiredAuthorities([shown]).map(({ account, level }) => `${name} ${level} ${account}`),
        [...active.map((each) => `${name} active ${each}`), ...owner.map((each) => `${name} owner ${each}`)],
      );
      for (const level of [...active.map(() => 'active'), ...owner.map(() => 'owner')]) levels.add(`${name} ${level}`);
    }
  for (const each of ['account_update active', 'account_update owner', 'set_reset_account owner'])
    assert.ok(levels.has(each), each);
});

test('an authority that several operations need is named once', () => {
  const pay = { amount: '1.000000 COIN', fee: '0.010000 COIN', memo: '' };
  assert.deepEqual(
    requiredAuthorities([
      ['transfer', { ...pay, from: 'alice', to: 'bob' }],
      ['transfer', { ...pay, from: 'alice', to: 'carol' }],
      ['transfer', { ...pay, from: 'bob', to: 'carol' }],
    ]),
    [
      { account: 'alice', level: 'active' },
      { account: 'bob', level: 'active' },
    ],
  );
});
