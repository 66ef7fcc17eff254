import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { VerifiedBlock } from '../../src/blocks/block.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import { decodeVerifiedBatch, encodeVerifiedBatch } from '../../src/blocks/verified_batch.ts';
import { decodeVerifiedBlocks, encodeVerifiedBlocks } from '../../src/blocks/verified_blocks.ts';
import { openChain, produce, testParameters, makeTransaction, transferJson } from '../builders/chain.ts';

const parameters = testParameters();
const chain = openChain(parameters);

test('verified transactions arrive at the writer with everything that the verifier computed', () => {
  const items = [
    { ticket: 0, verified: makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1)], []) },
    { ticket: 7, verified: makeTransaction(chain, parameters, [transferJson('alice', 'bob', 2, 'memo')], ['alice']) },
    {
      ticket: 0xffff_ffff,
      verified: makeTransaction(
        chain,
        parameters,
        [transferJson('alice', 'bob', 3), transferJson('bob', 'carol', 4)],
        ['alice', 'bob'],
      ),
    },
  ];
  const arrived = decodeVerifiedBatch(encodeVerifiedBatch(items));
  assert.deepEqual(
    arrived.map(({ ticket }) => ticket),
    [0, 7, 0xffff_ffff],
  );
  assert.deepEqual(
    arrived.map(({ verified }) => pickMembers(verified)),
    items.map(({ verified }) => pickMembers(verified)),
  );
});

test('transactions of a batch can be asked in any order, again and again', () => {
  const sent = [1, 2, 3].map((amount) =>
    makeTransaction(chain, parameters, [transferJson('alice', 'bob', amount)], ['alice']),
  );
  const [first, second, third] = decodeVerifiedBatch(
    encodeVerifiedBatch(sent.map((verified, ticket) => ({ ticket, verified }))),
  );
  for (const index of [2, 0, 0, 1, 2, 0]) {
    const arrived = [first, second, third][index]?.verified ?? assert.fail();
    assert.deepEqual(pickMembers(arrived), pickMembers(sent[index] ?? assert.fail()));
  }
});

test('verified blocks arrive at the writer with everything that was found out', () => {
  const blocks = [[1, 2], [], [3]].map((amounts): VerifiedBlock => {
    for (const amount of amounts)
      chain.accept(makeTransaction(chain, parameters, [transferJson('alice', 'bob', amount)], ['alice']));
    return produce(chain);
  });
  const arrived = decodeVerifiedBlocks(encodeVerifiedBlocks(blocks));
  const facts = ({ number, id, header, signer, packed, transactions }: VerifiedBlock): object => {
    return { number, id, header, signer, packed: Buffer.from(packed), transactions: transactions.map(pickMembers) };
  };
  assert.deepEqual(arrived.map(facts), blocks.map(facts));
});

test('a signature that no key can have made stays one of nobody', () => {
  const verified = {
    ...makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1)], ['alice', 'bob']),
    signers: [undefined, '02'.repeat(33)],
  };
  assert.deepEqual(decodeVerifiedBatch(encodeVerifiedBatch([{ ticket: 1, verified }]))[0]?.verified.signers, [
    undefined,
    '02'.repeat(33),
  ]);
});

function pickMembers({ id, leaf, packed, unsignedBytes, signers, transaction }: VerifiedTransaction): object {
  const values = JSON.stringify(transaction, (_member, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return { id, leaf, packed: Buffer.from(packed).toString('hex'), unsignedBytes, signers, values };
}
