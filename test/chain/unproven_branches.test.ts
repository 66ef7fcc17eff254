import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { Refusal, catchRefusal } from '../../src/base/refusal.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import { merkleRoot } from '../../src/blocks/merkle.ts';
import { signatureRules } from '../../src/blocks/signature_form.ts';
import { readSigningRound } from '../../src/chain/apply/branch_point.ts';
import { Chain } from '../../src/chain/chain.ts';
import { branchRule } from '../../src/chain/apply/validate_header.ts';
import type { Json } from '../../src/codec/json.ts';
import { hardforkProperty } from '../../src/state/tables/hardfork_property.ts';
import { HEAD_COLUMN, sideBlockRange } from '../../src/state/head_record.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { columns, WriteBatch, type KeyValueStore } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { NEVER } from '../../src/values/limits.ts';
import { ZERO_HASH160 } from '../../src/values/hash.ts';
import { assertSound, openChain, makeTransaction, transferJson } from '../builders/chain.ts';
import { forgedBlock } from '../builders/forged_block.ts';
import {
  copyBlock,
  growSide,
  HERE,
  nextSlot,
  partedChains,
  THERE,
  witnessUpdate,
} from '../builders/parted_witnesses.ts';

const refusedAs =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof Refusal && error.code === code;

const sideBlocks = (store: KeyValueStore): number =>
  store.range(HEAD_COLUMN, { ...sideBlockRange(ZERO_HASH160), limit: 1_000_000 }).length;

/** Two nodes that part; the first measures the time of tries by `ms`, and each look at the clock takes one. */
class Parting {
  ms = 1_000_000;
  readonly parameters: ChainParameters;
  readonly store: KeyValueStore;
  readonly there: Chain;
  readonly here: Chain;

  constructor(heldBytes?: number) {
    const { parameters, store, there } = partedChains();
    this.parameters = parameters;
    this.store = store;
    this.there = there;
    this.here = this.open(store, heldBytes);
  }

  open(store: KeyValueStore, heldBytes?: number): Chain {
    const { parameters } = this;
    return new Chain({
      store,
      parameters,
      durable: false,
      elapsedMs: () => (this.ms += 1),
      ...(heldBytes === undefined ? {} : { heldBytes }),
    });
  }

  /** A block of `there`’s witness for its next slot behind the branch point, with that in it. */
  first(witness: string, operations: readonly (readonly [Json, string])[]): VerifiedBlock {
    const { there, parameters } = this;
    const transactions = operations.map(([operation, signer]) =>
      makeTransaction(there, parameters, [operation], [signer]),
    );
    return forgedBlock(there, { header: nextSlot(there, [witness]), transactions });
  }

  /**
   * The next block of a witness behind a block that the first node knows; `from` says how many slots later at least.
   */
  next({ id, header }: VerifiedBlock, witness: string, signer = witness, from = 1): VerifiedBlock {
    for (let slot = from; ; slot++) {
      const block = forgedBlock(this.there, {
        header: { previous: id, timestamp: header.timestamp + 3 * slot, witness },
        signer,
      });
      if (catchRefusal(() => this.here.judge(block))?.code !== 'wrong_witness') return block;
    }
  }

  /** A block in which carol gives bob her own key, which she may not. */
  hostileFirst(tag: number): VerifiedBlock {
    return this.first('carol', [
      [witnessUpdate('bob', 'carol'), 'carol'],
      [transferJson('carol', 'dave', 1 + tag), 'carol'],
    ]);
  }

  /** Another block of the same slot, signed with carol's key. */
  makeTwin({ header: { previous, timestamp, witness } }: VerifiedBlock, tag: number): VerifiedBlock {
    const transactions = [
      makeTransaction(this.there, this.parameters, [transferJson('carol', 'dave', 1 + tag)], ['carol']),
    ];
    const merkle = merkleRoot(transactions.map(({ leaf }) => leaf));
    return forgedBlock(this.there, {
      header: { previous, timestamp, witness, transaction_merkle_root: merkle },
      transactions,
      signer: 'carol',
    });
  }

  isKept(block: VerifiedBlock): boolean {
    return catchRefusal(() => this.here.judge(block)) === undefined && this.here.judge(block) === 'known';
  }

