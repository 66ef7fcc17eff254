import assert from 'node:assert/strict';

import { present } from '../../src/base/assert.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import type { Certificate } from '../../src/blocks/finality/certificate.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { scheduledNames } from '../../src/chain/apply/slots.ts';
import { sha256 } from '../../src/crypto/hashes.ts';
import type { Target } from '../../src/wire/addresses.ts';
import type { DialEvents, Pipe, PipeListener } from '../../src/wire/link/pipe.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import type { ProductionSlot } from '../../src/witness/produce.ts';
import { makeCertificate } from '../builders/certificates.ts';
import {
  testKey,
  testKeyText,
  openChain,
  people,
  produce,
  testSecret,
  testParameters,
  makeTransaction,
} from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import type { MemoryJournal } from '../builders/memory_journal.ts';
import { MemoryVotingJournal } from '../builders/memory_voting_journal.ts';
import { makeNodeId } from '../builders/pipes.ts';
import { witnessUpdate } from '../builders/parted_witnesses.ts';
import { EventHeap } from './event_heap.ts';
import { SimChecks } from './sim_checks.ts';
import { SimNode } from './sim_node.ts';
import type { SimNodeOptions } from './sim_node_options.ts';
import type { SimProcess } from './sim_process.ts';
import { SimulatedPipe, type Uplink, type Way } from './simulated_link.ts';
import { SkewedPipe } from './version_skew.ts';

/** The links between the machines. */
export interface SimWorldOptions {
  readonly seed: number;
  readonly witnesses: number;
  /** Further blocks that the chain has had before. */
  readonly moreBlocks?: number;
  readonly bytesPerMs?: number;
  /** The witnesses' limit of a block. */
  readonly blockBytes?: number;
  readonly lossPercent?: number;
  readonly mostLatencyMs?: number;
  /** 5 ms unless said. */
  readonly leastLatencyMs?: number;
  /** Further witnesses, who are scheduled once others have stopped. */
  readonly spares?: number;
  /** True when votes make blocks final; false by default. */
  readonly hasFinality?: boolean;
  /**
   * From which block on enough confirmations make blocks final, as before that a round of blocks does; 1 unless said.
   */
  readonly confirmationsFromBlock?: number;
  /** The number of a round that has to vote for a hardfork; 1 by default. */
  readonly hardforkVotes?: number;
}

/** A stranger's door: somebody who is no node but takes connections. */
export type Door = (pipe: Pipe) => PipeListener;

interface Dialler {
  readonly id: string;
  readonly host: string;
  readonly process?: SimProcess;
}

interface Origin {
  readonly parameters: ChainParameters;
  readonly blocks: readonly VerifiedBlock[];
  readonly time: number;
  /** By which these blocks became final, where votes do that. */
  readonly certificates: readonly Certificate[];
}

const MOST_OF_SUPPLY = 190_000_000_000_000;

const origins = new Map<string, Origin>();

/** The witnesses of a world, in the order of their nodes. */
export function witnessNames(count: number): string[] {
  return ['initminer', ...Array.from({ length: count - 1 }, (_, index) => `witness${index + 1}`)];
}

/** A chain in which so many witnesses produce; every world begins with its blocks. */
function makeOrigin({
  witnesses: count,
  spares = 0,
  moreBlocks = 0,
  blockBytes,
  confirmationsFromBlock = 1,
  hasFinality = false,
  hardforkVotes = 1,
}: SimWorldOptions): Origin {
  const key = `${count} ${spares} ${moreBlocks} ${blockBytes} ${confirmationsFromBlock} ${hasFinality} ${hardforkVotes}`;
  const known = origins.get(key);
  if (known !== undefined) return known;
  const names = witnessNames(count + spares);
  const owners = [...people, ...names.slice(1)];
  // All together stay below the supply.
  const balance = Math.min(10_000_000_000_000, Math.trunc(MOST_OF_SUPPLY / owners.length));
  const accounts = owners.map((name) => ({ name, key: testKeyText(name), balance }));
  const parameters = testParameters({
    initial_accounts: accounts,
    max_witnesses: count,
    max_voted_witnesses: count,
    max_runner_witnesses: 0,
    initial_witness_req_vesting_balance: 0,
    final_witness_req_vesting_balance: 0,
    confirmations_from_block: confirmationsFromBlock,
    finality: hasFinality,
    hardfork_req_witnesses: hardforkVotes,
  });
  const chain: Chain = openChain(parameters);
  const blocks: VerifiedBlock[] = [produce(chain)];
  for (const name of names.slice(1))
    chain.accept(makeTransaction(chain, parameters, [witnessUpdate(name, name, blockBytes)], [name]));
  do blocks.push(produce(chain));
  while (scheduledNames(chain.committed.only(witnessSchedule)).length < count);
  for (let number = 0; number < 2 * count + moreBlocks; number++) blocks.push(produce(chain));
  const origin = {
    parameters,
    blocks,
    time: chain.head.time,
    certificates: hasFinality ? makeCertificates(chain, parameters, names) : [],
  };
  origins.set(key, origin);
  return origin;
}

