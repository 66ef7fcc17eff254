import assert from 'node:assert/strict';

import { usualParticipation } from '../../src/witness/required_participation.ts';
import { MemoryJournal } from '../builders/memory_journal.ts';
import { RandomSource } from '../builders/random_source.ts';
import type { SimNode } from './sim_node.ts';
import type { SimNodeOptions } from './sim_node_options.ts';
import { SimWorld } from './sim_world.ts';

/** By which rule blocks become final. */
export type Finality = 'confirmations' | 'round';

/** A network that an outage will meet. */
export interface OutageOptions {
  readonly seed: number;
  readonly finality: Finality;
  readonly witnesses: number;
  /** The witnesses are spread over so many machines; one each unless said. */
  readonly machines?: number;
  /** True when machines remember their signatures, and guard their keys. */
  readonly haveJournals?: boolean;
}

const KNOWN = 4;
const PORT = 9290;
const ALONE = 5;
const UNTIL_CONFIRMATIONS = 201_600;
const MOST_OFFSET_MS = 1000;
/** Journals that are older than the chain are watched over for half a minute first; then each needs a slot. */
const [BEGIN_SECONDS, WATCH_SECONDS] = [20, 40];
const SLOT_SECONDS = 3;

/** A network whose witnesses ask for participation, as they do unless said, and make nothing on an old head. */
export class OutageWorld {
  readonly world: SimWorld;
  readonly machines: readonly SimNode[];
  readonly #options: OutageOptions;
  readonly #randomSource: RandomSource;

  constructor(options: OutageOptions) {
    const { seed, finality, witnesses, haveJournals = false } = options;
    this.#options = options;
    const confirmationsFromBlock = finality === 'confirmations' ? 1 : UNTIL_CONFIRMATIONS;
    this.world = new SimWorld({ seed, witnesses, mostLatencyMs: 300, confirmationsFromBlock });
    this.#randomSource = new RandomSource(this.world.deriveSeed('outage'));
    this.machines = this.#shares().map((names, index) => this.#add(`node${index}`, names));
    this.world.run(haveJournals ? WATCH_SECONDS + witnesses * SLOT_SECONDS : BEGIN_SECONDS);
    this.passUntilTogether(10);
  }

  get running(): SimNode[] {
    return this.world.nodes.filter(({ isRunning }) => isRunning);
  }

  /** The number of the highest block that somebody running has. */
  get highest(): number {
    return Math.max(...this.running.map(({ chain }) => chain.head.number));
  }

  /** All have the same head. */
  passUntilTogether(mostSeconds: number): void {
    const isOne = (): boolean => new Set(this.running.map(({ chain }) => chain.head.id)).size === 1;
    for (let more = 0; more < mostSeconds && !isOne(); more++) this.world.run(1);
    this.world.assertTogether(this.running);
  }

  /** All others stop. */
  leaveLive(witnesses: number): void {
    const live = new Set(this.parts(witnesses)[0]);
    for (const machine of this.machines) if (!live.has(machine)) machine.kill();
  }

  /** Parts with so many witnesses each; the last one has the rest. */
  parts(...sizes: readonly number[]): SimNode[][] {
    const witnessCount = ({ options }: SimNode): number => options.witnesses.length;
    let left = this.#randomSource.shuffle([...this.machines]).toSorted((a, b) => witnessCount(b) - witnessCount(a));
    const parts = sizes.map((size) => {
      let missing = size;
      const part = left.filter((machine) => {
        const fits = witnessCount(machine) <= missing;
        if (fits) missing -= witnessCount(machine);
        return fits;
      });
      assert.equal(missing, 0, `no machines have ${size} witnesses together`);
      left = left.filter((machine) => !part.includes(machine));
      return part;
    });
    return left.length === 0 ? parts : [...parts, left];
  }

