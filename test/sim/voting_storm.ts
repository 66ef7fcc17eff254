import assert from 'node:assert/strict';

import { catchRefusal } from '../../src/base/refusal.ts';
import type { Json } from '../../src/codec/json.ts';
import type { ProductionSlot } from '../../src/witness/produce.ts';
import { usualLimits } from '../../src/p2p/peers/network_settings.ts';
import { makeTransaction, transferJson } from '../builders/chain.ts';
import { forgedBlock } from '../builders/forged_block.ts';
import { MemoryJournal } from '../builders/memory_journal.ts';
import { witnessUpdate } from '../builders/parted_witnesses.ts';
import { RandomSource } from '../builders/random_source.ts';
import { activeStandby, MemoryKept } from './failover_world.ts';
import { give } from './intrusion.ts';
import type { SimNode } from './sim_node.ts';
import type { SimNodeOptions } from './sim_node_options.ts';
import { SimWorld } from './sim_world.ts';
import { VotingLiars } from './voting_liars.ts';

export interface StormOptions {
  readonly seed: number;
  readonly voters: number;
  readonly liars: number;
  /** Witnesses who come into the schedule when others stop. */
  readonly spares?: number;
  readonly mostClockErrorMs?: number;
}

const SLOT_SECONDS = 3;
const CLOCK_ERROR_MS = 1000;
/** From the start until nodes have found each other. */
const BEGIN_SECONDS = 20;
const TOLD_OF_A_TWIN = 3;
const RETRY_MS = 5000;
/** A boundary that is further away is not waited for. */
const BOUNDARY_SLOTS = 6;

/** A network of voters, and what befalls it: each happens to some nodes, chosen by the seed. */
export class VotingStorm {
  readonly world: SimWorld;
  readonly liars: VotingLiars;
  readonly honest: SimNode[] = [];
  /** The events so far, for finding the cause of a failure. */
  readonly story: string[] = [];
  readonly #random: RandomSource;
  /** Honest machines that stay away until the end. */
  readonly #gone = new Set<SimNode>();
  /** Witnesses with another key by now. */
  readonly #rekeyed = new Set<SimNode>();
  readonly #stopped = new Set<SimNode>();
  #isParted = false;
  #twins = 0;

