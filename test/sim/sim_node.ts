import assert from 'node:assert/strict';

import type { Clock } from '../../src/base/clock.ts';
import type { Log, LogFields } from '../../src/base/log.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { StandbyDuties } from '../../src/production/standby_duties.ts';
import { AddressBook } from '../../src/p2p/peers/address_book.ts';
import { endpointText, type Target } from '../../src/wire/addresses.ts';
import { Bans } from '../../src/p2p/peers/bans.ts';
import type { ChainView } from '../../src/p2p/environment/chain_access.ts';
import type { FollowedBlock } from '../../src/p2p/sync/followed_chain.ts';
import { latestTime } from '../../src/p2p/sync/latest_time.ts';
import { Network } from '../../src/p2p/network.ts';
import type { Environment } from '../../src/p2p/environment/environment.ts';
import type { Hardfork } from '../../src/state/hardforks.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import type { KeyGuard } from '../../src/witness/key_guard.ts';
import type { ProductionSlot } from '../../src/witness/produce.ts';
import { bundled, ChainLine } from '../builders/chain_line.ts';
import { RandomSource } from '../builders/random_source.ts';
import { networkSettings } from '../builders/network_settings.ts';
import { makeNodeId } from '../builders/pipes.ts';
import { meteredChain } from './metered_chain.ts';
import type { SimNodeOptions } from './sim_node_options.ts';
import { SimProcess } from './sim_process.ts';
import { SimSealing } from './sim_sealing.ts';
import { SimVoter } from './sim_voter.ts';
import { SimWitness } from './sim_witness.ts';
import type { SimWorld } from './sim_world.ts';
import { followLowestBranch } from '../../src/node/threads/writer/writer.ts';

const PORT = 9290;

/** A node: a real chain, the real network, and what lies between them. */
export class SimNode {
  readonly id: string;
  readonly options: SimNodeOptions;
  readonly store: MemoryStore;
  network: Network;
  readonly world: SimWorld;
  readonly process: SimProcess;
  clockOffsetMs: number;
  /** The milliseconds until a block of this machine is signed. */
  slowMs = 0;
  /**
   * The hardforks that its program knows; those of the world by default. Another program has been started where it is
   * set.
   */
  hardforks: readonly Hardfork[] | undefined;
  /** Errors over which it should have stopped. */
  readonly failures: string[] = [];
  readonly log: Log;
  #line: ChainLine;
  #witness: SimWitness | undefined;
  #voter: SimVoter | undefined;
  #run = 0;
  readonly #sealing = new SimSealing(this);
  readonly #book: AddressBook;
  /** Peers of the last run. */
  #anchors: readonly Target[] = [];
  readonly #bans = new Bans();
  /** As each minute's file has it. */
  #followed: FollowedBlock | undefined;

  constructor(
    world: SimWorld,
    options: SimNodeOptions,
    store = new MemoryStore(),
    blocks: readonly VerifiedBlock[] = [],
  ) {
    this.world = world;
    this.process = new SimProcess(world.heap, () => this.kill());
    this.#book = new AddressBook(!world.isPublic);
    this.options = options;
    this.clockOffsetMs = options.clockOffsetMs;
    this.store = store;
    this.id = makeNodeId(options.name);
    const note = (text: string, _event: string, fields: LogFields): void => world.checks.logged(this, text, fields);
    this.log = { debug: note, notice: note, warning: note, error: note };
    this.#line = this.#open();
    if (blocks.length > 0) this.chain.replay(blocks, { signatures: true });
    if (blocks.length > 0)
      for (const certificate of world.certificates) this.chain.finalise(certificate.subject.block, certificate);
    this.network = this.#start();
  }

  get view(): ChainView {
    return this.#line;
  }

  get chain(): Chain {
    return this.#line.chain;
  }

  get guard(): KeyGuard | undefined {
    return this.#witness?.guard;
  }

  get duties(): StandbyDuties | undefined {
    return this.#witness?.duties;
  }

