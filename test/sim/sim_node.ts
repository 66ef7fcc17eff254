import assert from 'node:assert/strict';

import { present } from '../../src/base/assert.ts';
import type { Log, LogFields } from '../../src/base/log.ts';
import { refusalOf } from '../../src/base/refusal.ts';
import type { BlockHeader } from '../../src/blocks/header.ts';
import { blockSigner } from '../../src/blocks/verify.ts';
import { medianClockAheadMs } from '../../src/p2p/peer_clocks.ts';
import { witnesses as witnessTable } from '../../src/state/tables/witness.ts';
import { followLowestBranch } from '../../src/node/threads/lowest_branch.ts';
import type { AliveRound } from '../../src/witness/alive_round.ts';
import { KeyGuard } from '../../src/witness/key_guard.ts';
import { signRecorded } from '../../src/witness/signing_journal.ts';
import type { MemoryJournal } from '../builders/memory_journal.ts';
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
import { LocalSigner } from '../../src/witness/local_signer.ts';
import { RestartableProducer } from '../../src/witness/restartable_producer.ts';
import type { ProductionSlot } from '../../src/witness/produce.ts';
import type { KeptStandby } from '../../src/witness/standby.ts';
import { StandbyDuties, type StandbySettings } from '../../src/node/threads/standby_duties.ts';
import { keyOf, secretOf } from '../builders/chain.ts';
import { Dice } from '../builders/dice.ts';
import { networkSettings } from '../builders/network_settings.ts';
import { nodeIdOf } from '../builders/pipes.ts';
import { bundled, ChainLine } from '../builders/chain_line.ts';
import { aliveRoundOf } from './sim_alives.ts';
import type { SimWorld } from './sim_world.ts';
import { SimProcess } from './sim_process.ts';
import type { Skew } from './version_skew.ts';

export interface SimNodeOptions {
  readonly name: string;
  readonly host: string;
  readonly seeds: readonly Target[];
  /** Who this node signs for. */
  readonly witnesses: readonly string[];
  readonly clockOffsetMs: number;
  /** Whose key it signs with; that of each witness's own name by default. */
  readonly keyName?: string;
  /** Who takes over from whom. */
  readonly standby?: SimStandby;
  readonly settings?: Partial<NetworkSettings>;
  readonly requiredParticipation?: number;
  /** Whether it makes blocks however old its head is; true unless said. */
  readonly allowStale?: boolean;
  /** What a block costs this machine. */
  readonly blockMs?: number;
  readonly signatureMs?: number;
  readonly appliedMs?: number;
  /** What the machine has signed: with one, its key is guarded as in a node. */
  readonly journal?: MemoryJournal;
  /** How its version differs from ours. */
  readonly skew?: Skew;
}

/** What a node is told of standbys, and the disk on which one keeps its switch. */
export interface SimStandby extends Omit<StandbySettings, 'file'> {
  readonly kept: { read(): KeptStandby | undefined; write(state: KeptStandby): void };
}

const PORT = 9290;

/** A node: a real chain, the real network, and what lies between them. */
export class SimNode {
  readonly id: string;
  readonly options: SimNodeOptions;
  readonly store: MemoryStore;
  network: Network;
  readonly world: SimWorld;
  readonly process = new SimProcess();
  clockOffsetMs: number;
  /** How long it takes until a block of this machine is signed. */
  slowMs = 0;
  duties: StandbyDuties | undefined;
  /** Why it should have stopped. */
  readonly failures: string[] = [];
  #line: ChainLine;
  #loop: ProductionLoop | undefined;
  #producing: RestartableProducer | undefined;
  guard: KeyGuard | undefined;
  #alives: AliveRound | undefined;
  #isSealing = false;
  #run = 0;
  readonly #book = new AddressBook(true);
  readonly #bans = new Bans();

