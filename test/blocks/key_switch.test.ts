import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readKeySwitch, keySwitchTransaction } from '../../src/blocks/key_switch.ts';
import { packTransaction, type SignedTransaction } from '../../src/blocks/transaction.ts';
import { operationCodec } from '../../src/operations/index.ts';
import {
  testKey,
  encoding,
  produce,
  openChain,
  signTransaction,
  testParameters,
  transferJson,
} from '../builders/chain.ts';
import { packedSwitch, switchTerms } from '../builders/key_switch.ts';
import { blockReference } from '../../src/values/block_reference.ts';
import { witnesses } from '../../src/state/tables/witness.ts';

const CHAIN = 'ab'.repeat(32);
const TERMS = switchTerms('bob', 'carol', 1_800_000_000);

test('a switch is read back from its bytes, and nothing else is taken for one', () => {
  const packed = packedSwitch(CHAIN, TERMS, 'bob');
  assert.deepEqual(readKeySwitch(packed)?.terms, TERMS);
  const transaction = keySwitchTransaction(TERMS);
  const [operation] = transaction.operations;
  assert.ok(operation !== undefined);
  const props = (value: readonly (readonly [string, string])[]): SignedTransaction => ({
    ...transaction,
    operations: [
      operationCodec.fromJson(
        ['witness_set_properties', { owner: 'alice', props: value.map((each) => [...each]) }],
        encoding,
      ),
    ],
  });
  const others: SignedTransaction[] = [
    { ...transaction, operations: [] },
    { ...transaction, operations: [operation, operation] },
    { ...transaction, operations: [operationCodec.fromJson(transferJson('alice', 'bob', 1), encoding)] },
    { ...transaction, extensions: ['void'] },
    { ...transaction, operations: [operation.withFee({ amount: 1n, symbol: 'COIN' })] },
    props([['key', TERMS.key]]),
    props([
      ['key', TERMS.key],
      ['maximum_block_size', '00000200'],
      ['new_signing_key', TERMS.newKey],
    ]),
    props([
      ['key', `${TERMS.key}00`],
      ['new_signing_key', TERMS.newKey],
    ]),
  ];
  for (const [index, other] of others.entries()) {
    const bytes = signTransaction(CHAIN, other, ['bob']).packed;
    assert.equal(readKeySwitch(bytes), undefined, `other ${index}`);
  }
  assert.equal(readKeySwitch(packTransaction(transaction).packed), undefined, 'without a signature');
  assert.equal(readKeySwitch(signTransaction(CHAIN, transaction, ['bob', 'carol']).packed), undefined, 'with two');
});

test('the chain gives the witness the new key for a switch that its present key has signed, and for no other', () => {
  const parameters = testParameters();
  const chain = openChain(parameters);
  produce(chain);
  produce(chain);
  const terms = {
    ...TERMS,
    owner: 'initminer',
    key: testKey('initminer'),
    ...blockReference(chain.head.id),
    expiration: chain.head.time + 3600,
  };
  const foreign = { ...terms, key: testKey('bob') };
  assert.throws(
    () => chain.accept(signTransaction(parameters.chainId, keySwitchTransaction(terms), ['bob'])),
    /signature/,
  );
  assert.throws(
    () => chain.accept(signTransaction(parameters.chainId, keySwitchTransaction(foreign), ['bob'])),
    /not with the given key/,
  );
  chain.accept(signTransaction(parameters.chainId, keySwitchTransaction(terms), ['initminer']));
  produce(chain);
  assert.equal(chain.committed.get(witnesses, 'initminer')?.signing_key, TERMS.newKey);
});