/** Of the end of each round, and of the head. */
function makeCertificates(chain: Chain, parameters: ChainParameters, names: readonly string[]): Certificate[] {
  const { number: head } = chain.head;
  const round = parameters.genesis.max_witnesses;
  const secretOfKey = (key: string): Uint8Array =>
    testSecret(
      present(
        names.find((name) => testKey(name) === key),
        'a witness',
      ),
    );
  const ends = Array.from({ length: Math.trunc((head - 1) / round) }, (_, epoch) => (epoch + 1) * round);
  return [...ends, head].map((number) => makeCertificate(chain, parameters, number, 'commit', secretOfKey));
}

/**
 * A network in one thread from one seed: links with delay, loss and rate, real chains, real messages, real signatures.
 */
export class SimWorld {
  readonly seed: number;
  readonly parameters: ChainParameters;
  readonly heap: EventHeap;
  readonly checks = new SimChecks();
  readonly nodes: SimNode[] = [];
  /** Blocks that every node has from the beginning. */
  readonly blocks: readonly VerifiedBlock[];
  /** By which they became final, where votes do that. */
  readonly certificates: readonly Certificate[];
  /** Takes the place of an honest witness's production. */
  readonly producing = new Map<string, (node: SimNode, turn: ProductionSlot) => void>();
  readonly #options: SimWorldOptions;
  readonly #uplinks = new Map<string, Uplink>();
  readonly #latencies = new Map<string, number>();
  readonly #pipes = new Map<string, Set<SimulatedPipe>>();
  readonly #doors = new Map<string, { readonly id: string; readonly door: Door }>();
  #isCut: (from: string, to: string) => boolean = () => false;

  constructor(options: SimWorldOptions) {
    const { parameters, blocks, time, certificates } = makeOrigin(options);
    this.#options = options;
    this.seed = options.seed;
    this.parameters = parameters;
    this.blocks = blocks;
    this.certificates = certificates;
    this.heap = new EventHeap(time * 1000 + 500);
  }

  /** The witnesses, in the order of their nodes. */
  get names(): string[] {
    const { witnesses, spares = 0 } = this.#options;
    return witnessNames(witnesses + spares);
  }

  /** A number that depends on nothing but the seed and the purpose, so that one's draw moves no other's. */
  deriveSeed(purpose: string): number {
    return Buffer.from(sha256(Buffer.from(`${this.seed} ${purpose}`))).readUInt32LE(0);
  }

  /** True when addresses are those of the open internet, because books keep no others. */
  get isPublic(): boolean {
    return this.deriveSeed('addresses') % 2 === 1;
  }

  /** True when nodes begin with peers of their last run. */
  get keepsAnchors(): boolean {
    return this.deriveSeed('anchors') % 2 === 1;
  }

  /** The block whose id operators have given, of those that all nodes have had; 0 for none. */
  get checkpoint(): number {
    return this.deriveSeed('checkpoint') % 2 === 1 ? 1 + (this.deriveSeed('which checkpoint') % this.blocks.length) : 0;
  }