  /** A branch of one witness that comes to nothing: there is a pause behind it. */
  tryInVain(source: string, witness: string, tag: number): void {
    const amount = 20_000_000_000_000n + BigInt(tag);
    let last = this.first(witness, [[transferJson('erin', 'bob', amount), 'erin']]);
    this.here.push(last, source);
    const grow = (): void => {
      for (;;) this.here.push((last = this.next(last, witness)), source);
    };
    assert.throws(grow, refusedAs('insufficient_funds'));
  }
}

test('of the branches that wait, one whose keys were probably given rightly is tried before a longer one whose were not', () => {
  for (const isLikelyFirst of [true, false]) {
    const parting = new Parting();
    const { here } = parting;
    growSide(here, HERE, 1);
    parting.tryInVain('liar', 'bob', 1);
    const doubtful = parting.first('carol', [[witnessUpdate('bob', 'bob2'), 'erin']]);
    const likely = parting.first('carol', [[witnessUpdate('bob', 'bob3'), 'bob']]);
    const grow = (first: VerifiedBlock, key: string, more: number): VerifiedBlock[] => {
      const blocks = [first];
      here.push(first, key);
      for (let k = 0; k < more; k++) {
        const next = parting.next(present(blocks.at(-1), 'a block'), 'bob', key);
        assert.equal(here.judge(next), 'unproven');
        assert.deepEqual(here.push(next, key).applied, [], 'it waits');
        blocks.push(next);
      }
      return blocks;
    };
    if (!isLikelyFirst) grow(doubtful, 'bob2', 3);
    const right = grow(likely, 'bob3', 1);
    if (isLikelyFirst) grow(doubtful, 'bob2', 3);
    assert.ok(here.isBranchWaiting);
    parting.ms += 60_000;
    here.tryWaitingBranch();
    assert.equal(here.head.id, right.at(-1)?.id);
    assert.ok(parting.isKept(doubtful), 'the other was not tried yet');
    assert.ok(here.isBranchWaiting, 'it is longer still, and waits');
    here.tryWaitingBranch();
    assert.ok(!parting.isKept(doubtful), 'it was tried, in vain');
    assert.equal(here.head.id, right.at(-1)?.id);
    assertSound(here, parting.parameters, parting.store);
  }
});

test('blocks behind a branch that became the main one are judged again by its rows', () => {
  const parting = new Parting();
  const { here, store, parameters } = parting;
  const mine = growSide(here, HERE, 3);
  const change = parting.first('carol', [[witnessUpdate('bob', 'bob2'), 'bob']]);
  here.push(change);
  const right = [change];
  const old = parting.next(change, 'bob', 'bob');
  const twin = parting.next(change, 'bob', 'bob2', 5);
  for (const block of [old, twin]) here.push(block);
  const onOld = parting.next(old, 'carol');
  here.push(onOld);
  assert.equal(here.judge(parting.next(twin, 'bob', 'bob')), 'proven', 'it was the key of the branch point');
  assert.equal(here.judge(parting.next(twin, 'bob', 'bob2')), 'unproven');
  while (right.length < 4) {
    const next = parting.next(
      present(right.at(-1), 'a block'),
      right.length === 1 ? 'bob' : 'carol',
      right.length === 1 ? 'bob2' : 'carol',
    );
    here.push(next);
    right.push(next);
  }
  assert.equal(here.head.id, right.at(-1)?.id);
  // The old key is now known to be wrong, and the new one to be right.
  assert.ok(!parting.isKept(old) && !parting.isKept(onOld), 'what the old key signed is gone');
  assert.throws(() => here.judge(old), refusedAs('block_signature'));
  assert.throws(() => here.judge(onOld), refusedAs('unlinkable_block'));
  assert.ok(parting.isKept(twin));
  for (const chain of [here, openChain(parameters, store)]) {
    assert.equal(chain.judge(parting.next(twin, 'bob', 'bob2')), 'proven');
    assert.throws(() => chain.judge(parting.next(twin, 'bob', 'bob')), refusedAs('block_signature'));
    // What was the main branch is judged by its own rows, as before.
    assert.equal(chain.judge(parting.next(present(mine.at(-1), 'a block'), 'bob', 'bob')), 'proven');
  }
  assert.equal(sideBlocks(store), mine.length + 1);
  assertSound(here, parameters, store);
});