  /** All stop at once, and start again with what they have kept. */
  restartAll({
    afterSeconds,
    journals,
    reversible,
  }: {
    afterSeconds: number;
    journals: boolean;
    reversible: boolean;
  }): void {
    for (const machine of this.machines) machine.kill();
    this.world.run(afterSeconds);
    for (const machine of this.machines) {
      if (!journals) machine.options.journal?.records.splice(0);
      if (!reversible) machine.chain.revert(machine.finalNumber);
      machine.restart();
    }
  }

  /**
   * Two sides, the first with so many witnesses; so many others, among those of the second side, sign on the first one,
   * too.
   */
  servingBoth(firstSide: number, keys: number): void {
    const [here = [], both = [], there = []] = this.parts(firstSide, keys);
    const twins = both.map((machine) => this.#twinOf(machine, here));
    this.world.part([...here, ...twins], [...both, ...there]);
  }

  roll(below: number): number {
    return this.#randomSource.roll(below);
  }

  /** Another machine with the keys of one, which minds no journal. */
  #twinOf({ options }: SimNode, beside: readonly SimNode[]): SimNode {
    for (const name of options.witnesses) this.world.checks.twoFaced.add(name);
    const seeds = beside.slice(0, KNOWN).map(({ target }) => target);
    return this.#add(`twin of ${options.name}`, options.witnesses, {
      seeds,
      host: `172.16.${this.world.nodes.length}.1`,
    });
  }

  /** Seconds until all that run have a block that was made from now on. */
  untilGoing(mostSeconds: number): number {
    const startMs = this.world.heap.nowMs;
    for (let seconds = 1; seconds <= mostSeconds; seconds++) {
      this.world.run(1);
      if (this.running.every(({ chain }) => chain.head.time * 1000 > startMs)) return seconds;
    }
    return Infinity;
  }

  /** Runs, and tells the longest time in which nobody had a new block, in seconds. */
  longestGap(seconds: number): number {
    let longest = 0;
    let [number, atMs] = [this.highest, this.world.heap.nowMs];
    for (let left = seconds; left > 0; left -= 3) {
      this.world.run(3);
      const nowMs = this.world.heap.nowMs;
      longest = Math.max(longest, (nowMs - atMs) / 1000);
      if (this.highest !== number) [number, atMs] = [this.highest, nowMs];
    }
    return longest;
  }

  /**
   * The names of each machine's witnesses: a few have one alone, so that machines can be chosen that have any number
   * together.
   */
  #shares(): string[][] {
    const { names } = this.world;
    const { machines = names.length } = this.#options;
    const alone = machines === names.length ? [] : names.slice(0, ALONE);
    const rest = names.slice(alone.length);
    const count = machines - alone.length;
    const shares = Array.from({ length: count }, (_, index) => rest.filter((_name, place) => place % count === index));
    return [...shares, ...alone.map((name) => [name])];
  }

  #add(name: string, witnesses: readonly string[], varied: Partial<SimNodeOptions> = {}): SimNode {
    const { finality, haveJournals = false } = this.#options;
    const { machines = this.world.names.length } = this.#options;
    const hostAddress = (index: number): string => `${this.world.isPublic ? 45 : 10}.${index + 1}.0.1`;
    const own = this.world.nodes.length;
    const others = Array.from({ length: machines }, (_, index) => index).filter((index) => index !== own);
    const seeds = this.#randomSource
      .shuffle(others)
      .slice(0, KNOWN)
      .map((index) => ({ host: hostAddress(index), port: PORT }));
    return this.world.add({
      ...{
        name,
        witnesses,
        seeds,
        host: hostAddress(own),
        allowStale: false,
        requiredParticipation: usualParticipation(finality === 'round'),
      },
      clockOffsetMs: this.#randomSource.roll(2 * MOST_OFFSET_MS) - MOST_OFFSET_MS,
      ...(haveJournals ? { journal: new MemoryJournal() } : {}),
      ...varied,
    });
  }
}
