import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { VerifiedTransaction } from '../../../src/blocks/transaction.ts';
import { verifyTransaction } from '../../../src/blocks/verify.ts';
import { shortIdKey, computeShortIds, ShortIdTable } from '../../../src/wire/short_ids.ts';
import { leafWords } from '../../builders/leaf_words.ts';
import { decodeVerifiedBatch, encodeVerifiedBatch } from '../../../src/blocks/verified_batch.ts';
import { ID_BYTES } from '../../../src/values/hash.ts';
import { packIds } from '../../../src/p2p/transactions/id_table.ts';
import { TransactionPool } from '../../../src/p2p/transactions/transaction_pool.ts';
import { openChain, people, produce, testParameters, makeTransaction, transferJson } from '../../builders/chain.ts';
import { RandomSource } from '../../builders/random_source.ts';

const parameters = testParameters();
const chain = openChain(parameters);
produce(chain);
let memos = 0;

function transfer(from: string, expiration = chain.head.time + 300): VerifiedTransaction {
  const made = makeTransaction(chain, parameters, [transferJson(from, 'initminer', 1, `${memos++}`)], [from], {
    expiration,
  });
  return verifyTransaction(parameters.chainId, made);
}

const joinIds = (some: readonly VerifiedTransaction[]): Uint8Array =>
  Buffer.from(some.map(({ id }) => id).join(''), 'hex');
/** Returns the pool's transactions among these. */
const keptTransactions = (pool: TransactionPool, some: readonly VerifiedTransaction[]): unknown[] =>
  some.map((_, index) => described(pool.at(pool.find(joinIds(some), index * ID_BYTES))));
const described = (one: VerifiedTransaction | undefined): unknown =>
  one && {
    ...{ id: one.id, leaf: one.leaf, signers: one.signers },
    packed: Buffer.from(one.packed),
    ...{ unsignedBytes: one.unsignedBytes },
  };
const totalBytes = (some: readonly VerifiedTransaction[]): number =>
  some.reduce((sum, { packed }) => sum + packed.length, 0);
const payers = people.slice(0, 3);

test('what is in a block does not count, is found until that is irreversible, and waits again when it is undone', () => {
  const pool = new TransactionPool(1024 * 1024, new RandomSource(1));
  const all = Array.from({ length: 6 }, (_, k) => transfer(payers[k % 3] ?? ''));
  for (const one of all) assert(pool.add(one, 0));
  assert.equal(pool.bytes, totalBytes(all));
  pool.applied(7, joinIds(all.slice(0, 4)));
  assert.equal(pool.bytes, totalBytes(all.slice(4)));
  assert.equal(pool.includedBytes, totalBytes(all.slice(0, 4)));
  assert.deepEqual(keptTransactions(pool, all), all.map(described));
  pool.undone(7);
  assert.equal(pool.bytes, totalBytes(all));
  pool.applied(7, joinIds(all.slice(0, 2)));
  pool.tidy(chain.head.time, 6, 0);
  assert.equal(pool.count, 6);
  pool.tidy(chain.head.time, 7, 0);
  assert.equal(pool.count, 4);
  assert.equal(pool.includedBytes, 0);
  assert.deepEqual(keptTransactions(pool, all), [undefined, undefined, ...all.slice(2).map(described)]);
});

/** As they come from the writer, in one piece of memory. */
function together(some: readonly VerifiedTransaction[]): VerifiedTransaction[] {
  return decodeVerifiedBatch(encodeVerifiedBatch(some.map((verified) => ({ ticket: 0, verified })))).map(
    ({ verified }) => verified,
  );
}

test('what has expired is forgotten, and what stays longer than most that came with it gets memory of its own and is the same', () => {
  const pool = new TransactionPool(1024 * 1024, new RandomSource(1));
  const short = Array.from({ length: 8 }, () => transfer('alice', chain.head.time + 10));
  const [long, ...others] = [transfer('alice'), transfer('bob'), transfer('bob')];
  const alone = together([long, ...short]);
  const inCompany = together(others);
  for (const one of [...alone, ...inCompany]) pool.add(one, 0);
  pool.tidy(chain.head.time, 0, 61_000);
  assert.equal(pool.get(long.id)?.packed.buffer, alone[0]?.packed.buffer, 'nothing is moved while most is here');
  pool.tidy(chain.head.time + 11, 0, 61_000);
  for (const { id } of short) assert.equal(pool.get(id), undefined);
  pool.tidy(chain.head.time + 11, 0, 61_000);
  const kept = pool.get(long.id) ?? assert.fail();
  assert.notEqual(kept.packed.buffer, alone[0]?.packed.buffer);
  assert.deepEqual(described(kept), described(long));
  for (const [index, one] of keptTransactions(pool, others).entries()) assert.deepEqual(one, described(others[index]));
  for (const { id, packed } of inCompany) assert.equal(pool.get(id)?.packed.buffer, packed.buffer);
  pool.tidy(chain.head.time + 301, 0, 62_000);
  assert.deepEqual([pool.count, pool.bytes], [0, 0]);
});

