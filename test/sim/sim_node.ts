import assert from 'node:assert/strict';

import { present } from '../../src/base/assert.ts';
import type { Log, LogFields } from '../../src/base/log.ts';
import { signatureOf } from '../../src/blocks/sign_transaction.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { AddressBook } from '../../src/p2p/address_book.ts';
import { Bans } from '../../src/p2p/bans.ts';
import type { ChainView } from '../../src/p2p/chain_access.ts';
import { Network } from '../../src/p2p/network.ts';
import type { NetworkSettings } from '../../src/p2p/network_settings.ts';
import type { Target } from '../../src/p2p/addresses.ts';
import type { Outside } from '../../src/p2p/outside.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { ProductionLoop } from '../../src/witness/production_loop.ts';
import type { ProductionSlot } from '../../src/witness/produce.ts';
import { keyOf, secretOf } from '../builders/chain.ts';
import { Dice } from '../builders/dice.ts';
import { networkSettings } from '../builders/network_settings.ts';
import { nodeIdOf } from '../builders/pipes.ts';
import { bundled, ChainLine } from '../builders/chain_line.ts';
import type { SimWorld } from './sim_world.ts';
import type { Skew } from './version_skew.ts';

export interface SimNodeOptions {
  readonly name: string;
  readonly host: string;
  readonly seeds: readonly Target[];
  /** Who this node signs for. */
  readonly witnesses: readonly string[];
  readonly clockOffsetMs: number;
  readonly settings?: Partial<NetworkSettings>;
  readonly requiredParticipation?: number;
  /** What a block costs this machine. */
  readonly blockMs?: number;
  /** How its version differs from ours. */
  readonly skew?: Skew;
}

const PORT = 9290;

/** A node: a real chain, the real network, and what lies between them. */
export class SimNode {
  readonly id: string;
  readonly options: SimNodeOptions;
  readonly store: MemoryStore;
  network: Network;
  readonly world: SimWorld;
  isRunning = true;
  #line: ChainLine;
  #loop: ProductionLoop | undefined;
  #run = 0;
  readonly #book = new AddressBook(true);
  readonly #bans = new Bans();

  constructor(world: SimWorld, options: SimNodeOptions, store = new MemoryStore(), blocks: readonly VerifiedBlock[] = []) {
    this.world = world;
    this.options = options;
    this.store = store;
    this.id = nodeIdOf(options.name);
    this.#line = this.#open();
    if (blocks.length > 0) this.chain.replay(blocks, { signatures: true });
    this.network = this.#start();
  }

  get view(): ChainView {
    return this.#line;
  }

  get chain(): Chain {
    return this.#line.chain;
  }

  get target(): Target {
    return { host: this.options.host, port: PORT };
  }

  /** Stops as `kill -9` does; connections vanish or are reset. */
  kill(): void {
    this.isRunning = false;
    this.#run++;
    this.#loop?.stop();
    this.world.disconnect(this);
  }

  /** Starts again with what is on the disk. */
  restart(): void {
    assert(!this.isRunning);
    this.isRunning = true;
    this.#line = this.#open();
    this.network = this.#start();
  }

  /** A transaction is posted at this node. */
  post(transaction: VerifiedTransaction): void {
    this.chain.accept(transaction);
    this.network.accepted([bundled(transaction)]);
  }

  #open(): ChainLine {
    return new ChainLine({
      store: this.store,
      parameters: this.world.parameters,
      isFree: false,
      later: (ms, run) => this.#later(ms, run),
      news: (news) => this.network.news(news),
      moved: () => this.world.checks.headMoved(this),
      blockMs: this.options.blockMs,
    });
  }

  #later(ms: number, run: () => void): void {
    const started = this.#run;
    this.world.heap.at(this.world.heap.nowMs + ms, () => (this.isRunning && this.#run === started ? run() : undefined));
  }

  #start(): Network {
    const { world, options } = this;
    const run = this.#run;
    const clock = world.heap.clock(options.clockOffsetMs, () => !this.isRunning || this.#run !== run);
    const dice = new Dice(world.seedFor(`${options.name} ${run}`));
    const outside: Outside = {
      clock,
      dice,
      log: this.#log(),
      view: this.#line,
      intake: this.#line,
      dial: (target, events) => world.dial(this, target, events),
    };
    const settings = networkSettings({ ownId: this.id, seeds: options.seeds, ...options.settings });
    const network = new Network(outside, {
      settings,
      book: this.#book,
      bans: this.#bans,
      anchors: [],
      checkpoint: 0,
      syncRate: 64 * 1024 * 1024,
    });
    this.#loop = options.witnesses.length === 0 ? undefined : this.#production(clock);
    this.#later(dice.roll(200), () => network.start());
    this.#loop?.start();
    return network;
  }

  #production(clock: Outside['clock']): ProductionLoop {
    const { witnesses, requiredParticipation = 0 } = this.options;
    return new ProductionLoop({
      clock,
      chain: this.chain,
      producer: {
        witnesses: new Set(witnesses),
        secrets: new Map(witnesses.map((name) => [keyOf(name), secretOf(name)])),
        requiredParticipation,
      },
      allowStale: true,
      everyMs: undefined,
      produce: (turn) => this.world.produce(this, turn),
      passed: () => undefined,
      looked: () => undefined,
      woke: () => undefined,
    });
  }

  /** Makes the block of a turn. */
  seal({ witness, timestamp, secret }: ProductionSlot): void {
    this.world.checks.signs(this, witness, timestamp);
    this.chain.seal({ witness, timestamp, sign: (digest) => present(signatureOf(digest, secret), 'a signature') });
  }

  #log(): Log {
    const note = (text: string, fields?: LogFields): void => this.world.checks.logged(this, text, fields);
    return { debug: note, notice: note, warning: note, error: note };
  }
}
