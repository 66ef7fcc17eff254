import { quickSignature } from './quick_signature.ts';
import assert from 'node:assert/strict';

import { present } from '../../src/base/assert.ts';
import { catchRefusal } from '../../src/base/refusal.ts';
import { readBlock, type VerifiedBlock } from '../../src/blocks/block.ts';
import { verifyBlock } from '../../src/blocks/verify.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { verifyStore } from '../../src/data_folder/verify/verify_store.ts';
import { tables } from '../../src/state/tables/index.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { indexProblems } from '../../src/storage/check_indexes.ts';
import type { KeyValueStore } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { assertSound, testKey, openChain, people, testSecret, makeTransaction } from './chain.ts';
import type { RandomSource } from './random_source.ts';
import { naiveDifferences } from './naive_model.ts';
import { RandomOperations } from './random_operations/index.ts';
import { count } from './counts.ts';

/** A node of the network. */
export interface Node {
  readonly chain: Chain;
  readonly store: KeyValueStore;
}

/** Fills blocks in place of ten operations of any kind at most. */
export interface Traffic {
  /** The percentage of blocks without any operation. */
  readonly quietPercent: number;
  /** A kind of which every second operation is. */
  readonly favoured: string;
}

const MOST_SLOTS_WAITED = 40; // some witness of a round has a key that we know, unless the chain has stopped for good
const LONGEST_BRANCH = 3; // the longer one has one more; a round of five witnesses behind the head is final

/**
 * Three nodes of one chain in one thread, driven by random numbers: the first two produce, sometimes each a branch of
 * its own, the third receives blocks in any order. After every block all nodes are compared and checked.
 */
export class RandomNetwork {
  readonly accepted = new Map<string, number>();
  readonly refused = new Map<string, number>();
  readonly #parameters: ChainParameters;
  readonly #randomSource: RandomSource;
  readonly #nodes: readonly [Node, Node, Node];
  readonly #traffic: Traffic | undefined;
  readonly #labels = new Map<string, string>();
  /** The state hash after each block that was ever produced, by its id. */
  readonly #hashes = new Map<string, string>();

  /**
   * `disk` is the store of the second node; memory by default. The third keeps that many of the newest blocks, all by
   * default. `traffic` is what fills blocks.
   */
  constructor(
    parameters: ChainParameters,
    randomSource: RandomSource,
    disk: KeyValueStore = new MemoryStore(),
    blocksKept?: number,
    traffic?: Traffic,
  ) {
    this.#traffic = traffic;
    this.#parameters = parameters;
    this.#randomSource = randomSource;
    const makeNode = (store: KeyValueStore, kept?: number): Node => ({
      chain: openChain(parameters, store, new Map(), kept),
      store,
    });
    this.#nodes = [makeNode(new MemoryStore()), makeNode(disk), makeNode(new MemoryStore(), blocksKept)];
    for (const name of [...people, 'initminer']) this.#labels.set(testKey(name), name);
  }

  get head(): Chain['head'] {
    return this.#nodes[0].chain.head;
  }

