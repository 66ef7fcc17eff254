import assert from 'node:assert/strict';

import { present } from '../../../src/base/assert.ts';
import { catchRefusal } from '../../../src/base/refusal.ts';
import type { PackedBlock, VerifiedBlock } from '../../../src/blocks/block.ts';
import type { Certificate } from '../../../src/blocks/finality/certificate.ts';
import { voteDigest, type Vote, type VoteSubject } from '../../../src/blocks/finality/vote.ts';
import type { VotingRecord } from '../../../src/blocks/finality/voting_record.ts';
import type { Moment } from '../../../src/blocks/finality/voting_rule.ts';
import { Finality } from '../../../src/chain/finality/finality.ts';
import type { FinalityAction } from '../../../src/chain/finality/finality_actions.ts';
import type { Chain } from '../../../src/chain/chain.ts';
import type { ChainParameters } from '../../../src/state/parameters.ts';
import { writeSnapshot } from '../../../src/snapshot/write_snapshot.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { getBlockNumber, type BlockId } from '../../../src/values/hash.ts';
import { testKey, openChain, testSecret } from '../../builders/chain.ts';
import { copyStore as copyOfStore } from '../../builders/copied_store.ts';
import { loadedState } from '../../builders/loaded_state.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { copyBlock, HERE, partedChains, partedParameters, THERE } from '../../builders/parted_witnesses.ts';
import { quickSignature } from '../../builders/quick_signature.ts';
import { EventHeap } from '../../sim/event_heap.ts';

/*
 * Nodes with real chains and the real finality machine. Links, partitions and restarts are the network's.
 */

const INTERVAL_MS = 3000;
export const NAMES = [...HERE, ...THERE];

type Message =
  | { readonly is: 'block'; readonly block: PackedBlock }
  | { readonly is: 'vote'; readonly vote: Vote }
  | { readonly is: 'certificate'; readonly certificate: Certificate };

/** The side of each node in a slot of the run; nodes of different sides don't hear each other. */
export type SideOf = (node: number, slot: number) => number;

/** Four witnesses that vote, each with a node of its own. */
export class VotingNetwork {
  readonly parameters: ChainParameters;
  readonly nodes: readonly VotingNode[];
  readonly blocks = new Map<BlockId, PackedBlock>();
  readonly heap: EventHeap;
  readonly sideOf: SideOf;
  /** The number of times that a head has fallen. */
  falls = 0;
  readonly #firstSlot: number;
  readonly #randomSource: RandomSource;
  readonly #final = new Map<number, BlockId>();