  constructor({ seed, voters, liars, spares = 0, mostClockErrorMs = CLOCK_ERROR_MS }: StormOptions) {
    this.world = new SimWorld({ seed, witnesses: voters, spares, hasFinality: true });
    this.#random = new RandomSource(this.world.deriveSeed('storm'));
    this.liars = new VotingLiars(this.world, new RandomSource(this.world.deriveSeed('liars')));
    // The first nodes are those that others know.
    const names = this.world.names;
    const lying = new Set(this.#random.shuffle(names.slice(1, voters)).slice(0, liars));
    for (const [index, name] of names.entries()) {
      const clockOffsetMs = this.#random.roll(2 * mostClockErrorMs + 1) - mostClockErrorMs;
      const common = { name: `node${index}`, witnesses: [name], clockOffsetMs };
      if (lying.has(name)) this.#addLiar(name, common);
      else this.honest.push(this.world.add({ ...common, ...this.#honestOptions(name, index === 0) }));
    }
    this.#addStandby();
    this.world.run(BEGIN_SECONDS);
  }

  /** Things happen, each followed by some slots. */
  rage(events: number): void {
    for (let event = 0; event < events; event++) {
      const [name, happen] = this.#random.pick(Object.entries(storms));
      this.story.push(name);
      happen(this);
      this.slots(1 + this.#random.roll(3));
    }
  }

  /** The network is whole, all run, and liars vote for whatever others vote for. */
  calm(slots: number): void {
    this.heal();
    this.#gone.clear();
    this.liars.habit = 'votes';
    this.restart(() => true);
    this.slots(slots);
  }

  slots(count: number): void {
    this.world.run(count * SLOT_SECONDS);
  }

  /** No two blocks are final, as the world checks at each change; nobody honest has stopped, or was taken for a liar. */
  assertSound(): void {
    for (const { options, failures } of this.honest) assert.deepEqual(failures, [], options.name);
    const observer = this.honest.find(({ isRunning }) => isRunning);
    for (const line of this.world.checks.lines) {
      const [, voter, epoch] = /voter (\d+) of epoch (\d+) has signed two votes/.exec(line) ?? [];
      const key = observer?.chain.voted.votersOf(Number(epoch))?.keys[Number(voter)];
      if (voter !== undefined && key !== undefined) assert.ok(this.liars.have(key), `${line}: it is honest`);
    }
  }

  roll(below: number): number {
    return this.#random.roll(below);
  }

  /** The highest block that an honest node calls final, and the lowest of the last ones of all. */
  get finals(): { readonly lowest: number; readonly highest: number } {
    const numbers = this.honest.map(({ chain }) => chain.head.lastIrreversible);
    return { lowest: Math.min(...numbers), highest: Math.max(...numbers) };
  }

  get highestHead(): number {
    return Math.max(...this.honest.map(({ chain }) => chain.head.number));
  }

  /** Parts the network into sides of these shares of all nodes; the last one has the rest. */
  part(...shares: readonly number[]): void {
    const left = this.#random.shuffle(this.world.nodes);
    const sides = shares.map((share) => left.splice(0, Math.round(share * this.world.nodes.length)));
    this.world.part(...sides, left);
    this.#isParted = true;
  }

  heal(): void {
    this.world.heal();
    this.#isParted = false;
  }

  /** Some honest nodes that run, at most so many. */
  some(most: number): SimNode[] {
    const running = this.honest.filter((node) => node.isRunning && !this.#gone.has(node));
    return this.#random.shuffle(running).slice(0, 1 + this.#random.roll(Math.max(1, most)));
  }

  /** All nodes that are dead start again, but for those that stay away. */
  restart(hasJournal: (node: SimNode) => boolean): void {
    for (const node of this.world.nodes) {
      if (node.isRunning || this.#gone.has(node)) continue;
      if (!hasJournal(node)) node.options.votes?.lose();
      node.restart();
    }
  }

  /** A machine dies and is not started again. */
  loseForLong(node: SimNode): void {
    node.kill();
    this.#gone.add(node);
  }

  get third(): number {
    return Math.trunc(this.honest.length / 3);
  }

  /** Its witness gets the other key that its machine has. */
  rekey(node: SimNode): void {
    const [witness = ''] = node.options.witnesses;
    if (this.#rekeyed.has(node) || this.#stopped.has(node)) return;
    this.#rekeyed.add(node);
    this.#post([witnessUpdate(witness, `${witness} next`)], witness);
  }

  /** A third of the schedule stops; those who had stopped come back. */
  changeSchedule(): void {
    const back = [...this.#stopped];
    const leaving = this.some(this.world.names.length - this.world.parameters.genesis.max_witnesses);
    this.#stopped.clear();
    for (const node of back) {
      const [witness = ''] = node.options.witnesses;
      this.#post([witnessUpdate(witness, this.#rekeyed.has(node) ? `${witness} next` : witness)], witness);
    }
    for (const node of leaving.filter((each) => !back.includes(each))) {
      const [witness = ''] = node.options.witnesses;
      this.#stopped.add(node);
      this.#post([['witness_stop', { fee: '0.050000 COIN', owner: witness }]], witness);
    }
  }

  /** Slots until the running round ends, by the highest head. */
  get slotsToBoundary(): number {
    const round = this.world.parameters.genesis.max_witnesses;
    return round - (this.highestHead % round);
  }

  #post(operations: readonly Json[], signer: string): void {
    const [node] = this.some(1);
    const { parameters } = this.world;
    catchRefusal(() => node?.post(makeTransaction(node.chain, parameters, operations, [signer])));
  }

  #honestOptions(name: string, hasStandby: boolean): Partial<SimNodeOptions> {
    const standby = hasStandby ? { standby: activeStandby(['standby']) } : {};
    return { ...this.#voting(name, `${name} next`), furtherKeyNames: [`${name} next`], ...standby };
  }

  /**
   * Returns options of a voter; a lost peer is dialled again soon, because no test here is about the patience of a
   * dialler.
   */
  #voting(...keyNames: readonly string[]): Pick<SimNodeOptions, 'votes' | 'settings'> {
    const { settings, votes } = this.world.voting(...keyNames);
    const limits = { ...usualLimits, longestRetryMs: RETRY_MS };
    return { settings: { ...settings, limits }, ...(votes === undefined ? {} : { votes }) };
  }

  #addLiar(name: string, options: { name: string; witnesses: string[]; clockOffsetMs: number }): void {
    const { settings = {} } = this.#voting();
    const node = this.world.add({ ...options, settings, lies: this.liars });
    this.liars.join(node);
    this.world.checks.twoFaced.add(name);
    this.world.producing.set(name, (producer, turn) => this.#produceTwins(producer, turn));
  }

  /** Half of its blocks have a twin, which others hear of first. */
  #produceTwins(node: SimNode, turn: ProductionSlot): void {
    if (this.#isParted || this.liars.habit === 'votes' || this.#random.chance(50)) return node.seal(turn);
    const { witness, timestamp } = turn;
    const { parameters } = this.world;
    const memo = `${witness} ${timestamp}`;
    const transfer = makeTransaction(node.chain, parameters, [transferJson('alice', 'bob', 1, memo)], ['alice']);
    for (const transactions of [[], [transfer]]) {
      const twin = forgedBlock(node.chain, { header: { witness, timestamp }, transactions });
      give(this.world, this.some(TOLD_OF_A_TWIN), `twin ${this.#twins++}`, twin);
    }
  }

  /** One machine stands by for the first witness. */
  #addStandby(): void {
    const [first] = this.honest;
    const witness = first?.options.witnesses[0] ?? assert.fail('nobody is honest');
    const standby = this.world.add({
      ...{ name: 'standby', keyName: 'standby', witnesses: [witness], journal: new MemoryJournal() },
      ...this.#voting('standby'),
      standby: { standbyFor: witness, pinned: [], standbys: [], kept: new MemoryKept() },
    });
    this.honest.push(standby);
  }
}

/** Disturbances of a network, by name. */
const storms: Readonly<Record<string, (storm: VotingStorm) => void>> = {
  'two halves': (storm) => storm.part(0.5),
  'a third and two thirds': (storm) => storm.part(1 / 3),
  'three thirds': (storm) => storm.part(1 / 3, 1 / 3),
  'a few are cut off': (storm) => storm.part(0.1 + storm.roll(20) / 100),
  'the network is whole': (storm) => storm.heal(),
  flapping(storm) {
    for (let flap = 3 + storm.roll(3); flap > 0; flap--) {
      storm.part(0.2 + storm.roll(60) / 100);
      storm.world.run(1 + storm.roll(5));
    }
    storm.heal();
  },
  'a boundary is divided'(storm) {
    storm.heal();
    if (storm.slotsToBoundary <= BOUNDARY_SLOTS) storm.slots(storm.slotsToBoundary - 1);
    storm.part(0.4 + storm.roll(20) / 100);
  },
  'some are killed': (storm) => storm.some(storm.third).forEach((node) => node.kill()),
  'all start again': (storm) => storm.restart(() => true),
  'all start again, some without their journals': (storm) => storm.restart(() => storm.roll(2) === 1),
  'all are killed'(storm) {
    for (const node of storm.world.nodes) if (node.isRunning) node.kill();
    storm.slots(1);
    storm.restart(() => true);
  },
  'one is lost for long': (storm) => storm.some(1).forEach((node) => storm.loseForLong(node)),
  'clocks change'(storm) {
    for (const node of storm.some(storm.third)) node.clockOffsetMs = storm.roll(2 * CLOCK_ERROR_MS) - CLOCK_ERROR_MS;
  },
  'keys change': (storm) => storm.some(storm.third).forEach((node) => storm.rekey(node)),
  'the schedule changes': (storm) => storm.changeSchedule(),
  'one alone is locked'(storm) {
    storm.heal();
    const { habit } = storm.liars;
    storm.liars.habit = 'is silent';
    for (const node of storm.some(1)) {
      storm.world.mute(node);
      storm.slots(1);
      node.kill();
    }
    storm.heal();
    storm.liars.habit = habit;
  },
};
