import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { catchRefusal } from '../../../src/base/refusal.ts';
import type { VerifiedBlock } from '../../../src/blocks/block.ts';
import type { Chain } from '../../../src/chain/chain.ts';
import { scheduledNames } from '../../../src/chain/apply/slots.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import type { RuleSet } from '../../../src/state/rules/index.ts';
import { witnessSchedule } from '../../../src/state/tables/witness_schedule.ts';
import type { WriteBatch } from '../../../src/storage/key_value.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { testKeyText, openChain, produce, testParameters, makeTransaction } from '../../builders/chain.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { copyBlock, growSide, HERE, THERE, witnessUpdate } from '../../builders/parted_witnesses.ts';
import { requireOneNumber, ToldNode } from '../../builders/told_irreversible.ts';
import { inLongForm } from '../../builders/forms.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 1);
/** A walk meets some things by chance. */
const MOST_FURTHER_SEEDS = 10;
const STEPS = 20;
const ALL = [...HERE, ...THERE];

/** Calls back after each write: a kill may come between any two. */
class WatchedStore extends MemoryStore {
  written: () => void = () => undefined;

  override write(batch: WriteBatch): void {
    super.write(batch);
    this.written();
  }
}

/** Rounds of four witnesses; by confirmations from the first block on, or by one round behind the head. */
function makeParameters(rule: 'confirmations' | 'rounds', rules: RuleSet): ChainParameters {
  const round = { max_witnesses: 4, max_voted_witnesses: 4, max_runner_witnesses: 0 };
  const free = { initial_witness_req_vesting_balance: 0, final_witness_req_vesting_balance: 0 };
  const confirmations_from_block = rule === 'confirmations' ? 1 : 201_600;
  // The lineage counts confirmations from its eighth day on.
  const interval = rule === 'confirmations' && rules === 'lineage' ? { block_interval: 3600 } : {};
  const impersonator = rules === 'interface' ? { impersonator: testKeyText('impersonator') } : {};
  return testParameters({ ...round, ...free, ...impersonator, ...interval, confirmations_from_block }, rules);
}

/** A chain whose blocks are produced elsewhere, with four witnesses. */
function witnessedChain(parameters: ChainParameters): { readonly chain: Chain; readonly blocks: VerifiedBlock[] } {
  const chain = openChain(parameters);
  const blocks = [produce(chain)];
  const owners = ALL.filter((name) => name !== 'initminer');
  const expiration = chain.head.time + 3600;
  for (const owner of owners)
    chain.accept(makeTransaction(chain, parameters, [witnessUpdate(owner, owner)], [owner], { expiration }));
  do blocks.push(produce(chain));
  while (scheduledNames(chain.committed.only(witnessSchedule)).length < ALL.length);
  blocks.push(...growSide(chain, ALL, 8));
  if (parameters.blockIntervalSeconds === 3600)
    blocks.push(...growSide(chain, ALL, parameters.confirmationsFromBlock - chain.head.number));
  return { chain, blocks };
}

/** Counts the events of a walk, so that a test without any fails. */
interface Met {
  switches: number;
  restarts: number;
  undone: number;
  /** Switches after which the row of the state names an earlier block than the node has told. */
  lowerRows: number;
}

/**
 * A node that takes the longest of random branches, is started again, and pops blocks; after each step and each write
 * all places are read.
 */
class Walk {
  readonly met: Met = { switches: 0, restarts: 0, undone: 0, lowerRows: 0 };
  readonly #parameters: ChainParameters;
  readonly #randomSource: RandomSource;
  readonly #store = new WatchedStore();
  readonly #other: Chain;
  #told: ToldNode;
  #least = 0;

  constructor(parameters: ChainParameters, randomSource: RandomSource) {
    this.#parameters = parameters;
    this.#randomSource = randomSource;
    this.#told = new ToldNode(parameters, { store: this.#store });
    this.#store.written = () => this.#readNow();
    const { chain, blocks } = witnessedChain(parameters);
    this.#other = chain;
    for (const block of blocks) this.#push(this.#chain, block);
  }

  async run(steps: number): Promise<void> {
    await this.#told.follow();
    for (let step = 0; step < steps; step++) {
      const roll = this.#randomSource.roll(100);
      if (roll < 45) this.#extend();
      else if (roll < 80) this.#part();
      else if (roll < 90) this.#undo();
      else await this.#restart();
      this.#least = requireOneNumber(await this.#told.read(this.#randomSource.chance(20)), this.#least);
    }
    this.#told.node.stop();
  }

