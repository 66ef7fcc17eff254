import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';

import { leafBytes } from '../../../src/blocks/packed_verified_transaction.ts';
import type { VerifiedTransaction } from '../../../src/blocks/transaction.ts';
import { decodeVerifiedBatch, encodeVerifiedBatch } from '../../../src/blocks/verified_batch.ts';
import { packIds } from '../../../src/p2p/transactions/id_table.ts';
import { TransactionPool } from '../../../src/p2p/transactions/transaction_pool.ts';
import { computeShortIds, LEAF_WORDS, shortIdKey, ShortIdTable } from '../../../src/wire/short_ids.ts';
import { leafWords } from '../../builders/leaf_words.ts';
import { NULL_KEY } from '../../../src/values/public_key.ts';
import { RandomSource } from '../../builders/random_source.ts';

const STEPS = 500;
const EXPIRATION_AT = 6;
const SHARES = 16;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const keys = Array.from({ length: 12 }, (_, k) => `02${sha256(`key ${k}`)}`);

/** The values of a transaction; nobody reads its operations. */
interface Facts {
  readonly verified: VerifiedTransaction;
  readonly expiration: number;
  /** 0 in none. */
  block: number;
}

/** A pool of objects in a map, as plainly as can be. */
class PoolModel {
  readonly all = new Map<string, Facts>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(facts: Facts): void {
    const { id, packed, signers } = facts.verified;
    const ofPayer = this.bytes((other) => other.block === 0 && payer(other.verified.signers) === payer(signers));
    const isRoom = ofPayer + packed.length <= this.#most / SHARES && this.waitingBytes + packed.length <= this.#most;
    if (isRoom && !this.all.has(id)) this.all.set(id, { ...facts });
  }

