import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { catchRefusal } from '../../../src/base/refusal.ts';
import { readBlock } from '../../../src/blocks/block.ts';
import { verifyBlock } from '../../../src/blocks/verify.ts';
import type { VerifiedTransaction } from '../../../src/blocks/transaction.ts';
import type { Chain } from '../../../src/chain/chain.ts';
import type { Json } from '../../../src/codec/json.ts';
import { verifyStore } from '../../../src/data_folder/verify/verify_store.ts';
import type { CommittedRows } from '../../../src/storage/rows.ts';
import {
  historyEntries,
  walkHistoryForward,
  walkHistoryBackward,
  type HistoryOf,
} from '../../../src/queries/account_history.ts';
import { getBlock } from '../../../src/queries/blocks.ts';
import { BlockOperations, type NumberedEntry } from '../../../src/queries/history_entry.ts';
import { requireTransaction } from '../../../src/queries/transactions.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import type { RuleSet } from '../../../src/state/rules/index.ts';
import { blockRow, oldestBlock } from '../../../src/state/stored_blocks.ts';
import { accountHistories } from '../../../src/state/tables/account_history.ts';
import { blocks } from '../../../src/state/tables/block.ts';
import { blockParts } from '../../../src/state/tables/block_part.ts';
import { operationCharges } from '../../../src/state/tables/operation_charge.ts';
import { transactionLocations } from '../../../src/state/tables/transaction_location.ts';
import { countEntries, walkEntries } from '../../../src/storage/entries.ts';
import { columns, WriteBatch } from '../../../src/storage/key_value.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { decodeRow, encodeKey, encodeRow } from '../../../src/storage/row_bytes.ts';
import { View } from '../../../src/storage/view.ts';
import {
  hourlyBlocks,
  openChain,
  people,
  produce,
  testParameters,
  makeTransaction,
  transferJson,
} from '../../builders/chain.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { RandomNetwork, type Node } from '../../builders/random_network.ts';
import { formSize, isLong } from '../../builders/forms.ts';

/** The entries of a part of a history. */
const readBackward = (rows: CommittedRows, of: HistoryOf, start: number, limit: number): NumberedEntry[] =>
  historyEntries(rows, of.account, walkHistoryBackward(rows, of, start, limit));
const readForward = (rows: CommittedRows, of: HistoryOf, start: number, limit: number): NumberedEntry[] =>
  historyEntries(rows, of.account, walkHistoryForward(rows, of, start, limit));

/** Longer runs: `PHAROS_TEST_SEEDS=500`. */
const SEEDS = formSize('PHAROS_TEST_SEEDS', { short: 1, long: 2 });
const ROUNDS = isLong ? 60 : 40;

/** The number of an account's newest entry; undefined when it has none. */
function newestEntry({ chain }: Node, account: string): number | undefined {
  const [row] = chain.committed.rows(accountHistories, { from: { account }, to: { account }, reverse: true, limit: 1 });
  return row === undefined ? undefined : row.first_sequence + row.entries.length - 1;
}

/**
 * Every read on the pruned node returns what it returns on the full one, or is refused as pruned; returns how often the
 * latter.
 */
function compareReads([whole, pruned]: readonly [Node, Node], { rules }: ChainParameters): number {
  const [all, kept] = [new View(whole.store, 100), new View(pruned.store, 100)];
  const oldest = oldestBlock(kept);
  let refusals = 0;
  const same = (isKept: boolean, read: (rows: View) => unknown): void => {
    const expected = read(all);
    if (isKept) return assert.deepEqual(read(kept), expected);
    const refusal = present(
      catchRefusal(() => void read(kept)),
      'a refusal',
    );
    assert.deepEqual([refusal.code, refusal.details['oldest']], ['pruned', oldest]);
    refusals++;
  };
  for (let number = 1; number <= whole.chain.head.number + 1; number++) {
    same(number >= oldest, (rows) => getBlock(rows, number));
    same(number >= oldest, (rows) => new BlockOperations(rows, number).all(false));
    for (const { id } of getBlock(all, number)?.transactions ?? [])
      same(number >= oldest, (rows) => requireTransaction(rows, id));
  }
  const charges = [...walkEntries(whole.store, operationCharges)].map(({ value }) =>
    decodeRow(operationCharges, value),
  );
  const keptCharges = [...walkEntries(pruned.store, operationCharges)].map(({ value }) =>
    decodeRow(operationCharges, value),
  );
  assert.deepEqual(
    keptCharges,
    charges.filter(({ block }) => block >= oldest),
  );
  same(true, (rows) => new BlockOperations(rows, 0).all(false));
  for (const account of [...people, 'initminer', 'none', 'nobody']) {
    assert.equal(newestEntry(pruned, account), newestEntry(whole, account), `where the numbers of ${account} go on`);
    const of = { account, firstSequence: rules.first_history_sequence };
    const entries = readBackward(all, of, -1, 1_000_000);
    const keptEntries = entries.filter(([, { block }]) => block >= oldest);
    const first = keptEntries[0]?.[0] ?? Infinity;
    for (const [number] of entries) {
      same(number >= first, (rows) => readBackward(rows, of, number, 0));
      same(number >= first, (rows) => readForward(rows, of, number, 3));
    }
    same(keptEntries.length > 0 || entries.length === 0, (rows) => readBackward(rows, of, -1, 0));
    if (keptEntries.length === 0) continue;
    assert.deepEqual(readBackward(kept, of, -1, 1_000_000), keptEntries);
    const newest = present(keptEntries.at(-1), 'an entry')[0];
    for (const start of [newest + 1, newest + 100]) {
      same(true, (rows) => readBackward(rows, of, start, 0));
      same(true, (rows) => readForward(rows, of, start, 5));
    }
    if (first > rules.first_history_sequence)
      assert.equal(
        catchRefusal(() => void walkHistoryBackward(kept, of, first - 1, 0))?.details['oldest_entry'],
        first,
      );
  }
  return refusals;
}