test('the form of signatures on a branch is that of the branch point, until a hardfork that is agreed on or may be agreed on meanwhile', () => {
  const { parameters, here } = partedChains();
  const round = readSigningRound(here.committed);
  const before = { number: 9, time: 1000, aslot: 9, round: { ...round, loose_since: NEVER }, isInRound: true };
  const lineage = { ...parameters, rules: { ...parameters.rules, one_signature_form: false } };
  const rule = (more: Partial<typeof before>): unknown => branchRule(lineage, { ...before, ...more }, 1003);
  assert.equal(rule({}), signatureRules.first);
  assert.equal(
    rule({ isInRound: false }),
    signatureRules.loose,
    'the witnesses may have agreed on it at the end of the round',
  );
  const agreed = { ...round, loose_since: 1000 };
  assert.equal(
    rule({ round: agreed, time: 999 }),
    signatureRules.first,
    'the block that applies it is signed in the old form',
  );
  assert.equal(rule({ round: agreed }), signatureRules.loose, 'those behind it need not be');
  assert.equal(rule({ round: { ...round, loose_since: 0 }, time: 0 }), signatureRules.loose);
  assert.equal(
    branchRule(parameters, { ...before, isInRound: false }, 1003),
    signatureRules.one,
    'one form is one form',
  );
});

test('a round says since when signatures may be looser: always, from the agreed time on, or never yet', () => {
  const { here } = partedChains();
  const rows = here.committed;
  const own = rows.only(hardforkProperty);
  const since = (changes: Partial<typeof own>): number =>
    readSigningRound(
      new Proxy(rows, {
        get: (target, member) =>
          member === 'only'
            ? (table: Parameters<typeof rows.only>[0]) =>
                table === hardforkProperty ? { ...own, ...changes } : target.only(table)
            : (Reflect.get(target, member) as (...args: unknown[]) => unknown).bind(target),
      }),
    ).loose_since;
  assert.equal(since({}), 0);
  const processed_hardforks = own.processed_hardforks.slice(0, 1);
  const current_hardfork_version = own.current_hardfork_version - 1;
  assert.equal(
    since({
      processed_hardforks,
      current_hardfork_version,
      next_hardfork: own.current_hardfork_version,
      next_hardfork_time: 77,
    }),
    77,
  );
  assert.equal(
    since({ processed_hardforks, next_hardfork: own.current_hardfork_version, next_hardfork_time: 77 }),
    NEVER,
  );
});

/** A store that calls `wrote` behind each write. */
class WatchedStore extends MemoryStore {
  wrote: () => void = () => undefined;

  override write(batch: WriteBatch): void {
    super.write(batch);
    this.wrote();
  }

  copy(): MemoryStore {
    const copied = new MemoryStore();
    const batch = new WriteBatch();
    for (const { column, key, value } of this.entries()) batch.put(column, key, value);
    copied.write(batch);
    return copied;
  }

  *entries(): Generator<{
    readonly column: (typeof columns)[number];
    readonly key: Uint8Array;
    readonly value: Uint8Array;
  }> {
    const all = { lower: new Uint8Array(0), upper: new Uint8Array(200).fill(0xff), limit: 10_000_000 };
    for (const column of columns) for (const { key, value } of this.range(column, all)) yield { column, key, value };
  }

  /** Everything that is in it, as text. */
  get text(): string[] {
    return Array.from(
      this.entries(),
      ({ column, key, value }) => `${column} ${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('hex')}`,
    );
  }
}