  applied(number: number, some: readonly Facts[]): void {
    for (const one of some) one.block = number;
    for (let oldest = 1; this.includedBytes > this.#most; oldest++) this.forget(({ block }) => block === oldest);
  }

  undone(number: number): void {
    for (const one of this.all.values()) if (one.block === number) one.block = 0;
  }

  forget(isForgotten: (one: Facts) => boolean): void {
    for (const [id, one] of this.all) if (isForgotten(one)) this.all.delete(id);
  }

  bytes(isCounted: (one: Facts) => boolean): number {
    return [...this.all.values()].filter(isCounted).reduce((sum, { verified }) => sum + verified.packed.length, 0);
  }

  get waitingBytes(): number {
    return this.bytes(({ block }) => block === 0);
  }

  get includedBytes(): number {
    return this.bytes(({ block }) => block !== 0);
  }
}

const payer = ([first = NULL_KEY]: VerifiedTransaction['signers']): string => first;

function described(one: VerifiedTransaction | undefined): unknown {
  if (one === undefined) return undefined;
  const { id, leaf, unsignedBytes, packed, signers } = one;
  return { id, leaf, unsignedBytes, packed: Buffer.from(packed).toString('hex'), signers };
}

/** As they come from the writer, in one piece of memory. */
function together(some: readonly VerifiedTransaction[]): VerifiedTransaction[] {
  const items = decodeVerifiedBatch(encodeVerifiedBatch(some.map((verified) => ({ ticket: 0, verified }))));
  return items.map(({ verified }) => verified);
}

/** The leaves of those that short ids of all find. */
function matched(pool: TransactionPool, made: readonly Facts[], isIncluded: boolean): string[] {
  const key = shortIdKey('0'.repeat(40));
  const shortIds = computeShortIds(key, leafWords(made.map(({ verified }) => verified.leaf)));
  const table = new ShortIdTable(key, shortIds, () => 1);
  if (isIncluded) pool.matchIncluded(table);
  else pool.match(table);
  return Array.from(table.matches).flatMap((slot) => pool.at(slot)?.leaf ?? []);
}

for (const [seed, most] of [3000, 20_000, 4_000_000, 3000, 20_000].entries())
  test(`a pool of ${most} bytes has what a map of objects has, whatever happens to it (seed ${seed})`, () => {
    const random = new RandomSource(seed);
    const [pool, model] = [new TransactionPool(most, new RandomSource(seed)), new PoolModel(most)];
    const made: Facts[] = [];
    let [head, irreversible, nowMs, blocks] = [1000, 0, 0, 0];

    const make = (): Facts => {
      const [name, expiration] = [`${seed} ${made.length}`, head + random.roll(600) - 20];
      const packed = Buffer.alloc(40 + random.roll(300), made.length & 0xff);
      packed.writeUInt32LE(expiration, EXPIRATION_AT);
      const signers = Array.from({ length: random.pick([1, 1, 1, 1, 2, 3, 0]) }, () =>
        random.chance(10) ? undefined : random.pick(keys),
      );
      const [id, leaf] = [sha256(`id ${name}`).slice(0, 40), sha256(`leaf ${name}`)];
      const verified = {
        ...{ id, leaf, unsignedBytes: 20, packed, signers },
        get transaction() {
          return assert.fail('nobody reads it');
        },
      };
      const facts = { verified, expiration, block: 0 };
      made.push(facts);
      return facts;
    };
    const add = (): void => {
      const some = Array.from({ length: 1 + random.roll(30) }, make);
      if (random.chance(25)) some.push(random.pick(made));
      for (const one of some) model.add(one);
      const verified = some.map((one) => one.verified);
      const given = random.chance(30) ? verified : together(verified);
      if (random.chance(50)) pool.addAll(given, packIds(given), nowMs);
      else for (const one of given) pool.add(one, nowMs);
    };
    const apply = (): void => {
      const some = [...model.all.values()].filter(({ block }) => block === 0 && random.chance(30));
      const stranger = random.chance(50) ? [make()] : [];
      blocks++;
      pool.applied(blocks, packIds([...some, ...stranger].map(({ verified }) => verified)));
      model.applied(blocks, some);
    };
    const undo = (): void => {
      pool.undone(blocks);
      model.undone(blocks);
    };
    const tidy = (): void => {
      head += random.roll(10);
      irreversible = Math.max(irreversible, blocks - random.roll(6));
      pool.tidy(head, irreversible, nowMs);
      model.forget(({ block, expiration }) => (block === 0 ? expiration < head : block <= irreversible));
    };
    const look = (): void => {
      const { verified } = made.length === 0 ? make() : random.pick(made);
      const known = model.all.get(verified.id)?.verified;
      const slot = pool.find(packIds([verified]), 0);
      assert.deepEqual(described(pool.same(verified)), described(known));
      assert.equal(pool.isSame(slot, verified.packed), known !== undefined);
      assert.equal(pool.isSame(slot, verified.packed.subarray(1)), false);
      assert.equal(pool.signerOf(slot), known?.signers[0]);
      const block = Buffer.concat([verified.packed, Buffer.from('what follows it')]);
      const words = new Int32Array(LEAF_WORDS + 1);
      assert.equal(pool.copyLeaf(slot, block, words, 1), known?.packed.length);
      if (known !== undefined) assert.deepEqual(words.subarray(1), leafWords([known.leaf]));
      block.writeUInt8(block.readUInt8(verified.packed.length - 1) ^ 1, verified.packed.length - 1);
      assert.equal(pool.copyLeaf(slot, block, words, 1), undefined);
      const found = pool.at(slot);
      if (found !== undefined) assert.equal(Buffer.from(leafBytes(found)).toString('hex'), known?.leaf);
    };

    for (let step = 0; step < STEPS; step++) {
      nowMs += random.roll(8000);
      random.pick([add, add, add, apply, undo, tidy, look, look])();
      assert.deepEqual(
        [pool.count, pool.bytes, pool.includedBytes],
        [model.all.size, model.waitingBytes, model.includedBytes],
      );
      if (step % 20 > 0) continue;
      const all = [...model.all.values()];
      assert.deepEqual(
        all.map(({ verified }) => described(pool.get(verified.id))),
        all.map(({ verified }) => described(verified)),
      );
      for (const isIncluded of [false, true]) {
        const some = all.filter(({ block }) => (block !== 0) === isIncluded).map(({ verified }) => verified.leaf);
        assert.deepEqual(matched(pool, made, isIncluded).toSorted(), some.toSorted());
      }
    }
    assert(made.length > STEPS && blocks > 0);
  });
