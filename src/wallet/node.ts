import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/refusal.ts';
import { Fault } from '../base/fault.ts';
import type { Json } from '../codec/json.ts';
import type { ChainWords } from '../codec/notation.ts';
import type { Digest } from '../values/hash.ts';
import { chainIdOf, member, wordsOfConfig } from '../client/chain_of_node.ts';
import { connectTo } from '../client/connect.ts';
import type { NodeConnection } from '../client/connection.ts';

/** Ten times the duration of a node's slowest documented read. */
const READ_MS = 15_000;
/** A broadcast is answered when it is in a block or expires; a stalled chain never answers. */
const BROADCAST_MARGIN_MS = 60_000;

/** The node that a wallet works with. Connects at the first call. */
export class Node {
  readonly #clock: Clock;
  #connection: NodeConnection | undefined;
  #words: ChainWords | undefined;
  readonly url: string;

  /** `url` '' means no node: every call fails with a Fault that says so. */
  constructor(url: string, clock: Clock) {
    this.url = url;
    this.#clock = clock;
  }

  /** The words of its chain, if already known. */
  get knownWords(): ChainWords | undefined {
    return this.#words;
  }

  /** The words of its chain. */
  async words(fallback: ChainWords): Promise<ChainWords> {
    this.#words ??= wordsOfConfig(await this.#configuration(), fallback);
    return this.#words;
  }

  /** The id of its chain, queried each time: there may now be another node at the address. */
  async chainId(): Promise<Digest> {
    return chainIdOf(await this.call('alexandria_api.get_version', {}));
  }

  /** The result of a read-only method. */
  async call(method: string, params: { [member: string]: Json }): Promise<Json> {
    return await this.#connected().call(method, params, READ_MS, true);
  }

  /** The single member of a result of `alexandria_api`; null when it is missing. */
  async ask(name: string, params: { [member: string]: Json }, only: string): Promise<Json> {
    return member(await this.call(`alexandria_api.${name}`, params), only) ?? null;
  }

  /** Sends a transaction and waits for its block; `lifetimeMs` is how long it can still get into one. */
  async broadcast(transaction: Json, lifetimeMs: number): Promise<Json> {
    const answer = await this.#connected().call(
      'alexandria_api.broadcast_transaction',
      { tx: transaction },
      lifetimeMs + BROADCAST_MARGIN_MS,
      false,
    );
    return member(answer, 'tx') ?? null;
  }

  close(): void {
    this.#connection?.close();
  }

  #connected(): NodeConnection {
    if (this.url === '') throw new Fault('configuration', 'this needs a node, and the wallet works offline');
    this.#connection ??= connectTo(this.url, this.#clock);
    return this.#connection;
  }

  /** The node's configuration; empty for a node without database_api. */
  async #configuration(): Promise<Json> {
    try {
      return await this.call('database_api.get_config', {});
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  }
}
