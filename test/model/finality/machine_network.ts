import { present } from '../../../src/base/assert.ts';
import type { Certificate } from '../../../src/blocks/finality/certificate.ts';
import { voteDigest, type Vote, type VoteSubject } from '../../../src/blocks/finality/vote.ts';
import type { VotingRecord } from '../../../src/blocks/finality/voting_record.ts';
import type { Moment } from '../../../src/blocks/finality/voting_rule.ts';
import { Finality } from '../../../src/chain/finality/finality.ts';
import type { FinalityAction } from '../../../src/chain/finality/finality_actions.ts';
import type { BlockId } from '../../../src/values/hash.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { EventHeap } from '../../sim/event_heap.ts';
import { HiddenVotes } from './hidden_votes.ts';
import {
  getAncestor,
  makeBlock,
  CHAIN_ID,
  genesisBlock,
  keyOfNode,
  ModelChain,
  makeSchedule,
  type ModelBlock,
  type ModelSchedule,
} from './machine_blocks.ts';

/*
 * A network of nodes with the real finality machine. Links, clocks, partitions, liars and restarts are the network's;
 * signatures are a table: the signature of a key is the key and what it signs.
 */

export const SLOT_MS = 3000;
const HEARD_LATEST_MS = 150;

export interface MachineOptions {
  /** As many as a round has blocks. */
  readonly nodes: number;
  readonly seed: number;
  /** Nodes that vote for everything and show each half of the network another block. */
  readonly liars: number;
  /**
   * Liars keep their votes to themselves, and show the certificates that these complete to some nodes when a slot
   * begins.
   */
  readonly hidesVotes?: boolean;
  /** The largest error of clocks. */
  readonly clockErrorMs: number;
  /** The side on which a node is in a slot; nodes of different sides don't hear each other. */
  readonly sideOf: (node: number, slot: number) => number;
  /** Nodes that may come into the schedule besides; each epoch changes up to a third of it. */
  readonly spare?: number;
  /** The order in which nodes produce in each round; shuffled for each round by default. */
  readonly order?: readonly number[];
  /**
   * True, the default, when nodes vote; otherwise blocks are final on which three quarters of the witnesses have built.
   */
  readonly votes?: boolean;
}

export interface FinalBlock {
  readonly number: number;
  /** From the slot of the block to the moment at which the first honest node knew it as final. */
  readonly afterMs: number;
  readonly atMs: number;
}

type Message =
  | { readonly is: 'block'; readonly block: ModelBlock }
  | { readonly is: 'vote'; readonly vote: Vote }
  | { readonly is: 'certificate'; readonly certificate: Certificate };

/** The network with its time. */
export class MachineNetwork {
  readonly options: MachineOptions;
  readonly nodes: readonly MachineNode[];
  /** The first time that each block was final for an honest node, in order. */
  readonly finals: FinalBlock[] = [];
  /** Two blocks that contradict each other and were both final for honest nodes, or what made a machine stop. */
  conflict: string | undefined;
  /** Nodes whose votes contradict each other, as honest nodes have shown. */
  readonly shown = new Set<number>();
  readonly genesis: ModelBlock;
  readonly #events = new EventHeap(0);
  readonly #randomSource: RandomSource;
  readonly #final = new Map<number, ModelBlock>();
  readonly #schedules = new Map<BlockId, ModelSchedule>();
  readonly hidden: HiddenVotes;
  #blocks = 0;