  /** The node that keeps all and the one that may keep less. */
  get pair(): readonly [Node, Node] {
    return [this.#nodes[0], this.#nodes[2]];
  }

  /**
   * Runs that many rounds: mostly one block for all nodes, sometimes two branches. Stops early when the chain has
   * stopped.
   */
  run(rounds: number): void {
    const [first, second] = this.#nodes;
    for (let round = 0; round < rounds; round++) {
      const isGoing = this.#randomSource.chance(85)
        ? this.#extend(this.#randomSource.pick([first, second]))
        : this.#part();
      if (!isGoing) return;
      this.#compare();
    }
  }

  /** Undoes everything that can be undone, on the node that received the blocks in another order. */
  undoAll(): void {
    const { chain, store } = this.#nodes[2];
    assert.deepEqual(verifyStore(store, this.#parameters, () => {}).problems, []);
    for (let isOver = false; !isOver;) {
      isOver = catchRefusal(() => chain.undo())?.code === 'nothing_to_undo';
      if (chain.head.number > 0)
        assert.equal(
          chain.head.stateHash,
          this.#hashes.get(chain.head.id),
          `the state behind block ${chain.head.number}`,
        );
    }
    assert(chain.head.number >= Math.min(chain.head.lastIrreversible, this.head.lastIrreversible));
    assertSound(chain, this.#parameters, store);
    assert.deepEqual(verifyStore(store, this.#parameters, () => {}).problems, []);
    assert.deepEqual(indexProblems(store, tables), []);
  }

  /** One block on all nodes. */
  #extend(producer: Node): boolean {
    const block = this.#produce(producer);
    if (block === undefined) return false;
    this.#tellAll([block]);
    return true;
  }

  /**
   * Two branches, the second one longer; the third node receives all blocks as they come. Each witness produces on one
   * side only: a witness that signs on both sides could make both irreversible.
   */
  #part(): boolean {
    const [first, second] = this.#nodes;
    const { number } = this.head;
    const round = [...new Set(first.chain.committed.only(witnessSchedule).current_shuffled_witnesses)];
    const some = new Set(this.#randomSource.shuffle(round).slice(0, Math.trunc(round.length / 2)));
    const isVotedOn = number > this.#parameters.confirmationsFromBlock - LONGEST_BRANCH - 2;
    const here = (owner: string): boolean => !isVotedOn || some.has(owner);
    const there = (owner: string): boolean => !isVotedOn || !some.has(owner);
    const length = 1 + this.#randomSource.roll(LONGEST_BRANCH);
    const short = this.#grow(first, length, here);
    const long = this.#grow(second, length + 1, there);
    if ([first, second].some(({ chain }) => chain.head.lastIrreversible > number) || short.length === long.length)
      return false;
    this.#tellAll([...short, ...long]);
    return true;
  }

  #grow(node: Node, length: number, produces: (owner: string) => boolean): VerifiedBlock[] {
    return Array.from({ length }, () => this.#produce(node, produces)).filter((block) => block !== undefined);
  }

  /** All nodes receive the blocks, the third in any order in which they link. */
  #tellAll(blocks: readonly VerifiedBlock[]): void {
    const copies = blocks.map(({ packed }) => verifyBlock(this.#parameters.chainId, readBlock(packed)));
    const [first, second, third] = this.#nodes;
    for (const { chain } of [first, second]) for (const block of copies) chain.push(block);
    let waiting = this.#randomSource.shuffle(copies);
    while (waiting.length > 0) {
      const lost = waiting.filter((block) => !this.#links(third.chain, block));
      assert(lost.length < waiting.length, 'every block links to something');
      waiting = lost;
    }
  }

  #links(chain: Chain, block: VerifiedBlock): boolean {
    const refusal = catchRefusal(() => void chain.push(block));
    if (refusal !== undefined && refusal.code !== 'unlinkable_block') throw refusal;
    return refusal === undefined;
  }

  #produce({ chain }: Node, produces: (owner: string) => boolean = () => true): VerifiedBlock | undefined {
    const isQuiet = this.#traffic !== undefined && this.#randomSource.chance(this.#traffic.quietPercent);
    for (let sent = isQuiet ? 0 : this.#randomSource.roll(10); sent > 0; sent--) this.#send(chain);
    // Sometimes no block is produced for days.
    const slot = this.#randomSource.chance(94)
      ? 1
      : 1 + this.#randomSource.roll(this.#randomSource.chance(80) ? 8 : 2000);
    for (let late = slot; late < slot + MOST_SLOTS_WAITED; late++) {
      const scheduled = present(chain.findProductionSlot(chain.slotTime(late)), 'a slot');
      const label = this.#labels.get(scheduled.signingKey ?? '');
      if (label === undefined || !produces(scheduled.witness)) continue;
      const block = this.#seal(chain, {
        ...scheduled,
        sign: (digest) => quickSignature(digest, testSecret(label)),
      });
      if (block === undefined) continue;
      this.#hashes.set(block.id, chain.head.stateHash);
      return block;
    }
    return undefined;
  }

  /**
   * Undefined when what was pending makes the block invalid, as a transfer to the null account does under the lineage's
   * rules.
   */
  #seal(chain: Chain, request: Parameters<Chain['seal']>[0]): VerifiedBlock | undefined {
    let block: VerifiedBlock | undefined;
    const refusal = catchRefusal(() => (block = chain.seal(request)));
    if (refusal !== undefined && refusal.code !== 'supply_lost') throw refusal;
    return block;
  }

  #send(chain: Chain): void {
    const maker = new RandomOperations(chain, this.#randomSource, this.#labels);
    const isFavoured = this.#traffic !== undefined && this.#randomSource.chance(50);
    const made = Array.from({ length: this.#randomSource.chance(80) ? 1 : 2 }, () =>
      maker.make(isFavoured ? present(this.#traffic, 'a kind').favoured : maker.kind()),
    );
    const signers = [...new Set(made.flatMap((each) => each.signers))];
    const chosen = this.#randomSource.chance(95)
      ? signers
      : this.#randomSource.pick([[], ['alice'], [...signers, 'nobody']]);
    const before = chain.pendingTransactions.length;
    const kinds = made.map(({ operation }) => operation[0]);
    const expiration = chain.head.time + (this.#randomSource.chance(96) ? 3600 : this.#randomSource.pick([3601, 0]));
    const refusal = catchRefusal(
      () =>
        void chain.accept(
          this.#sign(
            chain,
            made.map(({ operation }) => operation),
            chosen,
            expiration,
          ),
        ),
    );
    if (refusal === undefined) for (const kind of kinds) count(this.accepted, kind);
    else count(this.refused, refusal.code);
    assert.equal(chain.pendingTransactions.length, refusal === undefined ? before + 1 : before);
  }

  #sign(
    chain: Chain,
    operations: Parameters<typeof makeTransaction>[2],
    signers: readonly string[],
    expiration: number,
  ): VerifiedTransaction {
    return makeTransaction(chain, this.#parameters, operations, signers, { expiration });
  }

  /** All nodes agree, invariants hold, and what is updated incrementally equals what is recomputed. */
  #compare(): void {
    const [first, ...others] = this.#nodes;
    for (const { chain } of others) assert.deepEqual(chain.head, first.chain.head);
    assertSound(first.chain, this.#parameters, first.store);
    assert.deepEqual(naiveDifferences(first.chain.committed, this.#parameters), []);
  }
}
