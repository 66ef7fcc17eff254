import assert from 'node:assert/strict';

import type { VerifiedBlock } from '../../src/blocks/block.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import { scheduledNames } from '../../src/chain/apply/slots.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { hasHardfork, type Hardfork } from '../../src/state/hardforks.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { hardforkProperty } from '../../src/state/tables/hardfork_property.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { versionText } from '../../src/values/version.ts';
import { testKeyText, openChain, produce, makeTransaction } from './chain.ts';
import { copyBlock, growSide, partedParameters, witnessUpdate } from './parted_witnesses.ts';
import { appliedHardforks, nextHardfork } from './planted_hardfork.ts';

/** Seven witnesses, each of which has an account of its name. */
const NAMES = ['initminer', 'alice', 'bob', 'carol', 'dave', 'erin', 'frank'];
const [ROUND, REQUIRED] = [NAMES.length, 5];
export const FIRST_VOTERS = NAMES.slice(0, REQUIRED - 1);
export const [FIFTH = '', LAST = ''] = NAMES.slice(REQUIRED - 1);
export const REST = NAMES.slice(REQUIRED - 1);
/** Until then the first four have voted, and two further rounds have ended. */
const DUE_SECONDS = 8 * ROUND * 3;

/** A chain whose first four witnesses vote for a hardfork, and nodes of it. */
export class VotedChain {
  /** Parameters of a program that does not know the hardfork, and of one that does. */
  readonly old: ChainParameters;
  readonly next: ChainParameters;
  readonly hardfork: Hardfork;
  readonly #blocks: VerifiedBlock[] = [];
  #notes = 0;

  constructor() {
    const accounts = NAMES.slice(1).map((name) => ({ name, key: testKeyText(name), balance: 10_000_000_000_000 }));
    const round = { max_witnesses: ROUND, max_voted_witnesses: ROUND, hardfork_req_witnesses: REQUIRED };
    const parameters = partedParameters({ ...round, finality: true, initial_accounts: accounts });
    this.old = { ...parameters, hardforks: appliedHardforks };
    const maker = openChain(this.old);
    this.#blocks.push(produce(maker));
    for (const name of NAMES.slice(1))
      maker.accept(makeTransaction(maker, this.old, [witnessUpdate(name, name)], [name]));
    do this.#blocks.push(produce(maker));
    while (scheduledNames(maker.committed.only(witnessSchedule)).length < ROUND);
    this.hardfork = nextHardfork(maker.head.time + DUE_SECONDS);
    this.next = { ...parameters, hardforks: [...appliedHardforks, this.hardfork] };
    const voting = this.open(this.next);
    this.#blocks.push(...this.grow(voting, FIRST_VOTERS, () => this.votes(voting) === FIRST_VOTERS.length));
  }

  /** Blocks that all nodes have. */
  get beginning(): readonly VerifiedBlock[] {
    return this.#blocks;
  }

  /** A node of the chain, with the beginning that all have. */
  open(parameters: ChainParameters, store = new MemoryStore()): Chain {
    const chain = openChain(parameters, store);
    this.feed(chain, this.#blocks);
    return chain;
  }

  /** Pushes blocks of another node. */
  feed(chain: Chain, blocks: readonly VerifiedBlock[]): void {
    for (const block of blocks) chain.push(copyBlock(this.old, block));
  }

  /** A node does not know the hardfork: it takes the blocks before the activation, and no other. */
  assertStops(chain: Chain, blocks: readonly VerifiedBlock[], activation: VerifiedBlock | undefined): void {
    assert.ok(activation !== undefined);
    const agreed = new RegExp(`agreed on hardfork ${versionText(this.hardfork.version).replaceAll('.', '\\.')}, which`);
    assert.throws(() => this.feed(chain, blocks), agreed);
    assert.equal(chain.head.id, activation.header.previous);
  }

  /** These witnesses make blocks in their slots until this is true. */
  grow(chain: Chain, names: readonly string[], isDone: () => boolean): VerifiedBlock[] {
    const made: VerifiedBlock[] = [];
    while (!isDone()) made.push(...growSide(chain, names, 1));
    return made;
  }

  votes({ committed }: Chain): number {
    return NAMES.filter((name) => committed.get(witnesses, name)?.hardfork_version_vote === this.hardfork.version)
      .length;
  }

  isAgreed({ committed }: Chain): boolean {
    return committed.only(hardforkProperty).next_hardfork === this.hardfork.version;
  }

  isActive({ committed }: Chain): boolean {
    return hasHardfork(committed, this.hardfork);
  }

  isDue({ head }: Chain): boolean {
    return head.time > this.hardfork.time;
  }

  /** A transaction of the kind that is behind the hardfork. */
  note(chain: Chain): VerifiedTransaction {
    const fee = '0.010000 COIN';
    const body = { fee, sender: 'alice', recipients: ['bob'], app_id: 0, json: `{"n":${++this.#notes}}` };
    const expiration = chain.head.time + 600;
    // All branches have the end of the beginning.
    const reference = this.#blocks.at(-1)?.id ?? assert.fail('the beginning');
    return makeTransaction(chain, this.next, [['custom_json', body]], ['alice'], { expiration, reference });
  }
}
