import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chain } from '../../src/chain/chain.ts';
import type { HeadJournal, HeadMark } from '../../src/chain/head_journal.ts';
import { readHead } from '../../src/state/head_record.ts';
import { blocks } from '../../src/state/tables/block.ts';
import type { KeyValueStore, WriteBatch } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { View } from '../../src/storage/view.ts';
import { openChain, produce, testParameters } from '../builders/chain.ts';
import { Dice } from '../builders/dice.ts';

const parameters = testParameters();

class PowerFailure extends Error {}

/** A store and a journal that both stop at the same moment, after a number of writes. */
class Machine implements HeadJournal {
  readonly memory = new MemoryStore();
  readonly store: KeyValueStore;
  promised: HeadMark | undefined;
  #writesLeft = Infinity;

  constructor() {
    const { memory } = this;
    this.store = {
      get: (column, key) => memory.get(column, key),
      getMany: (column, keys) => memory.getMany(column, keys),
      range: (column, range) => memory.range(column, range),
      version: () => memory.version(),
      write: (batch: WriteBatch) => this.#write(() => memory.write(batch)),
    };
  }

  note(head: HeadMark): void {
    this.#write(() => (this.promised = head));
  }

  rewindTo(head: HeadMark): void {
    this.#write(() => (this.promised = head));
  }

  failAfter(writes: number): void {
    this.#writesLeft = writes;
  }

  open(): Chain {
    this.#writesLeft = Infinity;
    return new Chain({ store: this.store, parameters, journal: this });
  }

  #write(write: () => void): void {
    if (this.#writesLeft-- <= 0) throw new PowerFailure();
    write();
  }
}

/** The store has what the journal promises: that head, or later ones behind it. */
function assertKept({ memory, promised }: Machine, message: string): void {
  const head = readHead(memory);
  if (promised === undefined) return;
  assert.ok(head !== undefined && head.head_block_number >= promised.number, `${message}: block ${promised.number} is promised`);
  if (head.head_block_number === promised.number) assert.equal(head.state_hash, promised.stateHash, message);
  else if (promised.number > 0) assert.equal(new View(memory, 1).get(blocks, promised.number)?.id, promised.id, message);
}

test('what a journal promises is in the store, whenever both stop: while blocks are made, taken back, or given up for a longer branch', () => {
  const dice = new Dice(17);
  const other = openChain(parameters);
  // Its slots are others, so its blocks are, from the first on.
  const branch = [2, 1, 1, 1, 1].map((slot) => produce(other, slot));
  for (let round = 0; round < 120; round++) {
    const machine = new Machine();
    const chain = machine.open();
    for (let block = 0; block < 4; block++) produce(chain);
    machine.failAfter(dice.roll(16));
    try {
      produce(chain);
      chain.undo();
      chain.undo();
      for (const block of branch) chain.push(block);
      chain.revert(chain.head.number - 1);
    } catch (error) {
      if (!(error instanceof PowerFailure)) throw error;
    }
    assertKept(machine, `round ${round}`);
    const again = machine.open();
    produce(again);
    assert.deepEqual([machine.promised?.number, machine.promised?.id], [again.head.number, again.head.id]);
  }
});