test('short ids find what waits, and of what is in a block only who asks for that', () => {
  const pool = new TransactionPool(1024 * 1024, new RandomSource(1));
  const all = Array.from({ length: 6 }, (_, k) => transfer(payers[k % 3] ?? ''));
  for (const one of all) pool.add(one, 0);
  const key = shortIdKey('0'.repeat(40));
  const shortIds = computeShortIds(key, leafWords(all.map(({ leaf }) => leaf)));
  const found = (isIncluded = false): unknown[] => {
    const table = new ShortIdTable(key, shortIds, () => 1);
    if (isIncluded) pool.matchIncluded(table);
    else pool.match(table);
    return Array.from(table.matches, (slot) => (slot < 0 ? undefined : described(pool.at(slot))));
  };
  const expected = all.map(described);
  assert.deepEqual(found(), expected);
  pool.applied(7, joinIds(all.slice(0, 4)));
  assert.deepEqual(found(), [undefined, undefined, undefined, undefined, ...expected.slice(4)]);
  assert.deepEqual(found(true), [...expected.slice(0, 4), undefined, undefined]);
  const more = transfer('alice');
  pool.add(more, 0);
  pool.undone(7);
  assert.deepEqual(found(), expected);
  assert(found(true).every((one) => one === undefined));
});

test('one payer has a sixteenth at most, all together what there is', () => {
  const [first] = [transfer('alice')];
  const pool = new TransactionPool(first.packed.length * 40, new RandomSource(1));
  assert(pool.add(first, 0));
  const taken = Array.from({ length: 10 }, () => pool.add(transfer('alice'), 0)).filter(Boolean).length;
  assert(taken >= 0 && taken <= 2, `${taken} more of one payer`);
  assert(pool.add(transfer('bob'), 0));
  // What a block has makes room.
  pool.applied(3, joinIds([first]));
  assert(pool.add(transfer('alice'), 0));
});

test('whatever happens to it, its bytes are those of what it has', () => {
  const pool = new TransactionPool(20_000, new RandomSource(1));
  const all = Array.from({ length: 120 }, (_, k) => transfer(payers[k % 3] ?? '', chain.head.time + (k % 7) * 10));
  for (const [k, one] of all.entries()) {
    pool.add(one, k * 1000);
    if (k % 5 === 4) pool.applied(k, joinIds(all.slice(k - 4, k - 1)));
    if (k % 15 === 14) pool.undone(k);
    if (k % 20 === 19) pool.tidy(chain.head.time + k / 4, k - 40, k * 1000);
    const left = all.filter(({ id }) => pool.get(id) !== undefined);
    assert.equal(pool.bytes + pool.includedBytes, totalBytes(left));
    assert(pool.bytes <= 20_000 && pool.includedBytes <= 20_000);
    assert.equal(pool.count, left.length);
  }
});

test('tens of thousands leave the garbage collector no objects of theirs to look at', () => {
  const pool = new TransactionPool(64 * 1024 * 1024, new RandomSource(1));
  const some = [transfer('alice'), transfer('bob')] as const;
  const made = (k: number): VerifiedTransaction => {
    const [id, leaf] = [randomBytes(20).toString('hex'), randomBytes(32).toString('hex')];
    return { ...some[k % 2 === 0 ? 0 : 1], id, leaf };
  };
  const add = (batches: number): void => {
    for (let batch = 0; batch < batches; batch++)
      for (const one of together(Array.from({ length: 500 }, (_, k) => made(k)))) pool.add(one, 0);
  };
  add(10);
  const before = heapBytes();
  add(40);
  const each = (heapBytes() - before) / 20_000;
  assert.equal(pool.count, 25_000);
  assert(each < 200, `${each.toFixed(0)} bytes of the heap for each; three are references of 8`);
  const last = together([made(0), made(1)]);
  pool.addAll(last, packIds(last), 0);
  assert.deepEqual(keptTransactions(pool, last), last.map(described));
});

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert(typeof collect === 'function');
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
