import { hardforkStanding } from '../../src/queries/hardfork_standing.ts';
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { present } from '../../src/base/assert.ts';
import { systemClock } from '../../src/base/clock.ts';
import { Metrics } from '../../src/base/metrics.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import { isJsonObject, type Json } from '../../src/codec/json.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { addChainMetrics } from '../../src/node/http/chain_metrics.ts';
import { FolderSource } from '../../src/block_log/folder_source.ts';
import type { ChainFollower } from '../../src/feed/chain_feed.ts';
import { CommittedChain } from '../../src/node/network/committed_chain.ts';
import { healthPages } from '../../src/node/http/pages.ts';
import { ownStatus } from '../../src/p2p/peers/own_hello.ts';
import { openRpc } from '../../src/rpc/openrpc.ts';
import { sampleOperation } from '../../src/rpc/sample_transaction.ts';
import { SinkChain } from '../../src/sinks/sink_chain.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import type { MemoryStore } from '../../src/storage/memory.ts';
import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import { View } from '../../src/storage/view.ts';
import { getBlockNumber } from '../../src/values/hash.ts';
import { ConnectedSubscriber } from '../notices/connected_subscriber.ts';
import { NodeOfMethods } from '../rpc/methods/node_of_methods.ts';
import { testKey } from './chain.ts';
import { HandClock } from './hand_clock.ts';

/** The number of the last irreversible block at each place where a node tells it. */
export type Told = ReadonlyMap<string, number>;

const LEAST_TURNS = 2;
const MOST_TURNS = 1000;

const MEMBER = 'last_irreversible_block_num';
/** Results whose member is not of this node. */
const OF_OTHERS = new Map([['network_node_api.get_connected_peers', 'the claim of each peer']]);

/** Hears of irreversible blocks. */
class Follower extends ConnectedSubscriber {
  last: number | undefined;

  push(text: string | Uint8Array): boolean {
    const { params }: { params: [number, { type: string; block?: { number: number } }[]] } = JSON.parse(
      Buffer.from(text).toString(),
    );
    for (const { type, block } of params[1]) {
      // What is told as irreversible is taken back by an operator alone.
      if (type === 'undone') this.last = present(block, 'the block before').number;
      if (type === 'block') {
        const { number } = present(block, 'a block');
        if (this.last !== undefined) assert.equal(number, this.last + 1, 'irreversible blocks are told in order, once');
        this.last = number;
      }
    }
    return true;
  }
}

/** Differences of a node from the ordinary. */
export interface ToldNodeOptions {
  readonly store?: MemoryStore;
  readonly undoBlocks?: number;
}

/** A node, and every place where it tells which block is irreversible. */
export class ToldNode {
  readonly node: NodeOfMethods;
  readonly #view: View;
  readonly #network: CommittedChain;
  readonly #metrics = new Metrics();
  readonly #follower = new Follower();
  readonly #methods: readonly string[];
  #fed: number | undefined;