  /** A node per witness, each of which knows the first ones, and then others. */
  populate(
    offsetsMs: (index: number) => number = () => 0,
    furtherKeyNames: (witness: string) => readonly string[] = () => [],
  ): SimNode[] {
    for (const [index, name] of this.names.entries()) {
      const options = { name: `node${index}`, witnesses: [name], clockOffsetMs: offsetsMs(index) };
      this.add({ ...options, ...this.voting(name), furtherKeyNames: furtherKeyNames(name) });
    }
    return [...this.nodes];
  }

  /** A machine that relays votes, and votes with keys whose journal is older than every epoch. */
  voting(...keyNames: readonly string[]): Pick<SimNodeOptions, 'votes' | 'settings'> {
    const { chainId, hasFinality } = this.parameters;
    if (!hasFinality) return {};
    const votes = new MemoryVotingJournal();
    for (const name of keyNames) votes.begin(chainId, testKey(name), 0, false);
    return {
      votes,
      settings: { introduction: { agent: 'pharos/test', endpoints: [], takesTransactions: true, relaysVotes: true } },
    };
  }

  add(options: Partial<SimNodeOptions> & Pick<SimNodeOptions, 'name'>, blocks = this.blocks): SimNode {
    const index = this.nodes.length;
    const seeds = this.nodes.slice(0, 4).map(({ target }) => target);
    const host = `${this.isPublic ? 45 : 10}.${index + 1}.0.1`;
    const node = new SimNode(this, { host, seeds, witnesses: [], clockOffsetMs: 0, ...options }, undefined, blocks);
    this.nodes.push(node);
    return node;
  }

  /** The same machine with another disk: without `blocks` with the one that it has. */
  setUpAgain(
    node: SimNode,
    { blocks, journal }: { readonly blocks: readonly VerifiedBlock[] | undefined; readonly journal: MemoryJournal },
  ): SimNode {
    const store = blocks === undefined ? node.store : undefined;
    const again = new SimNode(this, { ...node.options, journal }, store, blocks ?? []);
    this.nodes.splice(this.nodes.indexOf(node), 1, again);
    return again;
  }

  run(seconds: number): void {
    this.heap.runEvents(this.heap.nowMs + seconds * 1000, () => {
      if (this.heap.events % 64 === 0) this.checks.bounds(this.nodes);
    });
    this.checks.bounds(this.nodes);
  }

  /** Nothing gets through between the sides any more. */
  part(...sides: (readonly SimNode[])[]): void {
    const sideOf = new Map(sides.flatMap((side, index) => side.map(({ options }) => [options.host, index])));
    this.#isCut = (from, to) => sideOf.get(from) !== sideOf.get(to);
  }

  /** Nothing that a machine sends gets through any more. */
  mute(node: SimNode): void {
    this.#isCut = (from) => from === node.options.host;
  }

  heal(): void {
    this.#isCut = () => false;
  }

  /** Somebody who is no honest node takes connections at an address. */
  open(name: string, host: string, door: Door): Target {
    this.checks.liars.add(makeNodeId(name));
    this.#doors.set(host, { id: makeNodeId(name), door });
    return { host, port: 9290 };
  }

  /** Somebody who is no honest node connects to one. */
  intrude(name: string, host: string, node: SimNode, door: Door): void {
    this.checks.liars.add(makeNodeId(name));
    this.#connect({ id: makeNodeId(name), host }, node.options.host, { connected: door, failed: () => undefined });
  }

  dial(from: SimNode, { host }: Target, events: DialEvents): void {
    this.#connect({ id: from.id, host: from.options.host, process: from.process }, host, events);
  }

  produce(node: SimNode, turn: ProductionSlot): void {
    const otherwise = this.producing.get(turn.witness);
    if (otherwise === undefined) node.seal(turn);
    else otherwise(node, turn);
  }

  /** All connections of a machine break. */
  disconnect(node: SimNode): void {
    for (const pipe of this.#pipes.get(node.options.host) ?? []) {
      pipe.vanish();
      pipe.other?.reset();
    }
    this.#pipes.delete(node.options.host);
  }

