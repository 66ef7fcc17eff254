import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeProvedBatch, encodeProvedBatch } from '../../src/node/threads/proved_batch.ts';
import { openChain, testParameters, transactionOn, transferJson } from '../builders/chain.ts';

const parameters = testParameters();
const chain = openChain(parameters);

test('proved transactions arrive at the writer with everything that the verifier computed', () => {
  const items = [
    { ticket: 0, proved: transactionOn(chain, parameters, [transferJson('alice', 'bob', 1)], []) },
    { ticket: 7, proved: transactionOn(chain, parameters, [transferJson('alice', 'bob', 2, 'memo')], ['alice']) },
    {
      ticket: 0xffff_ffff,
      proved: transactionOn(chain, parameters, [transferJson('alice', 'bob', 3), transferJson('bob', 'carol', 4)], ['alice', 'bob']),
    },
  ];
  const arrived = decodeProvedBatch(encodeProvedBatch(items));
  assert.deepEqual(
    arrived.map(({ ticket }) => ticket),
    [0, 7, 0xffff_ffff],
  );
  arrived.forEach(({ proved }, index) => {
    const { packed, ...sent } = items[index]?.proved ?? assert.fail();
    const { packed: bytes, ...received } = proved;
    assert.deepEqual(Buffer.from(bytes), Buffer.from(packed));
    assert.equal(JSON.stringify(received, textOfBigint), JSON.stringify(sent, textOfBigint));
  });
});

test('a signature that no key can have made stays one of nobody', () => {
  const proved = {
    ...transactionOn(chain, parameters, [transferJson('alice', 'bob', 1)], ['alice', 'bob']),
    signers: [undefined, '02'.repeat(33)],
  };
  assert.deepEqual(decodeProvedBatch(encodeProvedBatch([{ ticket: 1, proved }]))[0]?.proved.signers, [undefined, '02'.repeat(33)]);
});

function textOfBigint(_member: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
