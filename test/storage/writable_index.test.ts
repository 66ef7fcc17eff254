import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { MemoryStore } from '../../src/storage/memory.ts';
import { UndoSessions } from '../../src/storage/undo_session.ts';
import { byDeadline, emptyModel, type Escrow, escrowKey, type Model } from './model.ts';
import { sha256 } from './sha256.ts';
import { escrows, testTables } from './tables.ts';
import { isLong } from '../builders/forms.ts';

const MANY = 6000; // more than the front of an index holds
const LATEST = 300; // so that many rows share a deadline, and rows far apart are within reach of one change

/** A block's changes of the order, to so many rows at a place that the walk has to go around them. */
const change = fc.record({
  kind: fc.constantFrom('add' as const, 'removeFirst' as const, 'removeMany' as const, 'postpone' as const),
  deadline: fc.integer({ min: 0, max: LATEST }),
  count: fc.integer({ min: 1, max: 1500 }),
  commit: fc.boolean(),
});

test('a long index is walked as if it were sorted in memory, from its front and from anywhere', () => {
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 1, maxLength: 5, size: 'max' }),
      fc.boolean(),
      (changes, lookedWhenEmpty) => {
        const chain = new LongIndex(lookedWhenEmpty);
        for (const { kind, deadline, count, commit } of changes) {
          chain[kind](count, deadline);
          chain.compare(deadline);
          if (commit) chain.commit();
          chain.compare(deadline);
        }
      },
    ),
    { numRuns: isLong ? 8 : 4 },
  );
});

class LongIndex {
  readonly #store = new MemoryStore();
  readonly #sessions = new UndoSessions({ committed: this.#store, register: testTables, sha256, cachedBytes: 100_000 });
  readonly #model: Model = emptyModel();
  #nextId = 0;

  /**
   * Looking at the empty order brings all of it into memory, so that adding has to cut it; else its front is read page
   * by page.
   */
  constructor(lookWhenEmpty: boolean) {
    this.#sessions.beginBlock();
    if (lookWhenEmpty) assert.equal(this.#sessions.first(escrows.by_deadline), undefined);
    this.add(MANY, 0);
    this.commit();
  }

  /** `count` rows at deadlines that are spread from `start` on, around the end. */
  add(count: number, start: number): void {
    for (let n = 0; n < count; n++)
      this.#put({ from: 'a', escrow_id: this.#nextId, id: BigInt(this.#nextId++), deadline: (start + n * 7) % LATEST });
  }

  removeFirst(count: number): void {
    for (let n = 0; n < count; n++) {
      const first = this.#sessions.first(escrows.by_deadline);
      if (first !== undefined) this.#remove(first);
    }
  }

  removeMany(count: number, deadline: number): void {
    for (const row of this.#sessions.range(escrows.by_deadline, { from: [deadline], limit: count })) this.#remove(row);
  }

  /** Moves the first rows behind all others. */
  postpone(count: number): void {
    for (let n = 0; n < count; n++) {
      const first = this.#sessions.first(escrows.by_deadline);
      if (first !== undefined) this.#put({ ...first, deadline: LATEST + 1 });
    }
  }

  compare(deadline: number): void {
    const sorted = byDeadline(this.#model);
    const behind = sorted.filter((row) => row.deadline > deadline);
    const sessions = this.#sessions;
    assert.deepEqual(sessions.first(escrows.by_deadline), sorted[0]);
    assert.deepEqual(sessions.next(escrows.by_deadline, [deadline]), behind[0]);
    assert.deepEqual(sessions.range(escrows.by_deadline, { after: [deadline], limit: 20 }), behind.slice(0, 20));
    assert.deepEqual(
      joinIds(sessions.range(escrows.by_deadline, { limit: MANY * 2, reverse: true })),
      joinIds(sorted.reverse()),
    );
  }

  commit(): void {
    this.#store.write(this.#sessions.seal().batch);
    this.#sessions.markCommitted();
    this.#sessions.beginBlock();
  }

  #put(row: Escrow): void {
    this.#sessions.put(escrows, row);
    this.#model.escrows.set(escrowKey(row), row);
  }

  #remove(row: Escrow): void {
    assert.ok(this.#sessions.remove(escrows, row));
    this.#model.escrows.delete(escrowKey(row));
  }
}

function joinIds(rows: readonly Escrow[]): string {
  return rows.map(({ id }) => id).join();
}

test('the front of an index passes over rows that the same block has removed behind it', () => {
  const chain = new LongIndex(false);
  chain.removeMany(500, 10);
  chain.removeFirst(1000);
  chain.compare(5);
});
