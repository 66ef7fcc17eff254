import assert from 'node:assert/strict';
import { test } from 'node:test';

import { blockId } from '../../../src/blocks/header.ts';
import type { VerifiedTransaction } from '../../../src/blocks/transaction.ts';
import { BlockRebuild } from '../../../src/p2p/blocks/block_rebuild.ts';
import { ArrivingTransactions } from '../../../src/p2p/transactions/arriving_transactions.ts';
import { packIds } from '../../../src/p2p/transactions/id_table.ts';
import { TransactionPool } from '../../../src/p2p/transactions/transaction_pool.ts';
import { computeShortIds, shortIdKey } from '../../../src/wire/short_ids.ts';
import { leafWords } from '../../builders/leaf_words.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { madeUpId } from '../../builders/still_chain.ts';

const MIB = 1024 * 1024;
const header = {
  previous: madeUpId(999),
  timestamp: 3003,
  witness: 'bob',
  transaction_merkle_root: '0'.repeat(40),
  extensions: [],
  witness_signature: `1f${'11'.repeat(64)}`,
};

/** A transaction that nobody reads. */
function make(number: number): VerifiedTransaction {
  const text = number.toString(16);
  return {
    id: text.padStart(8, '0').padEnd(40, '0'),
    leaf: text.padStart(8, '0').padEnd(64, '1'),
    unsignedBytes: 40,
    packed: Buffer.alloc(64, number & 0xff),
    signers: [`02${(number % 40).toString(16).padStart(64, '0')}`],
    get transaction() {
      return assert.fail('nobody reads it');
    },
  };
}

test('a block off the head finds what others have, among more than a call takes, and only what it asks for', () => {
  const [pool, random] = [new TransactionPool(64 * MIB, new RandomSource(1)), new RandomSource(2)];
  const all = Array.from({ length: 150_000 }, (_, number) => make(number));
  pool.addAll(all, packIds(all), 0);
  pool.applied(7, packIds(all.slice(0, -1)));
  const [first, late, waiting, unknown] = [all[0], all[140_000], all.at(-1), make(200_000)];
  assert(first !== undefined && late !== undefined && waiting !== undefined);
  const leaves = [late, unknown, waiting, first].map(({ leaf }) => leaf);
  const shortIds = computeShortIds(shortIdKey(blockId(header)), leafWords(leaves));
  const arriving = new ArrivingTransactions(new HandClock(0), random);
  const missing = (isOffHead: boolean): readonly number[] =>
    new BlockRebuild(header, shortIds, { pool, arriving, isOffHead }, (below) => random.roll(below)).missing;
  assert.deepEqual(missing(true), [1]);
  assert.deepEqual(missing(false), [0, 1, 3]);
});