  constructor(parameters: ChainParameters, { store, undoBlocks }: ToldNodeOptions = {}) {
    const follower: ChainFollower = {
      takeUpdate: ({ head }) => (this.#fed = head.irreversible),
      takeGap: ({ head }) => (this.#fed = head.irreversible),
    };
    this.node = new NodeOfMethods({
      ...{ parameters, isEmpty: true, follower },
      ...(store === undefined ? {} : { store }),
      ...(undoBlocks === undefined ? {} : { undoBlocks }),
    });
    this.#view = new View(this.node.store, 100);
    this.#network = new CommittedChain({ parameters, rows: this.#view, store: this.node.store, ownsTime: true });
    addChainMetrics(
      this.#metrics,
      {
        ...{ rows: this.#view, clock: systemClock, clockOffset: undefined, blockIntervalSeconds: 3 },
        hardforks: () => hardforkStanding(this.#view, parameters),
      },
      () => Promise.resolve(undefined),
    );
    this.#methods = methodsThatTell(this.node);
  }

  /** Begins a subscription to irreversible blocks. */
  async follow(): Promise<void> {
    const params = { return_id: 1, level: 'irreversible' };
    const body = { jsonrpc: '2.0', id: 1, method: 'subscribe_api.subscribe_blocks', params };
    const { error } = await this.node.send(body, this.#follower);
    assert.equal(error, undefined);
  }

  /** The cheap places, all of one state of the store. */
  readNow(): Told {
    const { store, parameters } = this.node;
    const { blockIntervalSeconds, coinSymbol } = parameters;
    const status = ownStatus({ view: this.#network });
    assert.equal(getBlockNumber(status.irreversible_id), status.irreversible_number);
    return new Map([
      ['status of peers', status.irreversible_number],
      ['sinks', new SinkChain(this.#view, blockIntervalSeconds, coinSymbol).end.irreversible],
      ['export', new FolderSource('the store', store).final],
      ['health', this.#health()],
    ]);
  }

  /** The places that tell the block that enough witnesses have built on; undefined where one tells none. */
  async readConfirmed(): Promise<ReadonlyMap<string, number | undefined>> {
    const { info } = Object(await this.node.result('alexandria_api.info'));
    const [, metric] = /^pharos_confirmed_block_number (\d+)$/m.exec(await this.#metrics.text()) ?? [];
    return new Map([
      ['health', this.#healthPage().confirmed_block_number],
      ['info', Object(info)['confirmed_block_num']],
      ['metrics', Number(metric)],
      ['the state', this.node.chain.committed.only(dynamicGlobalProperties).last_irreversible_block_num],
    ]);
  }

  /** All places; with `isWhole` also those that cost a lot. */
  async read(isWhole = false): Promise<Told> {
    await this.#untilFollowed();
    const told = new Map(this.readNow());
    told.set('the writer', this.node.chain.head.lastIrreversible);
    told.set('metrics', await this.#metric());
    for (const method of this.#methods)
      for (const number of readNumbers(await this.node.result(method))) told.set(`${method} (${told.size})`, number);
    if (this.#fed !== undefined) told.set('feed', this.#fed);
    if (this.#follower.last !== undefined) told.set('subscriptions', this.#follower.last);
    if (isWhole) await this.#addDear(told);
    return told;
  }

  /** Notices come in slices of their own time; whoever never comes to the number is found by it. */
  async #untilFollowed(): Promise<void> {
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const { last } = this.#follower;
      if (turn >= LEAST_TURNS && (last === undefined || last === this.node.chain.head.lastIrreversible)) return;
      await sleep(1);
    }
  }

  async #addDear(told: Map<string, number>): Promise<void> {
    const number = present(told.get('the writer'), 'the number of the writer');
    const snapshot = await this.node.result('snapshot_api.create_snapshot');
    told.set('snapshot', Number(Object(snapshot)['block_number']));
    const { parameters } = this.node;
    if (parameters.genesis.impersonator !== testKey('impersonator')) return;
    await this.node.result('debug_api.send_unsigned', { op_vec: [sampleOperation], wait: false });
    const sent = this.node.chain.pendingTransactions.at(-1);
    // A reference has 16 bits; these chains are shorter.
    told.set('send_unsigned', present(sent, 'a pending transaction').transaction.ref_block_num);
    assert(number < 65_536);
  }

  #health(): number {
    return this.#healthPage().irreversible_block_number;
  }

  #healthPage(): { readonly irreversible_block_number: number; readonly confirmed_block_number?: number } {
    const { parameters } = this.node;
    const page = healthPages({
      server: { name: 'node:http', reason: 'as the test says' },
      ...{ rows: this.#view, clock: new HandClock(0), clockOffset: undefined, network: undefined, readyLag: undefined },
      ...{ blockIntervalSeconds: parameters.blockIntervalSeconds, production: { problems: [] }, sink: undefined },
      hasFinality: parameters.hasFinality,
    })('/health');
    return JSON.parse(present(page, 'a page').body);
  }

  async #metric(): Promise<number> {
    const [, value] = /^pharos_irreversible_block_number (\d+)$/m.exec(await this.#metrics.text()) ?? [];
    return Number(present(value, 'the metric'));
  }
}

/** Fails when two places disagree, or when the number fell; returns it. */
export function requireOneNumber(told: Told, least: number): number {
  const numbers = new Set(told.values());
  const shown = JSON.stringify(Object.fromEntries(told));
  assert.equal(numbers.size, 1, `all places tell one number: ${shown}`);
  const [number = -1] = numbers;
  assert(number >= least, `the number does not fall from ${least}: ${shown}`);
  return number;
}

/** By the words of the chain, which alone make a difference to them. */
const telling = new Map<string, readonly string[]>();

/** The methods without params whose result has the member, at any depth. */
function methodsThatTell(node: NodeOfMethods): readonly string[] {
  const words = writeJson({ ...node.parameters.profile });
  const found = telling.get(words) ?? foundInDocument(node);
  telling.set(words, found);
  return found;
}

function foundInDocument({ methods, parameters }: NodeOfMethods): string[] {
  const words: EncodingOptions = { ...parameters.profile, dialect: 'default', operationForm: 'pair' };
  const document = openRpc(methods, words, 'test', '1');
  assert.ok(isJsonObject(document) && Array.isArray(document['methods']));
  const schemas: Schemas = JSON.parse(writeJson(document['components'] ?? {}));
  const found = document['methods'].filter(isJsonObject).flatMap((method) => {
    const name = String(method['name']);
    const text = writeJson(method['result'] ?? null);
    return tells(text, schemas) && !OF_OTHERS.has(name) ? [name] : [];
  });
  assert(found.length >= 3, `some methods tell the number: ${found.join(', ')}`);
  return found;
}

interface Schemas {
  readonly schemas?: Readonly<Record<string, unknown>>;
}

/** True when a result has the member itself, or in a schema that it refers to. */
function tells(result: string, { schemas }: Schemas): boolean {
  if (result.includes(`"${MEMBER}"`)) return true;
  return [...result.matchAll(/#\/components\/schemas\/([^"]+)/g)].some(([, name = '']) =>
    JSON.stringify(schemas?.[name] ?? null).includes(`"${MEMBER}"`),
  );
}

/** All values of the member in a result. */
function readNumbers(result: unknown): number[] {
  if (typeof result !== 'object' || result === null) return [];
  return Object.entries(result).flatMap(([name, value]: [string, Json]) =>
    name === MEMBER ? [Number(value)] : readNumbers(value),
  );
}
