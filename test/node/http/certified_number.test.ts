import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import type { PackedBlock } from '../../../src/blocks/block.ts';
import type { Chain } from '../../../src/chain/chain.ts';
import type { WriteBatch } from '../../../src/storage/key_value.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { openChain } from '../../builders/chain.ts';
import { makeCertificate } from '../../builders/certificates.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { copyBlock, growSide, HERE, partedChains, partedParameters, THERE } from '../../builders/parted_witnesses.ts';
import { requireOneNumber, ToldNode } from '../../builders/told_irreversible.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 1);
const STEPS = 9;
const RESTARTED_AT = 4;
const ALL = [...HERE, ...THERE];
const parameters = partedParameters({ finality: true });

/** Calls back after each write: a kill may come between any two. */
class WatchedStore extends MemoryStore {
  written: () => void = () => undefined;

  override write(batch: WriteBatch): void {
    super.write(batch);
    this.written();
  }
}

/** Counts the events of a walk, so that a test without any fails. */
interface Met {
  falls: number;
  finals: number;
}

/**
 * A node that follows certified branches, shorter ones too, while certificates make blocks final; after each step and
 * each write all places are read.
 */
class Walk {
  readonly met: Met = { falls: 0, finals: 0 };
  readonly #randomSource: RandomSource;
  readonly #store = new WatchedStore();
  #told: ToldNode;
  #least = 0;

  constructor(randomSource: RandomSource) {
    this.#randomSource = randomSource;
    this.#told = new ToldNode(parameters, { store: this.#store });
    this.#store.written = () => this.#readNow();
    const { there } = partedChains(parameters);
    for (let number = 1; number <= there.head.number; number++) this.#push(present(there.block(number), 'a block'));
  }

  async run(steps: number): Promise<void> {
    await this.#told.follow();
    for (let step = 0; step < steps; step++) {
      const roll = this.#randomSource.roll(100);
      if (roll < 30) growSide(this.#chain, this.#randomSource.shuffle(ALL).slice(0, 2), 1 + this.#randomSource.roll(3));
      else if (roll < 60) this.#fall();
      else this.#finalise();
      if (step === RESTARTED_AT) await this.#restart();
      // Reading all places takes a while; the cheap ones are read at each write.
      if (this.#randomSource.chance(25)) this.#least = requireOneNumber(await this.#told.read(), this.#least);
    }
    this.#least = requireOneNumber(await this.#told.read(true), this.#least);
    this.#told.node.stop();
  }

  get #chain(): Chain {
    return this.#told.node.chain;
  }

  #readNow(): void {
    this.#least = requireOneNumber(this.#told.readNow(), this.#least);
  }

  /** Another branch, not longer than what it replaces, is certified. */
  #fall(): void {
    const { head } = this.#chain;
    const back = Math.min(1 + this.#randomSource.roll(4), head.number - this.#chain.settled);
    if (back === 0) return;
    const other = openChain(parameters);
    for (let number = 1; number <= head.number - back; number++)
      other.push(copyBlock(parameters, present(this.#chain.block(number), 'a block')));
    const [next] = this.#randomSource.shuffle(ALL);
    const branch = growSide(other, [present(next, 'a witness')], 1 + this.#randomSource.roll(back));
    for (const block of branch) this.#push(block);
    const before = this.#chain.head.number;
    this.#chain.followCertified(present(branch.at(-1), 'a block').id);
    assert.equal(this.#chain.head.id, other.head.id);
    if (this.#chain.head.number < before) this.met.falls++;
    this.#chain.followCertified(undefined);
    // Without a certificate the longest branch wins again.
    if (this.#randomSource.chance(50)) this.#chain.followCertified(this.#chain.head.id);
  }

  #finalise(): void {
    const { number } = this.#chain.head;
    const block = Math.max(1, number - this.#randomSource.roll(4));
    const certificate = makeCertificate(this.#chain, parameters, block);
    const before = this.#chain.head.lastIrreversible;
    this.#chain.finalise(certificate.subject.block, certificate);
    if (this.#chain.head.lastIrreversible > before) this.met.finals++;
  }

  /** As after a kill: nothing is closed, and the next node finds what was written. */
  async #restart(): Promise<void> {
    this.#told.node.stop();
    this.#told = new ToldNode(parameters, { store: this.#store });
    await this.#told.follow();
  }

  #push(block: PackedBlock): void {
    this.#chain.push(copyBlock(parameters, block));
  }
}

test('by certificates: every place tells one irreversible number, and it never falls, however the head does', async () => {
  const met: Met = { falls: 0, finals: 0 };
  const isMet = (): boolean => met.falls > 0 && met.finals > 1;
  for (let seed = 1; seed <= SEEDS || (!isMet() && seed <= SEEDS + 10); seed++) {
    const walk = new Walk(new RandomSource(seed));
    await walk.run(STEPS);
    for (const name of ['falls', 'finals'] as const) met[name] += walk.met[name];
  }
  assert(isMet(), JSON.stringify(met));
});

test('a change of finality alone is told to followers, and answers of before are not given again', async () => {
  const store = new MemoryStore();
  const { there } = partedChains(parameters);
  const told = new ToldNode(parameters, { store });
  for (let number = 1; number <= there.head.number; number++)
    told.node.chain.push(copyBlock(parameters, present(there.block(number), 'a block')));
  await told.follow();
  assert.equal(requireOneNumber(await told.read(), 0), 0);
  const { number, id } = told.node.chain.head;
  const certificate = makeCertificate(told.node.chain, parameters, number);
  told.node.chain.finalise(certificate.subject.block, certificate);
  assert.equal(requireOneNumber(await told.read(true), number), number);
  assert.equal(told.node.chain.head.id, id);
  told.node.stop();
});

test('the confirmed number stands beside the irreversible one at every place, and nowhere where it is that number', async () => {
  for (const finality of [true, false]) {
    const own = partedParameters({ finality });
    const { there } = partedChains(own);
    growSide(there, ALL, 12);
    const told = new ToldNode(own, { store: new MemoryStore() });
    for (let number = 1; number <= there.head.number; number++)
      told.node.chain.push(copyBlock(own, present(there.block(number), 'a block')));
    const confirmed = await told.readConfirmed();
    const numbers = new Set(confirmed.values());
    const shown = JSON.stringify([...confirmed]);
    if (finality) assert.ok(numbers.size === 1 && (confirmed.get('info') ?? 0) > 0, shown);
    else assert.deepEqual([confirmed.get('info'), confirmed.get('health')], [undefined, undefined], shown);
    assert.equal(requireOneNumber(await told.read(), 0), finality ? 0 : confirmed.get('metrics'));
    told.node.stop();
  }
});