  /** The last block that it can't take back, whatever the chain says. */
  get finalNumber(): number {
    const { number, lastIrreversible } = this.chain.head;
    let final = number;
    while (final > lastIrreversible && this.chain.canFollow(this.#line.blockId(final - 1) ?? '')) final--;
    return final;
  }

  get target(): Target {
    return { host: this.options.host, port: PORT };
  }

  get isRunning(): boolean {
    return this.process.isRunning;
  }

  /** Stops as `kill -9` does; connections vanish or are reset. */
  kill(): void {
    if (this.world.keepsAnchors) this.#anchors = this.network.anchors();
    this.process.kill();
    this.#run++;
    this.#witness?.stop();
    this.#voter?.stop();
    this.world.disconnect(this);
  }

  /** Starts again with what is on the disk. */
  restart(): void {
    assert(!this.isRunning);
    this.process.start();
    this.#line = this.#open();
    this.network = this.#start();
  }

  /** Another program is started with what is on the disk. */
  upgrade(hardforks: readonly Hardfork[]): void {
    if (this.isRunning) this.kill();
    this.hardforks = hardforks;
    this.restart();
  }

  /** A transaction is posted at this node. */
  post(transaction: VerifiedTransaction): void {
    this.chain.accept(transaction);
    this.network.known([transaction]);
    this.network.accepted([bundled(transaction)]);
  }

  /** Its operator has the chain go on. */
  restartChain(): void {
    this.#witness?.restartChain();
  }

  /** Makes the block of a turn, if its slot isn't over by then. */
  seal(turn: ProductionSlot): void {
    if (this.slowMs === 0) this.#sealing.seal(turn);
    else this.#sealing.sealLater(turn, this.slowMs);
  }

  /** The chain is done with what it was given: votes are cast. */
  settle(): void {
    this.#voter?.settle();
  }

  /** A slot may begin: the branch is chosen anew before a block is made. */
  slotMayBegin(): void {
    this.#voter?.look();
  }

  /** Runs something in this life of its process. */
  later(ms: number, run: () => void): void {
    const happen = this.process.gate();
    this.world.heap.at(this.world.heap.nowMs + ms, () => happen(run));
  }

  get #parameters(): ChainParameters {
    const { parameters } = this.world;
    return this.hardforks === undefined ? parameters : { ...parameters, hardforks: this.hardforks };
  }

  #open(): ChainLine {
    const { blockMs, signatureMs, appliedMs, proves } = this.options;
    return new ChainLine({
      ...{
        store: this.store,
        parameters: this.#parameters,
        isFree: false,
        blockMs,
        signatureMs,
        appliedMs,
        proves,
      },
      elapsedMs: () => this.world.heap.nowMs,
      later: (ms, run) => this.later(ms, run),
      news: (news) => this.process.thread.run(() => this.network.chainChanged(news)),
      known: (transactions) => this.process.thread.run(() => this.network.known(transactions)),
      moved: () => this.#moved(),
      judging: (block) => this.#voter?.judging(block),
      settled: () => this.settle(),
      heardVotes: (votes, certificates) => this.#voter?.hear(votes, certificates),
      seen: (block) => this.guard?.take(block),
      alive: (alive) => this.#witness?.takeAlive(alive),
    });
  }

  #moved(): void {
    this.world.checks.headMoved(this);
    this.#voter?.moved();
    if (!this.#sealing.isSealing) this.guard?.headMoved(this.chain.head.time);
  }

  #start(): Network {
    const { world, options } = this;
    const clock = world.heap.clock(() => this.clockOffsetMs, this.process.gate());
    const randomSource = new RandomSource(world.deriveSeed(`${options.name} ${this.#run}`));
    const network = this.#makeNetwork(randomSource);
    this.#voter = world.parameters.hasFinality ? new SimVoter(this, clock, network) : undefined;
    this.#witness = new SimWitness(this, clock, network);
    this.later(1000, () => this.#lookAtPeers(clock));
    this.later(randomSource.roll(200), () => this.process.thread.run(() => network.start()));
    this.#voter?.start();
    this.#witness.start();
    return network;
  }

  #makeNetwork(randomSource: RandomSource): Network {
    const { options, world } = this;
    const { seeds, settings: varied } = options;
    const settings = networkSettings({ ownId: this.id, seeds, ...varied });
    const introduction = { ...settings.introduction, endpoints: [endpointText(this.target)] };
    const { thread } = this.process;
    const steps = (): number => {
      thread.spend('step');
      return thread.nowMs;
    };
    const clock = this.world.heap.clock(() => this.clockOffsetMs, this.process.threadGate(), steps);
    const chain = meteredChain(this.#line, thread);
    const environment: Environment = {
      ...{ clock, latestMs: latestTime(clock), randomSource, log: this.log, view: chain, intake: chain },
      workedMs: () => thread.workedMs,
      dial: (target, events) => this.world.dial(this, target, events),
      failed: (sentence) => this.failures.push(sentence),
      standbySwitch: (from, packed) => this.duties?.take(from, packed),
    };
    return new Network(environment, {
      settings: { ...settings, introduction },
      ...{
        book: this.#book,
        bans: this.#bans,
        anchors: this.#anchors,
        checkpoint: world.checkpoint,
        syncRate: 64 * 1024 * 1024,
      },
      followed: this.#followed,
    });
  }

  /** As the network's thread and the writer do, each second of a clock. */
  #lookAtPeers(clock: Clock): void {
    this.#voter?.takePeers(this.network);
    this.#witness?.takePeers(this.network);
    this.#followed = this.network.followed;
    followLowestBranch(this.chain, clock, this.world.parameters.blockIntervalSeconds);
    this.later(1000, () => this.#lookAtPeers(clock));
  }
}
