import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ProvedBlock } from '../../src/blocks/block.ts';
import type { ProvedTransaction } from '../../src/blocks/transaction.ts';
import { decodeProvedBatch, encodeProvedBatch } from '../../src/node/threads/proved_batch.ts';
import { decodeProvedBlocks, encodeProvedBlocks } from '../../src/node/threads/proved_blocks.ts';
import { openChain, produce, testParameters, transactionOn, transferJson } from '../builders/chain.ts';

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
  assert.deepEqual(
    arrived.map(({ proved }) => membersOf(proved)),
    items.map(({ proved }) => membersOf(proved)),
  );
});

test('transactions of a batch can be asked in any order, again and again', () => {
  const sent = [1, 2, 3].map((amount) => transactionOn(chain, parameters, [transferJson('alice', 'bob', amount)], ['alice']));
  const [first, second, third] = decodeProvedBatch(encodeProvedBatch(sent.map((proved, ticket) => ({ ticket, proved }))));
  for (const index of [2, 0, 0, 1, 2, 0]) {
    const arrived = [first, second, third][index]?.proved ?? assert.fail();
    assert.deepEqual(membersOf(arrived), membersOf(sent[index] ?? assert.fail()));
  }
});

test('proved blocks arrive at the writer with everything that was found out', () => {
  const blocks = [[1, 2], [], [3]].map((amounts): ProvedBlock => {
    for (const amount of amounts) chain.accept(transactionOn(chain, parameters, [transferJson('alice', 'bob', amount)], ['alice']));
    return produce(chain);
  });
  const arrived = decodeProvedBlocks(encodeProvedBlocks(blocks));
  const facts = ({ number, id, header, signer, packed, transactions }: ProvedBlock): object => {
    return { number, id, header, signer, packed: Buffer.from(packed), transactions: transactions.map(membersOf) };
  };
  assert.deepEqual(arrived.map(facts), blocks.map(facts));
});

test('a signature that no key can have made stays one of nobody', () => {
  const proved = {
    ...transactionOn(chain, parameters, [transferJson('alice', 'bob', 1)], ['alice', 'bob']),
    signers: [undefined, '02'.repeat(33)],
  };
  assert.deepEqual(decodeProvedBatch(encodeProvedBatch([{ ticket: 1, proved }]))[0]?.proved.signers, [undefined, '02'.repeat(33)]);
});

function membersOf({ id, leaf, packed, unsignedBytes, signers, transaction }: ProvedTransaction): object {
  const values = JSON.stringify(transaction, (_member, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  return { id, leaf, packed: Buffer.from(packed).toString('hex'), unsignedBytes, signers, values };
}