  constructor(options: MachineOptions) {
    this.options = options;
    this.#randomSource = new RandomSource(options.seed);
    this.hidden = new HiddenVotes(range(options.liars));
    const order = range(options.nodes);
    this.genesis = genesisBlock(makeSchedule(0, options.order ?? this.#randomSource.shuffle(order)));
    this.nodes = range(options.nodes + (options.spare ?? 0)).map((index) => {
      const clockAheadMs = this.#randomSource.roll(2 * options.clockErrorMs + 1) - options.clockErrorMs;
      return new MachineNode(this, index, clockAheadMs);
    });
  }

  get nowMs(): number {
    return this.#events.nowMs;
  }

  run(slots: number): void {
    const first = Math.floor(this.nowMs / SLOT_MS) + 1;
    for (let slot = first; slot < first + slots; slot++) {
      if (this.#sidesChange(slot)) this.at(slot * SLOT_MS, () => this.nodes.forEach((node) => node.greet()));
      if (this.options.hidesVotes === true)
        this.at(slot * SLOT_MS - this.#randomSource.roll(200), () => this.#showHidden());
      for (const node of this.nodes) {
        this.at(slot * SLOT_MS - node.clockAheadMs, () => node.slotBegins(slot));
        this.at((slot + 1) * SLOT_MS - 1 - node.clockAheadMs, () => node.slotEnds(slot));
      }
    }
    this.#events.runEvents((first + slots) * SLOT_MS - 1, () => undefined);
  }

  at(ms: number, run: () => void): void {
    this.#events.at(ms, run);
  }

  /** Links take 50 to 150 ms. */
  send(from: number, message: Message, isFor: (node: number) => boolean = () => true): void {
    for (const node of this.#listeners(from))
      if (isFor(node.index)) this.at(this.nowMs + this.#delayMs(), () => node.receive(message));
  }

  /** Asks the others of a node's side; the first that has an answer gives it. */
  ask<T>(from: number, answerOf: (node: MachineNode) => T | undefined, take: (answer: T) => void): void {
    const [answer] = this.#listeners(from).flatMap((node) => answerOf(node) ?? []);
    if (answer !== undefined) this.at(this.nowMs + 2 * this.#delayMs(), () => take(answer));
  }

  block(parent: ModelBlock, slot: number, producer: number): ModelBlock {
    const isBoundary = (parent.number + 1) % this.options.nodes === 0;
    return makeBlock(parent, slot, producer, ++this.#blocks, isBoundary ? this.#scheduleAfter(parent) : undefined);
  }

  noteFinal(block: ModelBlock): void {
    for (let each: ModelBlock | undefined = block; each !== undefined && each.number > 0; each = each.parent) {
      const known = this.#final.get(each.number);
      if (known?.id === each.id) return;
      if (known !== undefined) {
        this.conflict ??= `two final blocks ${each.number}, of slots ${known.slot} and ${each.slot}`;
        return;
      }
      this.#final.set(each.number, each);
      this.finals.push({ number: each.number, afterMs: this.nowMs - each.slot * SLOT_MS, atMs: this.nowMs });
    }
  }

  isLiar(node: number): boolean {
    return node < this.options.liars;
  }

  /** Each child of a block that ends a round makes the same schedule of the next one. */
  #scheduleAfter(parent: ModelBlock): ModelSchedule {
    const known = this.#schedules.get(parent.id);
    if (known !== undefined) return known;
    const epoch = parent.schedule.voters.epoch + 1;
    const made = makeSchedule(
      epoch,
      this.options.order ?? this.#randomSource.shuffle(this.#changed(parent.schedule.order)),
    );
    this.#schedules.set(parent.id, made);
    return made;
  }

  #changed(order: readonly number[]): number[] {
    const outside = range(this.nodes.length).filter((node) => !order.includes(node));
    const count = Math.min(outside.length, Math.floor(order.length / 3));
    const left = this.#randomSource.shuffle(order).slice(this.#randomSource.roll(count + 1));
    return [...left, ...this.#randomSource.shuffle(outside)].slice(0, order.length);
  }

  /** One of the last hidden certificates, to a part of the network. */
  #showHidden(): void {
    const certificates = this.hidden.certificates.slice(-4);
    if (certificates.length === 0) return;
    const certificate = this.#randomSource.pick(certificates);
    const part = this.#randomSource.roll(100);
    this.send(0, { is: 'certificate', certificate }, () => this.#randomSource.chance(part));
  }

  #listeners(from: number): MachineNode[] {
    const side = this.#side(from);
    return this.nodes.filter(({ index }) => index !== from && this.#side(index) === side);
  }

  #delayMs(): number {
    return 50 + this.#randomSource.roll(HEARD_LATEST_MS - 50);
  }

  #side(node: number): number {
    return this.options.sideOf(node, Math.floor(this.nowMs / SLOT_MS));
  }

  #sidesChange(slot: number): boolean {
    return this.nodes.some(({ index }) => this.options.sideOf(index, slot) !== this.options.sideOf(index, slot - 1));
  }
}

/** A node: its chain, its machine, and the disk that both survive on. */
export class MachineNode {
  readonly index: number;
  readonly clockAheadMs: number;
  readonly chain: ModelChain;
  readonly #network: MachineNetwork;
  readonly #boundaries = new Map<number, Certificate>();
  readonly #voted = new Set<string>();
  #machine: Finality;
  #record: VotingRecord;
  #final: { readonly number: number; readonly certificate?: Certificate | undefined } = { number: 0 };
  #isUp = true;

  constructor(network: MachineNetwork, index: number, clockAheadMs: number) {
    this.index = index;
    this.clockAheadMs = clockAheadMs;
    this.#network = network;
    this.chain = new ModelChain(network.genesis);
    this.#record = { begun: 0, signed_first_block: true, last_prepare: undefined, lock: undefined };
    this.#machine = this.#started();
  }

  /** The number of the newest block that is final here. */
  get finalNumber(): number {
    return this.#final.number;
  }

  stop(): void {
    this.#isUp = false;
  }

  /** Starts again with what is on the disk; a journal that is lost begins anew. */
  start(hasJournal: boolean): void {
    this.#isUp = true;
    if (!hasJournal)
      this.#record = { begun: this.#slot(), signed_first_block: false, last_prepare: undefined, lock: undefined };
    this.#machine = this.#started();
    this.greet();
  }

  slotBegins(slot: number): void {
    if (!this.#isUp) return;
    const actions = this.#votes ? this.#machine.slotBegins(this.#moment()) : [];
    // Nobody knows who has missed one that was sent when it was learned; the producer sends it again.
    this.#act(actions.filter((action) => action.do !== 'send_certificate'));
    const { tip } = this.chain;
    if (tip.schedule.order[slot % this.#network.options.nodes] !== this.index || tip.slot >= slot) return;
    this.#act(actions.filter((action) => action.do === 'send_certificate'));
    const block = this.#network.block(tip, slot, this.index);
    if (this.#isLiar)
      this.#network.send(this.index, { is: 'block', block: this.#network.block(tip, slot, this.index) }, isOdd);
    this.#network.send(this.index, { is: 'block', block }, this.#isLiar ? (node) => !isOdd(node) : undefined);
    this.receive({ is: 'block', block });
  }

  slotEnds(slot: number): void {
    if (this.#isUp && this.#votes) this.#act(this.#machine.slotEnds(slot, this.#moment()));
  }

  /** After a connection was made: what the other side may not have. */
  greet(): void {
    if (!this.#isUp) return;
    for (const certificate of this.#machine.told) this.#network.send(this.index, { is: 'certificate', certificate });
    this.#network.send(this.index, { is: 'block', block: this.chain.tip });
  }

  receive(message: Message): void {
    if (!this.#isUp) return;
    if (message.is === 'block') this.#takeBlock(message.block);
    else if (message.is === 'vote') this.#takeVote(message.vote);
    else this.#act(this.#machine.certificateArrived(message.certificate, this.#moment()));
  }

  #takeBlock(block: ModelBlock): void {
    if (!this.chain.learn(block)) return;
    const previous = block.parent?.id ?? block.id;
    const certified = this.#votes
      ? this.#machine.certifiedBlock({ id: block.id, previous, slot: block.slot })
      : undefined;
    this.chain.choose(certified, this.#final.number);
    if (this.#votes) this.#act(this.#machine.blockTaken(this.#moment()));
    else this.#confirm();
  }

  #takeVote(vote: Vote): void {
    if (this.#hides) this.#hide(vote);
    else if (this.#isLiar && vote.voter !== this.index) this.#repeat(vote.subject);
    this.#act(this.#machine.voteArrived(vote, this.#moment()));
  }

  /** A liar votes for whatever others vote for. */
  #repeat(subject: VoteSubject): void {
    const voters = this.chain.votersOf(subject.epoch);
    const voter = voters?.keys.indexOf(keyOfNode(this.index)) ?? -1;
    const key = `${subject.epoch} ${subject.view} ${subject.kind} ${subject.block}`;
    if (voters?.digest !== subject.voters || voter < 0 || this.#voted.has(key)) return;
    this.#voted.add(key);
    this.#network.send(this.index, { is: 'vote', vote: this.#signed(subject, voter) });
  }

  #hide(vote: Vote): void {
    const voters = this.chain.votersOf(vote.subject.epoch);
    if (voters?.digest === vote.subject.voters) this.#network.hidden.hear(vote, voters);
  }

  #act(actions: readonly FinalityAction[]): void {
    for (const action of actions) this.#do(action);
  }

  #do(action: FinalityAction): void {
    const network = this.#network;
    switch (action.do) {
      case 'sign':
        this.#record = action.record;
        return this.#cast(this.#signed(action.subject, action.voter));
      case 'record':
        this.#record = action.record;
        return;
      case 'send_certificate':
        if (!this.#hides) network.send(this.index, { is: 'certificate', certificate: action.certificate });
        return;
      case 'switch':
        this.chain.choose(action.block, this.#final.number);
        return this.#act(this.#machine.blockTaken(this.#moment()));
      case 'fetch':
        return network.ask(
          this.index,
          ({ chain }) => chain.known.get(action.block),
          (block) => this.receive({ is: 'block', block }),
        );
      case 'fetch_boundary':
        return network.ask(
          this.index,
          (node) => node.#boundaries.get(action.epoch),
          (certificate) => this.receive({ is: 'certificate', certificate }),
        );
      case 'finalise':
        return this.#finalise(action.certificate);
      case 'show_contradiction':
        if (!this.#isLiar) network.shown.add(this.#votingNode(action.votes[0]));
        return;
      case 'stop':
        if (!this.#isLiar) network.conflict ??= `node ${this.index} has stopped`;
        return;
      case 'stop_voter':
        if (!this.#isLiar) network.conflict ??= `node ${this.index} votes no more`;
        return;
      case 'relay_vote':
        return;
    }
  }

  #votingNode({ subject: { epoch }, voter }: Vote): number {
    const key = this.chain.votersOf(epoch)?.keys[voter];
    return this.#network.nodes.findIndex(({ index }) => keyOfNode(index) === key);
  }

  #cast(vote: Vote): void {
    if (this.#hides) return this.#hide(vote);
    this.#network.send(this.index, { is: 'vote', vote });
    this.#act(this.#machine.voteArrived(vote, this.#moment()));
  }

  #signed(subject: VoteSubject, voter: number): Vote {
    return {
      subject,
      voter,
      signature: keyOfNode(this.index) + Buffer.from(voteDigest(CHAIN_ID, subject)).toString('hex'),
    };
  }

  #finalise(certificate: Certificate): void {
    const block = present(this.chain.known.get(certificate.subject.block), 'the final block');
    this.#final = { number: block.number, certificate };
    if (block.number % this.#network.options.nodes === 0) this.#boundaries.set(certificate.subject.epoch, certificate);
    if (!this.#isLiar) this.#network.noteFinal(block);
  }

  /** Makes blocks final without votes: 39 of 51 witnesses have built on them. */
  #confirm(): void {
    const { order } = this.chain.tip.schedule;
    const last = new Map(order.map((node) => [node, 0]));
    for (
      let block: ModelBlock | undefined = this.chain.tip;
      block !== undefined && block.number > 0;
      block = block.parent
    )
      if (last.get(block.producer) === 0) last.set(block.producer, block.number);
    const confirmed = [...last.values()].sort((one, other) => one - other)[Math.floor(order.length / 4)] ?? 0;
    if (confirmed <= this.#final.number) return;
    this.#final = { number: confirmed };
    this.#network.noteFinal(present(getAncestor(this.chain.tip, confirmed), 'the confirmed block'));
  }

  #started(): Finality {
    return new Finality({
      chainId: CHAIN_ID,
      maxWitnesses: this.#network.options.nodes,
      intervalMs: SLOT_MS,
      chain: this.chain,
      verify: (digest, signature, key) => signature === key + Buffer.from(digest).toString('hex'),
      final: this.#final,
      voters: [{ key: keyOfNode(this.index), record: this.#record }],
      started: this.#slot(),
    });
  }

  get #votes(): boolean {
    return this.#network.options.votes !== false;
  }

  get #isLiar(): boolean {
    return this.#network.isLiar(this.index);
  }

  get #hides(): boolean {
    return this.#isLiar && this.#network.options.hidesVotes === true;
  }

  #moment(): Moment {
    return { nowMs: this.#network.nowMs + this.clockAheadMs };
  }

  #slot(): number {
    return Math.floor(this.#moment().nowMs / SLOT_MS);
  }
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function isOdd(node: number): boolean {
  return node % 2 === 1;
}
