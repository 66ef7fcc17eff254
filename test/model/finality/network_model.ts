import assert from 'node:assert/strict';
import { RandomSource } from '../../builders/random_source.ts';
import { EventHeap } from '../../sim/event_heap.ts';

/*
 * A network of nodes that produce blocks and vote for them by the rule of voting_model.ts, with epochs, links, clocks
 * and partitions. Nothing of the node is used here: blocks are numbers, a signature is the voter's number.
 */

export const SLOT_MS = 3000;
const COMMIT_WITHIN_MS = 2000;
const HELD_BEFORE_MS = 1000;
/** Views before and after the voter's current slot that it still signs. */
const VIEWS_AROUND = 1;

/** A rule that keeps the network alive. Taken away to show that it is needed. */
export interface NetworkRules {
  /** Above an epoch's last block, voters go on voting for that block. */
  readonly votesForBoundary: boolean;
}

export const networkRules: NetworkRules = { votesForBoundary: true };

export interface NetworkOptions {
  readonly nodes: number;
  readonly seed: number;
  /** Nodes that vote for everything and show each half of the network another block. */
  readonly liars: number;
  /** The largest error of clocks. */
  readonly clockErrorMs: number;
  /** The side on which a node is in a slot; nodes of different sides don't hear each other. */
  readonly sideOf: (node: number, slot: number) => number;
  readonly rules?: NetworkRules;
}

interface Block {
  readonly id: number;
  readonly number: number;
  readonly slot: number;
  readonly parent: Block | undefined;
  /** The producers and voters from the next block on. */
  readonly schedule: Schedule;
}

/** A round's witnesses; `from` is the block whose application made it, the boundary of the epoch before. */
interface Schedule {
  readonly epoch: number;
  readonly from: number;
  readonly order: readonly number[];
}

type VoteKind = 'prepare' | 'commit';

interface Ballot {
  readonly kind: VoteKind;
  readonly schedule: Schedule;
  readonly view: number;
  readonly block: Block;
}

type Message =
  | { readonly is: 'block'; readonly block: Block }
  | { readonly is: 'vote'; readonly ballot: Ballot; readonly voter: number }
  | { readonly is: 'certificate'; readonly ballot: Ballot };

interface Held {
  readonly ballot: Ballot;
  readonly sinceMs: number;
}

interface Place {
  readonly epoch: number;
  readonly view: number;
  readonly block: Block;
}

export interface FinalBlock {
  readonly number: number;
  /** From the slot of the block to the moment at which the first honest node knew it as final. */
  readonly afterMs: number;
  readonly atMs: number;
}

/** The network with its time. */
export class FinalityNetwork {
  readonly options: NetworkOptions;
  readonly rules: NetworkRules;
  readonly nodes: readonly Node[];
  /** The first time that each block was final for an honest node, in order. */
  readonly finals: FinalBlock[] = [];
  /** Two blocks that contradict each other and were both final for honest nodes. */
  conflict: string | undefined;
  readonly genesis: Block;
  readonly #events = new EventHeap(0);
  readonly #randomSource: RandomSource;
  readonly #final = new Map<number, Block>();
  #blocks = 0;