  constructor(world: SimWorld, options: SimNodeOptions, store = new MemoryStore(), blocks: readonly VerifiedBlock[] = []) {
    this.world = world;
    this.options = options;
    this.clockOffsetMs = options.clockOffsetMs;
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

  /** The last block that it can't take back, whatever the chain says. */
  get finalNumber(): number {
    const { number, lastIrreversible } = this.chain.head;
    let final = number;
    while (final > lastIrreversible && this.chain.canFollow(this.#line.idAt(final - 1) ?? '')) final--;
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
    this.process.kill();
    this.#run++;
    this.#loop?.stop();
    this.world.disconnect(this);
  }

  /** Starts again with what is on the disk. */
  restart(): void {
    assert(!this.isRunning);
    this.process.start();
    this.#line = this.#open();
    this.network = this.#start();
  }

  /** A transaction is posted at this node. */
  post(transaction: VerifiedTransaction): void {
    this.chain.accept(transaction);
    this.network.known([transaction]);
    this.network.accepted([bundled(transaction)]);
  }

  #open(): ChainLine {
    return new ChainLine({
      store: this.store,
      parameters: this.world.parameters,
      isFree: false,
      later: (ms, run) => this.#later(ms, run),
      news: (news) => this.network.news(news),
      known: (transactions) => this.network.known(transactions),
      moved: () => this.#moved(),
      seen: (block) => this.guard?.take(block),
      alive: (alive) => this.#alives?.take(alive),
      blockMs: this.options.blockMs,
      signatureMs: this.options.signatureMs,
      appliedMs: this.options.appliedMs,
    });
  }

  #moved(): void {
    this.world.checks.headMoved(this);
    if (!this.#isSealing) this.guard?.headMoved(this.chain.head.time);
  }

  /** As the network's thread tells the writer, each second of a clock. */
  #tellPeers(clock: Outside['clock']): void {
    const { live } = this.network.connections;
    const isBehind = this.network.state === 'behind';
    this.guard?.takePeers({ peers: live.length, clockAheadMs: medianClockAheadMs(live), isBehind });
    this.duties?.takePeers({ inStep: this.network.inStep, isBehind });
    followLowestBranch(this.chain, clock, this.world.parameters.blockIntervalSeconds);
    this.#later(1000, () => this.#tellPeers(clock));
  }

  #guardOf(clock: Outside['clock'], journal: MemoryJournal): KeyGuard {
    const { chainId: chain, blockIntervalSeconds: intervalSeconds, genesis, profile } = this.world.parameters;
    const newest = this.options.witnesses.flatMap((name) => {
      const number = Number(this.chain.committed.get(witnessTable, name)?.last_confirmed_block_num ?? 0n);
      const block = this.chain.block(number);
      return block === undefined ? [] : [{ ...block, signer: blockSigner(block) }];
    });
    return new KeyGuard(
      {
        ...{ chain, intervalSeconds, roundSlots: genesis.max_witnesses, keyPrefix: profile.keyPrefix, clock, journal },
        keys: this.#keys,
        ...{ hasPeers: true, hasSeeds: this.options.seeds.length > 0, allowStale: true, warn: () => undefined },
      },
      newest,
    );
  }