  constructor(seed: number, sideOf: SideOf) {
    this.parameters = partedParameters({ finality: true });
    this.sideOf = sideOf;
    this.#randomSource = new RandomSource(seed);
    const { here } = partedChains(this.parameters);
    this.#firstSlot = Math.trunc(here.head.time / 3) + 1;
    this.heap = new EventHeap((this.#firstSlot - 1) * INTERVAL_MS + 1000);
    const made = Array.from({ length: here.head.number }, (_, at) => present(here.block(at + 1), 'a block'));
    for (const block of made) this.blocks.set(block.id, block);
    this.nodes = NAMES.map((name, index) => new VotingNode(this, name, index, made));
  }

  get slot(): number {
    return Math.trunc(this.heap.nowMs / INTERVAL_MS) - this.#firstSlot;
  }

  run(slots: number): void {
    const first = this.slot + 1;
    for (let slot = first; slot < first + slots; slot++) {
      const beginMs = (this.#firstSlot + slot) * INTERVAL_MS;
      this.heap.at(beginMs, () => this.nodes.forEach((node) => node.greet()));
      for (const node of this.nodes) {
        this.heap.at(beginMs, () => node.slotBegins());
        this.heap.at(beginMs + INTERVAL_MS - 1, () => node.slotEnds(this.#firstSlot + slot));
      }
    }
    this.heap.runEvents((this.#firstSlot + first + slots) * INTERVAL_MS - 1, () => undefined);
  }

  send(from: number, message: Message): void {
    for (const node of this.heardBy(from))
      this.heap.at(this.heap.nowMs + 50 + this.#randomSource.roll(100), () => node.receive(message));
  }

  heardBy(from: number): VotingNode[] {
    const side = this.sideOf(from, this.slot);
    return this.nodes.filter(({ index }) => index !== from && this.sideOf(index, this.slot) === side);
  }

  /** Each block that a node calls final, and all before it. */
  noteFinal(chain: Chain, number: number): void {
    for (let each = number; each > 0; each--) {
      const id = present(chain.block(each), 'a final block').id;
      const known = this.#final.get(each);
      if (known === id) return;
      assert.equal(known, undefined, `two final blocks ${each}`);
      this.#final.set(each, id);
    }
  }
}

/** A node: its chain on its disk, its machine, its signing journal. */
export class VotingNode {
  readonly index: number;
  readonly #network: VotingNetwork;
  readonly #name: string;
  #store = new MemoryStore();
  chain: Chain;
  #machine: Finality;
  #record: VotingRecord = { begun: 0, signed_first_block: true, last_prepare: undefined, lock: undefined };

  constructor(network: VotingNetwork, name: string, index: number, blocks: readonly PackedBlock[]) {
    this.index = index;
    this.#network = network;
    this.#name = name;
    this.chain = openChain(network.parameters, this.#store);
    for (const block of blocks) this.chain.push(copyBlock(network.parameters, block));
    this.#machine = this.#started();
  }

  /** As after a kill. */
  restart(): void {
    const { lastIrreversible } = this.chain.head;
    this.chain = openChain(this.#network.parameters, this.#store);
    assert.ok(this.chain.head.lastIrreversible >= lastIrreversible);
    this.#machine = this.#started();
    this.chain.followCertified(this.#machine.certifiedBlock());
  }

  /** Another machine, with the blocks of this one: imported, or as a snapshot of the last final one has them. */
  async beginAnew(how: 'import' | 'snapshot', path: string): Promise<void> {
    const { parameters } = this.#network;
    const before = this.#store;
    const blocks = this.#mainBlocks();
    this.#store = how === 'import' ? new MemoryStore() : await this.#snapshotOf(before, path);
    this.chain = openChain(parameters, this.#store);
    if (how === 'import') this.chain.replay(blocks, { signatures: false });
    this.#machine = this.#started();
  }

  /** True without a certificate: nothing is told as final, and no vote is cast. */
  get isSilent(): boolean {
    return this.chain.settled > this.chain.head.lastIrreversible;
  }

  async #snapshotOf(store: MemoryStore, path: string): Promise<MemoryStore> {
    const { parameters } = this.#network;
    await writeSnapshot(path, { store: copyOfStore(store), parameters, genesis: '', withBlocks: false });
    return loadedState(path, parameters);
  }

  #mainBlocks(): VerifiedBlock[] {
    const final = this.chain.settled;
    return [...this.#network.blocks.values()]
      .filter(
        ({ id, number }) => number <= final && this.#network.nodes.some(({ chain }) => chain.block(number)?.id === id),
      )
      .sort((one, other) => one.number - other.number)
      .map((block) => copyBlock(this.#network.parameters, block));
  }

  greet(): void {
    for (const certificate of this.#machine.told) this.#send({ is: 'certificate', certificate });
    this.#send({ is: 'block', block: present(this.chain.block(this.chain.head.number), 'the head') });
  }

  slotBegins(): void {
    this.#follow(this.#machine.certifiedBlock());
    this.#act(this.#machine.slotBegins(this.#moment));
    const scheduled = this.chain.findProductionSlot(Math.trunc(this.#moment.nowMs / 1000));
    if (scheduled?.witness !== this.#name) return;
    const block = this.chain.seal({ ...scheduled, sign: (digest) => quickSignature(digest, testSecret(this.#name)) });
    this.#network.blocks.set(block.id, block);
    this.#send({ is: 'block', block });
    this.#act(this.#machine.blockTaken(this.#moment));
  }

  slotEnds(slot: number): void {
    this.#act(this.#machine.slotEnds(slot, this.#moment));
  }

  receive(message: Message): void {
    if (message.is === 'block') this.#take(message.block);
    else if (message.is === 'vote') this.#act(this.#machine.voteArrived(message.vote, this.#moment));
    else this.#act(this.#machine.certificateArrived(message.certificate, this.#moment));
  }

  /** With the ancestors that are missing. */
  #take(block: PackedBlock): void {
    const missing = [block];
    for (let { previous } = block.header; !this.chain.canFollow(previous);) {
      const parent = this.#network.blocks.get(previous);
      if (parent === undefined || parent.number <= this.chain.settled) return;
      missing.unshift(parent);
      ({ previous } = parent.header);
    }
    for (const each of missing) {
      if (this.chain.canFollow(each.id)) continue;
      const { header, id } = each;
      this.#follow(
        this.#machine.certifiedBlock({ id, previous: header.previous, slot: Math.trunc(header.timestamp / 3) }),
      );
      catchRefusal(() => this.chain.push(copyBlock(this.#network.parameters, each)));
      this.#act(this.#machine.blockTaken(this.#moment));
    }
  }

  #follow(block: BlockId | undefined): void {
    const { number } = this.chain.head;
    this.chain.followCertified(block);
    if (this.chain.head.number < number) this.#network.falls++;
  }

  #act(actions: readonly FinalityAction[]): void {
    for (const action of actions) this.#do(action);
  }

  #do(action: FinalityAction): void {
    switch (action.do) {
      case 'sign':
        this.#record = action.record;
        return this.#cast(action.subject, action.voter);
      case 'record':
        this.#record = action.record;
        return;
      case 'send_certificate':
        return this.#send({ is: 'certificate', certificate: action.certificate });
      case 'switch':
        this.#follow(action.block);
        return this.#act(this.#machine.blockTaken(this.#moment));
      case 'fetch':
        return this.#fetch(action.block);
      case 'fetch_boundary':
        return this.#fetchBoundary(action.epoch);
      case 'finalise':
        this.chain.finalise(action.block, action.certificate);
        return this.#network.noteFinal(this.chain, getBlockNumber(action.block));
      case 'show_contradiction':
      case 'stop':
      case 'stop_voter':
        return assert.fail(`nobody lies here: ${action.do}`);
      case 'relay_vote':
        return;
    }
  }

  #cast(subject: VoteSubject, voter: number): void {
    const signature = quickSignature(voteDigest(this.#network.parameters.chainId, subject), testSecret(this.#name));
    const vote = { subject, voter, signature };
    this.#send({ is: 'vote', vote });
    this.#act(this.#machine.voteArrived(vote, this.#moment));
  }

  /** From whoever of its side has it. */
  #fetch(id: BlockId): void {
    const block = this.#network.blocks.get(id);
    const isHeard = this.#network
      .heardBy(this.index)
      .some(({ chain }) => chain.canFollow(id) || chain.block(getBlockNumber(id))?.id === id);
    if (block !== undefined && isHeard) this.#later(() => this.#take(block));
  }

  #fetchBoundary(epoch: number): void {
    const ended = this.#network.heardBy(this.index).flatMap(({ chain }) => chain.voted.endedEpochs(epoch, 1));
    const certificate = ended.find(({ voters }) => voters.epoch === epoch)?.certificate;
    if (certificate !== undefined) this.#later(() => this.receive({ is: 'certificate', certificate }));
  }

  #later(run: () => void): void {
    this.#network.heap.at(this.#network.heap.nowMs + 150, run);
  }

  #send(message: Message): void {
    this.#network.send(this.index, message);
  }

  #started(): Finality {
    const { parameters } = this.#network;
    const { lastIrreversible: number } = this.chain.head;
    return new Finality({
      chainId: parameters.chainId,
      maxWitnesses: parameters.genesis.max_witnesses,
      intervalMs: INTERVAL_MS,
      chain: this.chain.voted,
      verify: (digest, signature, key) => quickSignature(digest, testSecret(keyName(key))) === signature,
      final: { number, certificate: this.chain.voted.finalCertificate },
      settled: this.chain.settled,
      voters: [{ key: testKey(this.#name), record: this.#record }],
      started: Math.trunc(this.#network.heap.nowMs / INTERVAL_MS),
    });
  }

  get #moment(): Moment {
    return { nowMs: this.#network.heap.nowMs };
  }
}

function keyName(key: string): string {
  return present(
    NAMES.find((name) => testKey(name) === key),
    'a voter',
  );
}
