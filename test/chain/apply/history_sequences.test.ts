import assert from 'node:assert/strict';
import { test } from 'node:test';

import { HistorySequences } from '../../../src/chain/apply/history_sequences.ts';
import { sha256Binary } from '../../../src/crypto/hashes.ts';
import { accountHistories } from '../../../src/state/tables/account_history.ts';
import { tables } from '../../../src/state/tables/index.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { UndoSessions } from '../../../src/storage/undo_session.ts';
import { View } from '../../../src/storage/view.ts';

const FIRST = 1;
const names = ['alice', 'bob', 'carol', 'dave', 'erin'];

test('histories go on without a gap, however few numbers are kept between blocks', () => {
  for (const capacity of [1, 2, 3, 100]) {
    const ends = new Map<string, number>();
    const histories = new Histories(capacity);
    for (let block = 1; block < 60; block++) {
      const acting = names.filter((_, index) => (block * (index + 3)) % 7 < 3);
      histories.prefetch(names.filter((_, index) => (block + index) % 4 === 0));
      if (block % 5 === 0) histories.refusedBlock(acting);
      for (const name of acting) {
        const first = ends.get(name) ?? FIRST;
        assert.equal(histories.append(block, name, (block % 3) + 1), first);
        ends.set(name, first + (block % 3) + 1);
      }
      histories.commit();
    }
  }
});

/** Histories on a disk, with the numbers that a chain keeps of them. */
class Histories {
  readonly #store = new MemoryStore();
  readonly #sessions = new UndoSessions({
    committed: this.#store,
    register: tables,
    sha256: sha256Binary,
    cachedBytes: 10_000,
  });
  readonly #sequences: HistorySequences;

  constructor(capacity: number) {
    this.#sequences = new HistorySequences(new View(this.#store, 10), FIRST, capacity);
    this.#sessions.beginBlock();
  }

  prefetch(accounts: readonly string[]): void {
    for (const account of accounts) this.#sequences.prefetch(account);
  }

  append(block: number, account: string, count: number): number {
    const first_sequence = this.#sequences.take(account, count);
    const entries = Array.from({ length: count }, (_, index) => ({ trx_in_block: index, op_in_trx: 0, virtual_op: 0 }));
    this.#sessions.append(accountHistories, { account, first_sequence, block, entries });
    return first_sequence;
  }

  commit(): void {
    this.#store.write(this.#sessions.seal().batch);
    this.#sessions.markCommitted();
    this.#sequences.commit();
    this.#sessions.beginBlock();
  }

  /** A block of these is begun and taken back. */
  refusedBlock(accounts: readonly string[]): void {
    for (const account of accounts) this.append(0, account, 1);
    this.#sessions.discardBlock();
    this.#sequences.discard();
    this.#sessions.beginBlock();
  }
}
