import assert from 'node:assert/strict';
import { test } from 'node:test';

import { packBlock } from '../../../src/blocks/block.ts';
import { merkleRoot } from '../../../src/blocks/merkle.ts';
import type { VerifiedTransaction } from '../../../src/blocks/transaction.ts';
import { verifyTransaction } from '../../../src/blocks/verify.ts';
import { recognised } from '../../../src/p2p/blocks/block_rebuild.ts';
import { BlockServer } from '../../../src/p2p/blocks/block_server.ts';
import { compactBlock } from '../../../src/wire/messages/compact_block.ts';
import type { ServedBlock } from '../../../src/p2p/blocks/recent_blocks.ts';
import { TransactionPool } from '../../../src/p2p/transactions/transaction_pool.ts';
import { openChain, produce, testParameters, makeTransaction, transferJson } from '../../builders/chain.ts';
import { madeUpId } from '../../builders/still_chain.ts';
import { House } from '../house.ts';
import { RandomSource } from '../../builders/random_source.ts';

const MIB = 1024 * 1024;
const [SLICE_MS, LAST_STEP_MS] = [5, 1];
const parameters = testParameters();
const chain = openChain(parameters);
produce(chain);

/** More than are looked at in one go. */
const TRANSACTIONS = 150;
const transactions = Array.from({ length: TRANSACTIONS }, (_, index): VerifiedTransaction =>
  verifyTransaction(
    parameters.chainId,
    makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1, `${index}`)], ['alice']),
  ),
);
const head = packBlock(
  {
    previous: madeUpId(999),
    timestamp: 3003,
    witness: 'bob',
    transaction_merkle_root: merkleRoot(transactions.map(({ leaf }) => leaf)),
    extensions: [],
    witness_signature: `1f${'11'.repeat(64)}`,
  },
  transactions,
);
const transactionIds = Buffer.from(transactions.map(({ id }) => id).join(''), 'hex');

interface Offered {
  readonly served: ServedBlock | undefined;
  readonly busyMs: readonly number[];
}

/** Returns a head's messages to others when it is read in this many parts, and the busy time of the thread for each. */
function offered(
  bytes: Uint8Array,
  id: string,
  parts: number,
  known: readonly VerifiedTransaction[],
  ids?: Uint8Array,
): Offered {
  const house = new House();
  const { clock } = house;
  clock.goesOn = true;
  const pool = new TransactionPool(MIB, new RandomSource(1));
  for (const one of known) pool.add(one, 0);
  house.chain.head = { ...house.chain.head, id };
  const partBytes = Math.ceil(bytes.length / parts);
  house.environment.view.blockId = () => id;
  house.environment.view.readParts = () => ({
    count: parts,
    part: (index) => {
      clock.stall(0.2);
      return bytes.subarray(index * partBytes, (index + 1) * partBytes);
    },
  });
  const read = new BlockServer({ environment: house.environment, turns: house.turns, pool }).head(id, ids);
  const busyMs: number[] = [];
  const resumeReading = (): ReturnType<typeof read> => {
    const startMs = clock.elapsedMs();
    const served = read(startMs + SLICE_MS);
    busyMs.push(clock.elapsedMs() - startMs);
    return served;
  };
  let served = resumeReading();
  while (served === 'later') served = resumeReading();
  return { served, busyMs };
}

for (const [name, known, ids] of [
  ['are known', transactions, transactionIds],
  ['are known in part', transactions.filter((_, index) => index % 3 > 0), transactionIds],
  ['are not told', transactions, undefined],
] as const)
  test(`our own head, whose transactions ${name}, is given as one that a peer has sent`, () => {
    const { served } = offered(head.packed, head.id, 3, known, ids);
    const sent =
      recognised(head.packed, new TransactionPool(MIB, new RandomSource(1))) ?? assert.fail('the block is right');
    assert.ok(served !== undefined);
    assert.deepEqual(Buffer.from(served.packed), Buffer.from(head.packed));
    const { shortIds } = compactBlock.decode(served.compact ?? new Uint8Array());
    assert.deepEqual(Buffer.from(shortIds), Buffer.from(sent.shortIds));
    const lengths = transactions.map(({ packed }) => packed.length);
    assert.deepEqual(
      [...(served.bounds ?? [])].slice(1).map((end, index) => end - (served.bounds?.[index] ?? 0)),
      lengths,
    );
    assert.equal(served.bounds?.at(-1), head.packed.length);
  });

test('our own head of 48 MiB is read in slices of five milliseconds', () => {
  // Of zeros a header without transactions can be read.
  const { busyMs } = offered(new Uint8Array(48 * MIB), madeUpId(1000), 768, []);
  assert.ok(busyMs.length > 10, `${busyMs.length} slices`);
  const longestMs = Math.max(...busyMs);
  assert.ok(longestMs <= SLICE_MS + LAST_STEP_MS, `the thread was busy for ${longestMs} ms at once`);
});