/** A branch of which the last block but one can't be applied, for a node whose own branch has `own` blocks. */
function failingBranch(own: number): {
  readonly parting: Parting;
  readonly chain: Chain;
  readonly store: WatchedStore;
  readonly theirs: VerifiedBlock[];
} {
  const parting = new Parting();
  const { here, there, parameters } = parting;
  growSide(here, [...HERE, ...THERE], 30).forEach((block) => there.push(copyBlock(parameters, block)));
  growSide(here, HERE, own);
  here.accept(makeTransaction(here, parameters, [transferJson('carol', 'dave', 7)], ['carol']));
  growSide(here, HERE, 1);
  const theirs = growSide(there, THERE, own).map((block) => copyBlock(parameters, block));
  const tooMuch = makeTransaction(there, parameters, [transferJson('erin', 'bob', 20_000_000_000_000n)], ['erin']);
  const bad = forgedBlock(there, { header: nextSlot(there, THERE), transactions: [tooMuch] });
  theirs.push(bad);
  const store = new WatchedStore();
  const batch = new WriteBatch();
  const all = { lower: new Uint8Array(0), upper: new Uint8Array(200).fill(0xff), limit: 10_000_000 };
  for (const column of columns)
    for (const { key, value } of parting.store.range(column, all)) batch.put(column, key, value);
  store.write(batch);
  return { parting, chain: parting.open(store, 20_000), store, theirs };
}

test('a branch that fails after parts of it were written leaves head, hash, rows and the irreversible number as they were', () => {
  const { parting, chain, store, theirs } = failingBranch(40);
  const { parameters } = parting;
  for (const block of theirs) assert.deepEqual(chain.push(block).applied, []);
  const bad = present(theirs.at(-1), 'a block');
  const tip = forgedBlock(parting.there, { header: { previous: bad.id, ...later(parting, chain, bad) } });
  const before = { ...chain.head };
  assert.ok(before.lastIrreversible > 1, 'something is irreversible');
  const told: number[] = [];
  const parts: MemoryStore[] = [];
  store.wrote = () => {
    told.push(chain.head.lastIrreversible);
    parts.push(store.copy());
  };
  const rows = store.text.filter((line) => !line.includes(bad.id));
  assert.throws(() => chain.push(tip), refusedAs('insufficient_funds'));
  store.wrote = () => undefined;
  assert.deepEqual({ ...chain.head }, before);
  assert.ok(parts.length > 3, `${parts.length} writes`);
  assert.deepEqual(new Set(told), new Set([before.lastIrreversible]), 'the number that is told stays');
  assert.deepEqual(
    store.text.filter((line) => !line.includes(bad.id)),
    rows,
    'every row and record is as it was',
  );
  assertSound(chain, parameters, store);
  // Wherever the process ends, what is on disk is a whole chain that goes on to the right end.
  for (const [index, part] of parts.entries()) {
    if (index % 5 !== 0 && index < parts.length - 2) continue;
    const reopened = parting.open(part);
    assert.equal(reopened.head.lastIrreversible, before.lastIrreversible);
    assertSound(reopened, parameters, part);
    for (let look = 0; look < 4; look++) {
      parting.ms += 60_000;
      reopened.tryWaitingBranch();
    }
    assert.deepEqual({ ...reopened.head }, before, `part ${index}`);
    assertSound(reopened, parameters, part);
  }
});

/** Slot and witness behind a block that a chain knows. */
function later(
  { there }: Parting,
  chain: Chain,
  { id, header }: VerifiedBlock,
): { readonly timestamp: number; readonly witness: string } {
  for (let slot = 1; ; slot++) {
    for (const witness of THERE) {
      const place = { timestamp: header.timestamp + 3 * slot, witness };
      if (catchRefusal(() => chain.judge(forgedBlock(there, { header: { previous: id, ...place } }))) === undefined)
        return place;
    }
  }
}

test('the number that is told stays through a vain try and until a switch is complete, written as one or in parts', () => {
  for (const heldBytes of [undefined, 20_000]) {
    const { parting, store, theirs } = failingBranch(30);
    const chain = parting.open(store, heldBytes);
    const { parameters, there } = parting;
    const before = chain.head.lastIrreversible;
    const told: number[] = [];
    store.wrote = () => {
      told.push(chain.head.lastIrreversible, parting.open(store.copy()).head.lastIrreversible);
    };
    for (const block of theirs) chain.push(block);
    const bad = present(theirs.at(-1), 'a block');
    const tip = forgedBlock(there, { header: { previous: bad.id, ...later(parting, chain, bad) } });
    assert.throws(() => chain.push(tip), refusedAs('insufficient_funds'));
    assert.deepEqual(new Set(told), new Set([before]));
    parting.ms += 120_000;
    const good = growSide(there, THERE, 4).map((block) => copyBlock(parameters, block));
    for (const block of good) {
      const { id } = chain.head;
      told.length = 0;
      chain.push(block);
      // Behind the last write of a switch the number may be higher.
      if (chain.head.id !== id && id !== block.header.previous)
        assert.deepEqual(new Set([before, ...told.slice(0, -2)]), new Set([before]));
      assert.ok(chain.head.lastIrreversible >= before);
    }
    assert.equal(chain.head.id, there.head.id);
  }
});

