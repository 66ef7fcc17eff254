import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { NO_BLOCKS, type BlockRange } from '../../../src/blocks/finality/block_range.ts';
import { GrowingRange } from '../../builders/growing_range.ts';
import { RangeRecords } from '../../../src/chain/ledger/range_records.ts';
import { sha256Binary } from '../../../src/crypto/hashes.ts';
import { HEAD_COLUMN, rangeNodesKey } from '../../../src/state/head_record.ts';
import { WriteBatch } from '../../../src/storage/key_value.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { formSize } from '../../builders/forms.ts';
import { RandomSource } from '../../builders/random_source.ts';

const BLOCKS = 700;
const headers = Array.from({ length: BLOCKS }, (_, index) => Buffer.from(`header ${index + 1}`));
const ranges = grown();

function grown(): readonly BlockRange[] {
  const growing = new GrowingRange(NO_BLOCKS);
  return [
    NO_BLOCKS,
    ...headers.map((header) => {
      growing.add(sha256Binary(header), []);
      return growing.range;
    }),
  ];
}

/** The records of one store, written as the ledger writes them. */
class Written {
  readonly store = new MemoryStore();
  records = new RangeRecords(this.store);
  head = 0;
  /** The first block that is kept. */
  oldest = 1;

  write(count: number): void {
    for (let left = count; left > 0; left--) {
      this.head++;
      this.records.note(this.head, present(headers[this.head - 1], 'a header'));
    }
    this.#written((batch) => this.records.appendRows(batch));
  }

  undo(): void {
    this.#written((batch) => this.records.takeBack(batch, this.head));
    this.head--;
  }

  prune(next: number): void {
    this.#written((batch) => this.records.forget(batch, this.oldest, next));
    this.oldest = next;
  }

  restart(): void {
    this.records = new RangeRecords(this.store);
  }

  /** Counts the records of blocks before the first that is kept. */
  old(): number {
    const bounds = { lower: rangeNodesKey(0), upper: rangeNodesKey(this.oldest), limit: BLOCKS };
    return this.store.range(HEAD_COLUMN, bounds).length;
  }

  requireWhole(): void {
    for (let count = this.oldest - 1; count <= this.head; count++)
      assert.deepEqual(this.records.upTo(count), ranges[count], `the range of ${count} of ${this.head} blocks`);
    const getHeader = (number: number): Uint8Array | undefined => headers[number - 1];
    assert.equal(this.records.firstProblem(this.oldest, this.head, getHeader), undefined);
  }

  #written(change: (batch: WriteBatch) => void): void {
    const batch = new WriteBatch();
    change(batch);
    this.store.write(batch);
  }
}

test('a range is the same however many blocks a write has, through undone, pruned and restarted chains', () => {
  for (let seed = 1; seed <= formSize('PHAROS_TEST_SEEDS', { short: 10, long: 200 }); seed++) {
    const random = new RandomSource(seed);
    const written = new Written();
    let undoable = 0;
    while (written.head < BLOCKS - 100) {
      const isGroup = random.chance(40);
      written.write(isGroup ? 2 + random.roll(98) : 1);
      undoable = isGroup ? 0 : undoable + 1;
      for (; undoable > 0 && random.chance(30); undoable--) written.undo();
      if (random.chance(20)) written.restart();
      const kept = written.head - undoable - written.oldest + 1;
      if (random.chance(30)) written.prune(written.oldest + random.roll(kept + 1));
      if (random.chance(10)) written.requireWhole();
    }
    written.requireWhole();
    // The mountains, and a record until its last block goes.
    assert.ok(written.old() <= 11, `seed ${seed}: ${written.old()} records of pruned blocks`);
  }
});

test('blocks of one write share a record of at most 64 blocks', () => {
  const written = new Written();
  written.write(256);
  assert.equal(
    written.store.range(HEAD_COLUMN, { lower: rangeNodesKey(0), upper: rangeNodesKey(300), limit: 300 }).length,
    4,
  );
});

test('what was noted and not written is forgotten', () => {
  const written = new Written();
  written.write(70);
  headers.slice(100, 200).forEach((header, index) => written.records.note(71 + index, header));
  written.records.discard();
  written.write(60);
  written.requireWhole();
});

test('the first block whose nodes are others is found, in the middle of a record too', () => {
  const written = new Written();
  written.write(10);
  written.write(90);
  const wrong = (at: number) => (number: number) => headers[number === at ? 0 : number - 1];
  for (const at of [2, 10, 11, 50, 64, 65, 100]) assert.equal(written.records.firstProblem(1, 100, wrong(at)), at);
  const batch = new WriteBatch();
  batch.put(HEAD_COLUMN, rangeNodesKey(65), new Uint8Array(33));
  written.store.write(batch);
  written.restart();
  assert.equal(
    written.records.firstProblem(1, 100, (number) => headers[number - 1]),
    65,
  );
});