  #later(ms: number, run: () => void): void {
    const happen = this.process.gate();
    this.world.heap.at(this.world.heap.nowMs + ms, () => happen(run));
  }

  #start(): Network {
    const { world, options } = this;
    const clock = world.heap.clock(() => this.clockOffsetMs, this.process.gate());
    const dice = new Dice(world.seedFor(`${options.name} ${this.#run}`));
    const outside: Outside = {
      clock,
      dice,
      log: this.#log(),
      view: this.#line,
      intake: this.#line,
      dial: (target, events) => world.dial(this, target, events),
      failed: (sentence) => this.failures.push(sentence),
      standbySwitch: (from, packed) => this.duties?.take(from, packed),
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
    this.duties = options.standby && this.#dutiesOf(options.standby, clock, network);
    this.guard = options.journal && this.#guardOf(clock, options.journal);
    this.#loop = options.witnesses.length === 0 ? undefined : this.#production(clock);
    this.#later(1000, () => this.#tellPeers(clock));
    this.#later(dice.roll(200), () => network.start());
    this.#loop?.start();
    return network;
  }

  #production(clock: Outside['clock']): ProductionLoop {
    const { witnesses, requiredParticipation = 0, allowStale = true } = this.options;
    const producer = this.#producer(witnesses, requiredParticipation);
    this.#alives = aliveRoundOf(this, clock, producer);
    return new ProductionLoop({
      clock,
      chain: this.chain,
      producer,
      allowStale,
      areEnoughAlive: () => this.#alives?.areEnough === true,
      everyMs: undefined,
      heldBack: (slot) => this.guard?.heldBack(slot, this.chain.head.time),
      produce: (turn) => this.world.produce(this, turn),
      passed: () => undefined,
      looked: () => undefined,
      woke: () => {
        this.guard?.look();
        this.#alives?.look();
        this.duties?.look();
      },
    });
  }

  get #keys(): ReadonlySet<string> {
    const { witnesses, keyName } = this.options;
    return new Set(witnesses.map((name) => keyOf(keyName ?? name)));
  }

  #dutiesOf(standby: SimStandby, clock: Outside['clock'], network: Network): StandbyDuties {
    const { witnesses, keyName } = this.options;
    const witness = witnesses[0] ?? assert.fail('nobody to stand by for');
    const signer = new LocalSigner(
      [secretOf(keyName ?? witness)],
      undefined,
      standby.standbys.map(({ key }) => key),
    );
    return new StandbyDuties(standby, {
      ...{ chain: this.chain, clock, parameters: this.world.parameters, log: this.#log(), signer, witness, kept: standby.kept },
      hand: (node, packed) => network.standbySwitches.hand(node, packed),
      send: (transaction) => refusalOf(() => this.post(transaction))?.message,
    });
  }

  #producer(witnesses: readonly string[], requiredParticipation: number): RestartableProducer {
    this.#producing = new RestartableProducer({
      ...{ witnesses: new Set(witnesses), keys: this.#keys, usualParticipation: () => requiredParticipation },
      headNumber: () => this.chain.head.number,
    });
    return this.#producing;
  }

  /** Its operator has the chain go on. */
  restartChain(): void {
    this.#producing?.restart();
    this.#loop?.goOn();
  }

  /** Makes the block of a turn, if its slot isn't over by then. */
  seal(turn: ProductionSlot): void {
    if (this.slowMs === 0) return this.#sealNow(turn);
    this.#later(this.slowMs, () => {
      const { blockIntervalSeconds } = this.world.parameters;
      const nowMs = this.world.heap.nowMs + this.clockOffsetMs;
      if (nowMs < (turn.timestamp + blockIntervalSeconds) * 1000) this.#sealNow(turn);
    });
  }

  #sealNow({ witness, timestamp }: ProductionSlot): void {
    this.#isSealing = true;
    refusalOf(() => void this.chain.seal({ witness, timestamp, sign: (digest, header) => this.#sign(digest, header) }));
    this.#isSealing = false;
  }

  #sign(digest: Uint8Array, header: BlockHeader): string {
    const { witness, timestamp } = header;
    const keyName = this.options.keyName ?? witness;
    const sign = (): string => {
      this.world.checks.signs(this, witness, keyName, timestamp);
      return present(signatureOf(digest, secretOf(keyName)), 'a signature');
    };
    const { journal } = this.options;
    if (journal === undefined) return sign();
    const { chainId: chain, blockIntervalSeconds: intervalSeconds } = this.world.parameters;
    return signRecorded(journal, { chain, key: keyOf(keyName), timestamp, intervalSeconds }, header, digest, sign);
  }

  #log(): Log {
    const note = (text: string, fields?: LogFields): void => this.world.checks.logged(this, text, fields);
    return { debug: note, notice: note, warning: note, error: note };
  }
}