test('newcomers do not take the try away from a likelier branch that waits, however many bring them', () => {
  const parting = new Parting();
  const { here } = parting;
  growSide(here, HERE, 1);
  parting.tryInVain('liar', 'bob', 1);
  const change = parting.first('carol', [[witnessUpdate('bob', 'bob3'), 'bob']]);
  here.push(change, 'honest');
  const tip = parting.next(change, 'bob', 'bob3');
  here.push(tip, 'honest');
  assert.ok(here.isBranchWaiting);
  const doubtful = parting.first('carol', [[witnessUpdate('bob', 'bob2'), 'erin']]);
  here.push(doubtful, 'liar 2');
  const onIt = parting.next(doubtful, 'bob', 'bob2');
  here.push(onIt, 'liar 3');
  parting.ms += 60_000;
  here.push(parting.next(onIt, 'bob', 'bob2'), 'liar 4');
  assert.equal(here.head.id, tip.id);
});

test('a branch that waited is tried after a restart too', () => {
  const parting = new Parting();
  const { here, store } = parting;
  growSide(here, HERE, 1);
  parting.tryInVain('liar', 'bob', 1);
  const change = parting.first('carol', [[witnessUpdate('bob', 'bob3'), 'bob']]);
  here.push(change);
  const tip = parting.next(change, 'bob', 'bob3');
  here.push(tip);
  assert.notEqual(here.head.id, tip.id);
  const reopened = parting.open(store);
  reopened.tryWaitingBranch();
  assert.equal(reopened.head.id, tip.id);
});

test('a scheduled witness that brings chains of unproven blocks in each slot fills nothing, and an honest longer branch still wins', () => {
  const parting = new Parting();
  const { here, there, store, parameters } = parting;
  growSide(here, HERE, 2);
  // Carol gives bob a key that is hers, in a block of her own slot, and goes on with it as if she were bob.
  const startMs = parting.ms;
  let sent = 0;
  let tried = 0;
  let most = 0;
  const before = here.head.id;
  let tips = [0, 1, 2].map((tag) => parting.hostileFirst(tag));
  for (const tip of tips) here.push(tip, 'liar');
  for (let slot = 0; slot < 15; slot++) {
    const next: VerifiedBlock[] = [];
    for (const [k, tip] of tips.entries()) {
      if (!parting.isKept(tip)) continue;
      const first = parting.next(tip, 'bob', 'carol');
      const twins = [first, ...[1, 2, 3, 4, 5].map((tag) => parting.makeTwin(first, tag))];
      for (const block of twins) {
        sent++;
        const refusal = catchRefusal(() => here.push(block, `liar ${(slot + k) % 7}`));
        if (refusal?.code === 'missing_active_authority') tried++;
      }
      next.push(...twins.filter((block) => parting.isKept(block)).slice(-1));
    }
    parting.ms += 3000;
    here.tryWaitingBranch();
    most = Math.max(most, sideBlocks(store));
    tips = next.length > 0 ? next : [0, 1, 2].map((tag) => parting.hostileFirst(10 * (slot + 1) + tag));
    if (next.length === 0) for (const tip of tips) here.push(tip, 'liar');
    assert.equal(here.head.id, before, 'nothing of it is taken');
  }
  const slots = 20;
  assert.ok(sent > 50 && tried > 0, `${sent} blocks, ${tried} tries`);
  assert.ok(most <= 4 * slots, `${most} blocks are kept`);
  assert.ok(tried < (parting.ms - startMs) / 1000, `${tried} tries`);
  for (const block of growSide(there, THERE, 12).map((each) => copyBlock(parameters, each))) {
    here.push(block, 'honest');
    parting.ms += 3000;
    here.tryWaitingBranch();
  }
  assert.deepEqual([here.head.id, here.head.stateHash], [there.head.id, there.head.stateHash]);
  assertSound(here, parameters, store);
});