  get #chain(): Chain {
    return this.#told.node.chain;
  }

  /** Reads the state that a node would find after a kill and a restart. */
  #readNow(): void {
    this.#least = requireOneNumber(this.#told.readNow(), this.#least);
  }

  /** Some witnesses make a few blocks. */
  #extend(): void {
    const some = this.#randomSource.shuffle(ALL).slice(0, 1 + this.#randomSource.roll(ALL.length));
    for (const block of growSide(this.#other, some, 1 + this.#randomSource.roll(4))) this.#push(this.#chain, block);
  }

  /** Two branches of witnesses that sign on one side each; the node sees the shorter one first. */
  #part(): void {
    const fork = this.#chain.head.number;
    const names = this.#randomSource.shuffle(ALL);
    const [here, there] = [names.slice(0, 2), names.slice(2)];
    const length = 1 + this.#randomSource.roll(3);
    const long = growSide(this.#other, there, length + 1);
    growSide(this.#chain, here, length);
    assert(this.#chain.head.lastIrreversible <= fork && this.#other.head.lastIrreversible <= fork, 'no side is final');
    for (const block of long) this.#push(this.#chain, block);
    assert.equal(this.#chain.head.id, this.#other.head.id);
    this.met.switches++;
    if (this.#other.head.lastIrreversible < this.#least) this.met.lowerRows++;
  }

  /** Pops some blocks; the node takes them again later, as from a peer. */
  #undo(): void {
    const popped: VerifiedBlock[] = [];
    for (let count = 1 + this.#randomSource.roll(3); count > 0; count--) {
      const block = this.#chain.block(this.#chain.head.number);
      const refusal = catchRefusal(() => this.#chain.undo());
      if (refusal !== undefined) {
        assert.equal(refusal.code, 'nothing_to_undo');
        assert.equal(this.#chain.head.number, this.#least);
        break;
      }
      popped.push(copyBlock(this.#parameters, present(block, 'the head')));
      this.met.undone++;
    }
    this.#readNow();
    for (const block of popped.reverse()) this.#push(this.#chain, block);
  }

  /** As after a kill: nothing is closed, and the next node finds what was written. */
  async #restart(): Promise<void> {
    this.#told.node.stop();
    this.#told = new ToldNode(this.#parameters, { store: this.#store });
    this.met.restarts++;
    await this.#told.follow();
  }

  #push(chain: Chain, block: VerifiedBlock): void {
    chain.push(copyBlock(this.#parameters, block));
  }
}

/** Walks until everything has been met, and with as many seeds as are asked for. */
async function walkBlocks(parameters: ChainParameters, mayLower: boolean): Promise<void> {
  const met: Met = { switches: 0, restarts: 0, undone: 0, lowerRows: 0 };
  const isMet = (): boolean =>
    met.switches > 3 && met.restarts > 0 && met.undone > 0 && (met.lowerRows > 0 || !mayLower);
  for (let seed = 1; seed <= SEEDS || (!isMet() && seed <= SEEDS + MOST_FURTHER_SEEDS); seed++) {
    const walk = new Walk(parameters, new RandomSource(seed));
    await walk.run(STEPS);
    for (const name of ['switches', 'restarts', 'undone', 'lowerRows'] as const) met[name] += walk.met[name];
  }
  assert(isMet(), JSON.stringify(met));
  // One round behind the head, a longer branch never names an earlier block.
  assert(mayLower || met.lowerRows === 0, JSON.stringify(met));
}

for (const rules of ['interface', 'lineage'] as const) {
  for (const rule of ['confirmations', 'rounds'] as const) {
    test(
      `by ${rule}, rules ${rules}: every place tells one irreversible number, and it never falls`,
      (rule === 'confirmations') === (rules === 'interface') ? {} : inLongForm,
      () => walkBlocks(makeParameters(rule, rules), rule === 'confirmations'),
    );
  }
}

for (const rule of ['confirmations', 'rounds'] as const) {
  test(
    `by ${rule}: after an operator’s revert the number is as it was at that block, after a fork it stays`,
    rule === 'confirmations' ? {} : inLongForm,
    async () => {
      const parameters = makeParameters(rule, 'interface');
      const store = new MemoryStore();
      const told = new ToldNode(parameters, { store, undoBlocks: 20 });
      const { chain } = told.node;
      for (const block of witnessedChain(parameters).blocks) chain.push(copyBlock(parameters, block));
      const { number, lastIrreversible: then } = chain.head;
      growSide(chain, ALL, 8);
      const before = requireOneNumber(await told.read(true), then);
      assert(before > then);
      chain.revert(number);
      assert.equal(requireOneNumber(await told.read(true), then), then);
      // Pops and forks lower nothing, though the row of the state names an earlier block.
      growSide(chain, ALL, 2);
      const last = requireOneNumber(await told.read(), then + 1);
      chain.undo();
      assert.equal(requireOneNumber(await told.read(true), last), last);
      chain.replace(number, () => void growSide(chain, ALL.slice(0, 2), 2));
      assert.equal(requireOneNumber(await told.read(), last), last);
      // Another node finds the number in the store.
      const again = new ToldNode(parameters, { store, undoBlocks: 20 });
      assert.equal(requireOneNumber(await again.read(), last), last);
      for (const { node } of [told, again]) node.stop();
    },
  );
}

test('blocks that were imported and the block of a snapshot are told as irreversible: no node that has them can undo them', async () => {
  const parameters = makeParameters('confirmations', 'interface');
  const { blocks } = witnessedChain(parameters);
  const told = new ToldNode(parameters);
  told.node.chain.replay(
    blocks.map((block) => copyBlock(parameters, block)),
    { signatures: false },
  );
  assert.equal(requireOneNumber(await told.read(true), 0), blocks.length);
  told.node.stop();
});