for (const rules of ['interface', 'lineage'] as const satisfies readonly RuleSet[]) {
  for (let seed = 1; seed <= SEEDS; seed++) {
    test(`under rules ${rules} a node that keeps few blocks has the states of one that keeps all, branches included (seed ${seed})`, () => {
      const parameters = testParameters(hourlyBlocks, rules);
      const randomSource = new RandomSource(seed);
      const network = new RandomNetwork(parameters, randomSource, new MemoryStore(), 1 + randomSource.roll(12));
      for (let part = 0; part < 4; part++) {
        network.run(ROUNDS / 4);
        compareReads(network.pair, parameters);
      }
      const [, { chain, store }] = network.pair;
      assert(oldestBlock(chain.committed) > 1 && oldestBlock(chain.committed) <= chain.head.lastIrreversible);
      const { problems, summary } = verifyStore(store, parameters, () => {});
      assert.deepEqual(problems, []);
      assert.match(summary, /blocks \d+ to \d+, those before are not kept/);
      network.undoAll();
      assert.deepEqual(verifyStore(store, parameters, () => {}).problems, []);
    });
  }
}

// Five minutes a block: a transaction can come again for twelve blocks, and a block is final when three follow it.
const QUICK = testParameters({ block_interval: 300, max_witnesses: 3, max_voted_witnesses: 1 });
const EXPIRATION_BLOCKS = 15;
const VALID_BLOCKS = 11;

/** A chain that keeps so many blocks, and what lies in its store. */
class PrunedChain {
  readonly store: MemoryStore;
  readonly chain: Chain;

  constructor(blocksKept: number | undefined, store = new MemoryStore()) {
    this.store = store;
    this.chain = openChain(QUICK, store, new Map(), blocksKept);
  }

  /** Blocks with a transfer of alice in each. */
  grow(count: number): void {
    for (let made = 0; made < count; made++)
      this.growBy(transferJson('alice', 'bob', 1, String(this.chain.head.number)));
  }

  growBy(...operations: Json[]): VerifiedTransaction {
    const { number, time } = this.chain.head;
    const expiration = time + (number === 0 ? 10_000_000 : 3600);
    const transaction = makeTransaction(this.chain, QUICK, operations, ['alice'], { expiration });
    this.chain.accept(transaction);
    produce(this.chain);
    return transaction;
  }

  get oldest(): number {
    return oldestBlock(this.chain.committed);
  }

  get rows(): { readonly locations: number; readonly histories: number } {
    return {
      locations: countEntries(this.store, transactionLocations),
      histories: countEntries(this.store, accountHistories),
    };
  }
}

test('of what leads into old blocks no more stays than twice what is kept', () => {
  const pruned = new PrunedChain(10);
  for (let part = 0; part < 10; part++) {
    pruned.grow(30);
    const { locations, histories } = pruned.rows;
    // Rows for the next scan, those of the first block, and the last of each account; two accounts and the witness act
    // in each block.
    assert(locations <= 2 * 10 + EXPIRATION_BLOCKS + 5, `${locations} locations`);
    assert(histories <= 3 * (2 * 10 + 5) + 10, `${histories} rows of histories`);
    assert.equal(pruned.oldest, pruned.chain.head.number - 9);
    assert.equal(blockRow(pruned.chain.committed, pruned.oldest - 1), undefined);
  }
});

test('a transaction is known when it comes again, however few blocks are kept', () => {
  const pruned = new PrunedChain(1);
  // The expirations of the first block's transactions are not checked.
  const first = pruned.growBy(transferJson('alice', 'bob', 1, 'once'));
  pruned.grow(60);
  const recent: VerifiedTransaction[] = [];
  for (let number = 0; number < 40; number++) {
    recent.push(pruned.growBy(transferJson('alice', 'bob', 1, `again ${number}`)));
    // All of them are still valid, so nothing but their locations refuses them.
    for (const transaction of [first, ...recent.slice(-VALID_BLOCKS)])
      assert.equal(catchRefusal(() => void pruned.chain.accept(transaction))?.code, 'duplicate_transaction');
  }
});