  /**
   * Goes on until all that run are, at most so many seconds: over slow links the last two blocks may be of one height,
   * until the next one.
   */
  runUntilTogether(seconds: number): void {
    const running = this.nodes.filter(({ isRunning }) => isRunning);
    for (let more = 0; more < seconds && !this.#areTogether(running); more++) this.run(1);
    this.assertTogether(running);
  }

  #areTogether(nodes: readonly SimNode[]): boolean {
    return nodes.every(({ chain }) => chain.head.id === nodes[0]?.chain.head.id);
  }

  /** All have the same head, or differ by what is on its way. */
  assertTogether(nodes: readonly SimNode[] = this.nodes): void {
    const numbers = nodes.map(({ chain }) => chain.head.number);
    const least = Math.min(...numbers);
    assert(Math.max(...numbers) - least <= 1, `heads are at ${numbers.join(', ')}`);
    const ids = new Set(nodes.map(({ chain }) => chain.block(least)?.id));
    assert.equal(ids.size, 1, `block ${least} is another one here and there`);
  }

  #connect(from: Dialler, host: string, events: DialEvents): void {
    const latencyMs = this.#latency(from.host, host);
    const fail = (reason: string, ms: number): void =>
      void this.heap.at(this.heap.nowMs + ms, () => events.failed(reason));
    if (this.#isCut(from.host, host)) return fail('no answer in time', 5000);
    this.heap.at(this.heap.nowMs + 3 * latencyMs, () => {
      const node = this.nodes.find(({ options }) => options.host === host);
      const door = this.#doors.get(host);
      const id = node?.id ?? door?.id;
      if (id === undefined || node?.isRunning === false) return events.failed('refused');
      if (node?.process.isFrozen === true || from.process?.isFrozen === true) return fail('no answer in time', 5000);
      const place = node?.network.admit(from.host, () => undefined);
      from.process?.thread.run(() => from.process?.thread.spend('handshake'));
      node?.process.thread.run(() => node.process.thread.spend(place === undefined ? 'dropped' : 'handshake'));
      if (node !== undefined && place === undefined) return events.failed('dropped');
      const near = this.#pipe(from.host, host, id, false);
      const far = this.#pipe(host, from.host, from.id, true);
      near.other = far;
      far.other = near;
      const heard = node === undefined ? door?.door(far) : node.network.accept(far, present(place, 'a place'));
      far.listener = heard && (node?.process.gated(heard) ?? heard);
      const dialled = events.connected(near);
      near.listener = from.process?.gated(dialled) ?? dialled;
      if (far.listener === undefined) near.reset();
    });
  }

  #pipe(from: string, to: string, peer: string, isInbound: boolean): SimulatedPipe {
    const { mostLatencyMs = 150, lossPercent = 0 } = this.#options;
    const way: Way = {
      latencyMs: () => (this.#isCut(from, to) ? undefined : this.#latency(from, to)),
      jitterMs: Math.trunc(mostLatencyMs / 10),
      lossPercent,
    };
    const uplink = this.#uplinks.get(from) ?? { bytesPerMs: this.#options.bytesPerMs ?? 12_500, freeAtMs: 0 };
    this.#uplinks.set(from, uplink);
    const randomSource = new RandomSource(this.deriveSeed(`link ${from} ${to} ${this.heap.events}`));
    const [writer, reader] = [from, to].map((host) => this.nodes.find(({ options }) => options.host === host));
    const { thread } = writer?.process ?? {};
    const parts = {
      peer,
      address: { host: to, port: 9290 },
      isInbound,
      heap: this.heap,
      randomSource,
      uplink,
      way,
      thread,
    };
    const [near, far] = [writer?.options.skew, reader?.options.skew];
    const pipe = near === undefined && far === undefined ? new SimulatedPipe(parts) : new SkewedPipe(parts, near, far);
    const pipes = this.#pipes.get(from) ?? new Set();
    this.#pipes.set(from, pipes);
    pipes.add(pipe);
    return pipe;
  }

  #latency(a: string, b: string): number {
    const { leastLatencyMs = 5, mostLatencyMs = 150 } = this.#options;
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    const known =
      this.#latencies.get(key) ?? leastLatencyMs + new RandomSource(this.deriveSeed(`way ${key}`)).roll(mostLatencyMs);
    this.#latencies.set(key, known);
    return known;
  }
}