  constructor(options: NetworkOptions) {
    this.options = options;
    this.rules = options.rules ?? networkRules;
    this.#randomSource = new RandomSource(options.seed);
    const order = Array.from({ length: options.nodes }, (_, index) => index);
    this.genesis = {
      id: 0,
      number: 0,
      slot: 0,
      parent: undefined,
      schedule: { epoch: 0, from: 0, order: this.#randomSource.shuffle(order) },
    };
    this.nodes = order.map(
      (index) => new Node(this, index, this.#randomSource.roll(2 * options.clockErrorMs + 1) - options.clockErrorMs),
    );
  }

  get nowMs(): number {
    return this.#events.nowMs;
  }

  run(slots: number): void {
    const first = Math.floor(this.nowMs / SLOT_MS) + 1;
    for (let slot = first; slot < first + slots; slot++) {
      if (this.#hasHealed(slot)) this.at(slot * SLOT_MS, () => this.nodes.forEach((node) => node.greet()));
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
    const side = this.#side(from);
    for (const node of this.nodes)
      if (node.index !== from && this.#side(node.index) === side && isFor(node.index))
        this.at(this.nowMs + 50 + this.#randomSource.roll(100), () => node.receive(message));
  }

  block(parent: Block, slot: number): Block {
    const number = parent.number + 1;
    const id = ++this.#blocks;
    const isBoundary = number % this.options.nodes === 0;
    const schedule = isBoundary
      ? { epoch: number / this.options.nodes, from: id, order: this.#randomSource.shuffle(parent.schedule.order) }
      : parent.schedule;
    return { id, number, slot, parent, schedule };
  }

  noteFinal(block: Block): void {
    for (let each: Block | undefined = block; each !== undefined && each.number > 0; each = each.parent) {
      const known = this.#final.get(each.number);
      if (known === each) return;
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

  #side(node: number): number {
    return this.options.sideOf(node, Math.floor(this.nowMs / SLOT_MS));
  }

  #hasHealed(slot: number): boolean {
    return this.nodes.some(({ index }) => this.options.sideOf(index, slot) !== this.options.sideOf(index, slot - 1));
  }
}

class Node {
  readonly index: number;
  readonly clockAheadMs: number;
  readonly #network: FinalityNetwork;
  readonly #known = new Set<Block>();
  readonly #votes = new Map<string, Set<number>>();
  readonly #certificates = new Map<string, Held>();
  readonly #heard = new Set<string>();
  #head: Block;
  #final: Block;
  #finalBallot: Ballot | undefined;
  #lastPrepare: Place | undefined;
  #lock: Place;
  #lockBallot: Ballot | undefined;

  constructor(network: FinalityNetwork, index: number, clockAheadMs: number) {
    this.index = index;
    this.clockAheadMs = clockAheadMs;
    this.#network = network;
    this.#head = this.#final = network.genesis;
    this.#known.add(network.genesis);
    this.#lock = { epoch: 0, view: 0, block: network.genesis };
  }

  /** The number of the newest block that is final here. */
  get finalNumber(): number {
    return this.#final.number;
  }

  slotBegins(slot: number): void {
    this.#choose(() => true);
    if (this.#head.schedule.order[slot % this.#network.options.nodes] !== this.index || this.#head.slot >= slot) return;
    const highest = this.#highest(() => true);
    if (highest !== undefined) this.#tell(highest.ballot);
    const block = this.#network.block(this.#head, slot);
    if (this.#isLiar)
      this.#network.send(this.index, { is: 'block', block: this.#network.block(this.#head, slot) }, isOdd);
    this.#network.send(this.index, { is: 'block', block }, this.#isLiar ? (node) => !isOdd(node) : undefined);
    this.receive({ is: 'block', block });
  }

  slotEnds(slot: number): void {
    if (this.#head.slot !== slot && this.#target() !== this.#final) this.#prepare(slot);
  }

  /** After a connection was made: what the other side may not have. */
  greet(): void {
    for (const ballot of [this.#finalBallot, this.#lockBallot, this.#highest(() => true)?.ballot])
      if (ballot !== undefined) this.#tell(ballot);
    this.#network.send(this.index, { is: 'block', block: this.#head });
  }

  receive(message: Message): void {
    if (message.is === 'block') this.#takeBlock(message.block);
    else if (message.is === 'vote') this.#takeVote(message.ballot, message.voter);
    else this.#takeCertificate(message.ballot);
  }

  #takeBlock(block: Block): void {
    if (!this.#learn(block)) return;
    const sinceMs = block.slot * SLOT_MS - HELD_BEFORE_MS - this.clockAheadMs;
    const before = this.#head;
    this.#choose((held) => held.sinceMs <= sinceMs || descends(block, held.ballot.block));
    if (this.#head !== before && descends(this.#head, block)) this.#prepare(block.slot);
    this.#applyFinal();
  }

  /** A block whose ancestors are missing is fetched with them. */
  #learn(block: Block): boolean {
    if (this.#known.has(block)) return false;
    for (let each: Block | undefined = block; each !== undefined && !this.#known.has(each); each = each.parent)
      this.#known.add(each);
    return true;
  }

  #choose(counts: (held: Held) => boolean): void {
    const best = this.#highest(counts)?.ballot.block;
    let chosen = this.#head;
    for (const block of this.#known) if (this.#isBetter(block, chosen, best)) chosen = block;
    this.#head = chosen;
  }

  #isBetter(block: Block, chosen: Block, best: Block | undefined): boolean {
    if (block === chosen || !descends(block, this.#final)) return false;
    if (!descends(chosen, this.#final)) return true;
    if (best !== undefined && descends(block, best) !== descends(chosen, best)) return descends(block, best);
    return block.number > chosen.number;
  }

  /** The certificate of the highest (epoch, view) above what is final here. */
  #highest(counts: (held: Held) => boolean): Held | undefined {
    let highest: Held | undefined;
    for (const held of this.#certificates.values())
      if (
        counts(held) &&
        this.#known.has(held.ballot.block) &&
        (highest === undefined || isHigherBallot(held.ballot, highest.ballot))
      )
        highest = held;
    return highest;
  }

  get #isLiar(): boolean {
    return this.#network.isLiar(this.index);
  }

  get #nowMs(): number {
    return this.#network.nowMs + this.clockAheadMs;
  }

  /** The epoch that has begun here: its voters. */
  #schedule(): Schedule {
    const epoch = Math.floor(this.#final.number / this.#network.options.nodes);
    return ancestor(this.#final, epoch * this.#network.options.nodes).schedule;
  }

  /** Returns the block of a prepare: the head, or the epoch's last block. */
  #target(): Block {
    const last = (this.#schedule().epoch + 1) * this.#network.options.nodes;
    return this.#head.number > last ? ancestor(this.#head, last) : this.#head;
  }

  #prepare(view: number): void {
    const schedule = this.#schedule();
    const block = this.#target();
    if (this.#head !== block && !this.#network.rules.votesForBoundary) return;
    if (Math.abs(view - Math.floor(this.#nowMs / SLOT_MS)) > VIEWS_AROUND || !schedule.order.includes(this.index))
      return;
    if (this.#lastPrepare?.epoch === schedule.epoch && view <= this.#lastPrepare.view) return;
    const lock =
      this.#lock.epoch === schedule.epoch
        ? this.#lock
        : { epoch: schedule.epoch, view: 0, block: boundaryAncestor(this.#final, schedule) };
    const isOpened = [...this.#certificates.values()].some(
      ({ ballot }) => ballot.schedule === schedule && ballot.view > lock.view && descends(block, ballot.block),
    );
    if (!descends(block, lock.block) && !isOpened) return;
    this.#lastPrepare = { epoch: schedule.epoch, view, block };
    this.#cast({ kind: 'prepare', schedule, view, block });
    this.#commitIfCertified();
  }

  #commitIfCertified(): void {
    const last = this.#lastPrepare;
    const schedule = this.#schedule();
    if (last === undefined || last.epoch !== schedule.epoch || this.#nowMs > last.view * SLOT_MS + COMMIT_WITHIN_MS)
      return;
    const prepare: Ballot = { kind: 'prepare', schedule, view: last.view, block: last.block };
    if (
      !this.#certificates.has(ballotKey(prepare)) ||
      (this.#lock.epoch === last.epoch && this.#lock.view === last.view)
    )
      return;
    this.#lock = last;
    this.#lockBallot = prepare;
    this.#tell(prepare);
    this.#cast({ kind: 'commit', schedule, view: last.view, block: last.block });
  }

  #cast(ballot: Ballot): void {
    this.#network.send(this.index, { is: 'vote', ballot, voter: this.index });
    this.#takeVote(ballot, this.index);
  }

  #tell(ballot: Ballot): void {
    this.#network.send(this.index, { is: 'certificate', ballot });
  }

  #takeVote(ballot: Ballot, voter: number): void {
    const key = ballotKey(ballot);
    const voters = this.#votes.get(key) ?? new Set<number>();
    this.#votes.set(key, voters);
    if (voters.has(voter) || !ballot.schedule.order.includes(voter)) return;
    voters.add(voter);
    if (this.#isLiar && !voters.has(this.index) && ballot.schedule.order.includes(this.index)) this.#cast(ballot);
    if (voters.size === quorumSize(ballot.schedule)) this.#takeCertificate(ballot);
  }

  #takeCertificate(ballot: Ballot): void {
    const key = ballotKey(ballot);
    if (this.#heard.has(key)) return;
    this.#heard.add(key);
    this.#learn(ballot.block);
    this.#certificates.set(key, { ballot, sinceMs: this.#network.nowMs });
    if (ballot.kind === 'commit' || this.#highest(() => true)?.ballot === ballot) this.#tell(ballot);
    if (ballot.kind === 'prepare') this.#commitIfCertified();
    this.#applyFinal();
  }

  /** The newest block with a commit certificate is final, with its ancestors. */
  #applyFinal(): void {
    for (const [key, { ballot }] of this.#certificates) {
      if (ballot.kind === 'commit' && ballot.block.number > this.#final.number) {
        if (!this.#isLiar) this.#network.noteFinal(ballot.block);
        this.#raise(ballot);
      }
      if (ballot.block.number < this.#final.number && ballot !== this.#lockBallot) this.#certificates.delete(key);
    }
  }

  #raise(ballot: Ballot): void {
    const before = this.#schedule();
    this.#final = ballot.block;
    this.#finalBallot = ballot;
    this.#choose(() => true);
    if (this.#schedule() !== before) this.#prepare(this.#head.slot);
  }
}

/** Two thirds of the voters and one. */
function quorumSize({ order }: Schedule): number {
  return Math.floor((2 * order.length) / 3) + 1;
}

function isHigherBallot(one: Ballot, other: Ballot): boolean {
  return (
    one.schedule.epoch > other.schedule.epoch || (one.schedule.epoch === other.schedule.epoch && one.view > other.view)
  );
}

function ballotKey({ kind, schedule, view, block }: Ballot): string {
  return `${kind} ${schedule.from} ${view} ${block.id}`;
}

function ancestor(block: Block, number: number): Block {
  let each = block;
  while (each.number > number) {
    assert.ok(each.parent !== undefined, `no block ${number}`);
    each = each.parent;
  }
  return each;
}

function boundaryAncestor(block: Block, schedule: Schedule): Block {
  let each = block;
  while (each.id !== schedule.from && each.parent !== undefined) each = each.parent;
  return each;
}

/** A block descends from itself. */
function descends(block: Block, from: Block): boolean {
  return block.number >= from.number && ancestor(block, from.number) === from;
}

function isOdd(node: number): boolean {
  return node % 2 === 1;
}
