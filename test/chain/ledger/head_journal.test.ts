import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chain } from '../../../src/chain/chain.ts';
import type { HeadJournal, HeadMark } from '../../../src/chain/ledger/head_journal.ts';
import { readHead } from '../../../src/state/head_record.ts';
import { blocks } from '../../../src/state/tables/block.ts';
import type { KeyValueStore, WriteBatch } from '../../../src/storage/key_value.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { View } from '../../../src/storage/view.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import { present } from '../../../src/base/assert.ts';
import { finalise } from '../../builders/certificates.ts';
import { copyBlock, growSide, HERE, partedChains, partedParameters, THERE } from '../../builders/parted_witnesses.ts';
import { openChain, produce, testParameters } from '../../builders/chain.ts';
import { RandomSource } from '../../builders/random_source.ts';

const parameters = testParameters();

class PowerFailure extends Error {}

/** A store and a journal that both stop at the same moment, after a number of writes. */
class Machine implements HeadJournal {
  readonly memory = new MemoryStore();
  readonly store: KeyValueStore;
  promised: HeadMark | undefined;
  readonly #parameters: ChainParameters;
  #writesLeft = Infinity;

  constructor(ofChain: ChainParameters = parameters) {
    const { memory } = this;
    this.#parameters = ofChain;
    this.store = {
      get: (column, key) => memory.get(column, key),
      getMany: (column, keys) => memory.getMany(column, keys),
      range: (column, range) => memory.range(column, range),
      version: () => memory.version(),
      write: (batch: WriteBatch) => this.#write(() => memory.write(batch)),
      prepare: () => memory.prepare(),
      tidy: () => memory.tidy(),
    };
  }

  note(head: HeadMark): void {
    this.#write(() => (this.promised = head));
  }

  rewind(head: HeadMark): void {
    this.#write(() => (this.promised = head));
  }

  failAfter(writes: number): void {
    this.#writesLeft = writes;
  }

  open(): Chain {
    this.#writesLeft = Infinity;
    return new Chain({ store: this.store, parameters: this.#parameters, journal: this });
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
  assert.ok(
    head !== undefined && head.head_block_number >= promised.number,
    `${message}: block ${promised.number} is promised`,
  );
  if (head.head_block_number === promised.number) assert.equal(head.state_hash, promised.stateHash, message);
  else if (promised.number > 0)
    assert.equal(new View(memory, 1).get(blocks, promised.number)?.id, promised.id, message);
}

test('what a journal promises is in the store, whenever both stop: while blocks are made, taken back, or given up for a longer branch', () => {
  const randomSource = new RandomSource(17);
  const other = openChain(parameters);
  // Its slots are others, so its blocks are, from the first on.
  const branch = [2, 1, 1, 1, 1].map((slot) => produce(other, slot));
  for (let round = 0; round < 120; round++) {
    const machine = new Machine();
    const chain = machine.open();
    for (let block = 0; block < 4; block++) produce(chain);
    machine.failAfter(randomSource.roll(16));
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

test('the same while blocks become final, and a shorter branch that is certified takes the place of a longer one', () => {
  const certifying = partedParameters({ finality: true });
  const { here, there } = partedChains(certifying);
  const blocksUpTo = here.head.number;
  const [left, right] = [growSide(here, HERE, 5), growSide(there, THERE, 2)];
  const met = { falls: 0, finals: 0 };
  for (let writes = 0; writes < 60; writes += 2) {
    const machine = new Machine(certifying);
    const chain = machine.open();
    for (let number = 1; number <= blocksUpTo; number++)
      chain.push(copyBlock(certifying, present(here.block(number), 'a block')));
    machine.failAfter(writes);
    let told = 0;
    try {
      for (const block of [...left, ...right]) chain.push(copyBlock(certifying, block));
      finalise(chain, certifying, blocksUpTo);
      told = chain.head.lastIrreversible;
      chain.followCertified(right.at(-1)?.id);
      met.falls++;
      finalise(chain, certifying, chain.head.number);
      told = chain.head.lastIrreversible;
      met.finals++;
    } catch (error) {
      if (!(error instanceof PowerFailure)) throw error;
    }
    assertKept(machine, `after ${writes} writes`);
    const again = machine.open();
    assert.ok(again.head.lastIrreversible >= told, `after ${writes} writes: what was told is final after the restart`);
  }
  assert.ok(met.falls > 0 && met.falls < 30 && met.finals > 0, JSON.stringify(met));
});