test('the numbers of an account go on where they were, although all its blocks are gone, and also when the next one is taken back', () => {
  const pruned = new PrunedChain(1);
  pruned.growBy(transferJson('alice', 'carol', 1));
  pruned.grow(40);
  const of = { account: 'carol', firstSequence: 0 };
  const refused = (): unknown => catchRefusal(() => void walkHistoryBackward(pruned.chain.committed, of, -1, 10))?.code;
  assert.equal(refused(), 'pruned');
  for (let time = 0; time < 3; time++) {
    pruned.growBy(transferJson('alice', 'carol', 1, String(time)));
    pruned.grow(1);
    assert.deepEqual(
      readBackward(pruned.chain.committed, of, -1, 10).map(([number]) => number),
      [1],
    );
    pruned.chain.undo();
    pruned.chain.undo();
    pruned.grow(2);
    assert.equal(refused(), 'pruned');
  }
});

test('fewer blocks are kept by and by, more from then on, and without the setting what is left stays', () => {
  const whole = new PrunedChain(undefined);
  whole.grow(700);
  assert.equal(whole.oldest, 1);
  const { store } = whole;

  const fewer = new PrunedChain(20, store);
  const steps: number[] = [];
  for (let made = 0; made < 4; made++) {
    const before = fewer.oldest;
    fewer.grow(1);
    steps.push(fewer.oldest - before);
  }
  assert(steps.every((step) => step <= 512) && (steps[0] ?? 0) > 100, `bounded steps, ${steps.join()}`);
  assert.equal(fewer.oldest, fewer.chain.head.number - 19);

  const left = fewer.oldest;
  const more = new PrunedChain(40, store);
  more.grow(20);
  assert.equal(more.oldest, left);
  more.grow(30);
  assert.equal(more.oldest, more.chain.head.number - 39);

  const all = new PrunedChain(undefined, store);
  const border = all.oldest;
  all.grow(50);
  assert.equal(all.oldest, border);
  assert.equal(catchRefusal(() => void getBlock(all.chain.committed, border - 1))?.details['oldest'], border);
  assert.equal(present(getBlock(all.chain.committed, border), 'a block').number, border);
  assert.deepEqual(verifyStore(store, QUICK, () => {}).problems, []);
});

test('a replay keeps as few blocks as a node that produces, also of those that it writes at once', () => {
  const whole = new PrunedChain(undefined);
  whole.grow(600);
  const pruned = new PrunedChain(30);
  const all = Array.from({ length: 600 }, (_, index) => present(whole.chain.block(index + 1), 'a block'));
  for (let from = 0; from < 600; from += 150)
    pruned.chain.replay(
      all.slice(from, from + 150).map((block) => verifyBlock(QUICK.chainId, readBlock(block.packed))),
      { signatures: false },
    );
  assert.equal(pruned.chain.head.stateHash, whole.chain.head.stateHash);
  assert(pruned.oldest > 400 && pruned.oldest <= 571, `block ${pruned.oldest}`);
  assert.deepEqual(verifyStore(pruned.store, QUICK, () => {}).problems, []);
  pruned.grow(2);
  assert.equal(pruned.oldest, 573);
});

test('a block of many parts goes as a whole', () => {
  const pruned = new PrunedChain(5);
  const memo = 'x'.repeat(2000);
  pruned.grow(1);
  const expiration = pruned.chain.head.time + 3600;
  for (let number = 0; number < 40; number++)
    pruned.chain.accept(
      makeTransaction(pruned.chain, QUICK, [transferJson('alice', 'bob', 1, memo + number)], ['alice'], { expiration }),
    );
  produce(pruned.chain);
  assert(countEntries(pruned.store, blockParts) > 2, `${countEntries(pruned.store, blockParts)} parts`);
  pruned.grow(20);
  assert.equal(countEntries(pruned.store, blockParts), 0);
});

test('a damaged pruned store is reported as one: a missing block, a row too many', () => {
  const pruned = new PrunedChain(10);
  pruned.grow(40);
  const { store, oldest } = pruned;
  const listProblems = (change: (batch: WriteBatch) => void): readonly string[] => {
    const copy = new MemoryStore();
    const batch = new WriteBatch();
    for (const column of columns)
      for (const { key, value } of store.range(column, {
        lower: Uint8Array.of(),
        upper: Uint8Array.of(0xff, 0xff),
        limit: 1e9,
      }))
        batch.put(column, key, value);
    change(batch);
    copy.write(batch);
    return verifyStore(copy, QUICK, () => {}).problems;
  };
  assert.deepEqual(
    listProblems(() => undefined),
    [],
  );
  assert.match(listProblems((batch) => batch.delete('block', encodeKey(blocks, oldest + 3))).join(), /missing/);
  assert.match(listProblems((batch) => batch.delete('block', encodeKey(blocks, oldest))).join(), /missing/);
  const row = present(pruned.chain.committed.get(blocks, oldest), 'a row');
  const surplus = encodeRow(blocks, oldest - 3, { ...row, number: oldest - 3 });
  assert.match(listProblems((batch) => batch.put('block', surplus.key, surplus.value)).join(), /table block has/);
  const wrong = encodeRow(blocks, oldest, { ...row, id: '0'.repeat(40) });
  assert.match(listProblems((batch) => batch.put('block', wrong.key, wrong.value)).join(), /has id/);
});
