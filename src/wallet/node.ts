import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/refusal.ts';
import { Fault } from '../base/fault.ts';
import type { Json } from '../codec/json.ts';
import { neutralEncoding, type ChainSymbols } from '../codec/encoding_options.ts';
import type { WaitFor } from '../rpc/wait_for.ts';
import type { Digest } from '../values/hash.ts';
import { parseTime, timeText, type Seconds } from '../values/time.ts';
import { NodeSilent, NodeTimeout } from '../client/answer.ts';
import { readChainId, member, symbolsInConfig } from '../client/chain_of_node.ts';
import { openConnection } from '../client/connect.ts';
import type { NodeConnection } from '../client/connection.ts';
import type { Proofs } from './proofs.ts';

/** Ten times the duration of a node's slowest documented read. */
const READ_MS = 15_000;
/** A broadcast is answered when it is in a block or expires, and no transaction lives longer than an hour. */
const CHANGE_MS = 3_660_000;
/**
 * As long as a transaction lives by default: a node that has not answered a broadcast is then asked whether it is
 * there.
 */
const SILENCE_MS = 30_000;
/** A node answers ten minutes behind the block of a transaction, whether it is final or not. */
const FINALITY_SECONDS = 660;

/** The node that a wallet works with. Connects at the first call. */
export class Node {
  readonly #clock: Clock;
  #connection: NodeConnection | undefined;
  #symbols: ChainSymbols | undefined;
  readonly url: string;
  /** The proofs of a wallet with a checkpoint. */
  readonly proofs: Proofs | undefined;

  /** `url` '' means no node: every call fails with a Fault that says so. */
  constructor(url: string, clock: Clock, proofs?: Proofs) {
    this.url = url;
    this.#clock = clock;
    this.proofs = proofs;
  }

  /** The symbols of its chain, if already known. */
  get knownSymbols(): ChainSymbols | undefined {
    return this.#symbols;
  }

  /** The symbols of its chain. */
  async symbols(fallback: ChainSymbols): Promise<ChainSymbols> {
    this.#symbols ??= symbolsInConfig(await this.#configuration(), fallback);
    return this.#symbols;
  }

  /** The id of its chain, queried each time: there may now be another node at the address. */
  async chainId(): Promise<Digest> {
    return readChainId(await this.call('alexandria_api.get_version', {}));
  }

  /** The result of a read-only method, proven where there is a checkpoint and a proof. */
  async call(method: string, params: { [member: string]: Json }): Promise<Json> {
    const answer = await this.#connected().call(method, params, { timeoutMs: READ_MS, repeatable: true });
    return this.proofs === undefined
      ? answer
      : await this.proofs.proven(method, params, answer, async () => await this.symbols(neutralEncoding));
  }

  /** The single member of a result of `alexandria_api`; null when it is missing. */
  async ask(name: string, params: { [member: string]: Json }, only: string): Promise<Json> {
    return member(await this.call(`alexandria_api.${name}`, params), only) ?? null;
  }

  /**
   * Sends a transaction and waits for its block or what else is said, as long as the node is there and the chain's
   * time, which the node tells, is not past the expiration. The clock of this machine may be days off.
   */
  async broadcast(transaction: Json, expiration: Seconds, waitFor: WaitFor = 'block'): Promise<Json> {
    const answered = new AbortController();
    // A node of an earlier version waits for the block, and knows no such param.
    const params = { tx: transaction, ...(waitFor === 'block' ? {} : { wait_for: waitFor }) };
    const sent = this.#connected().call('alexandria_api.broadcast_transaction', params, {
      timeoutMs: CHANGE_MS,
      repeatable: false,
    });
    const last = waitFor === 'final' ? expiration + FINALITY_SECONDS : expiration;
    try {
      return member(await Promise.race([sent, this.#silence(last, answered.signal)]), 'tx') ?? null;
    } finally {
      answered.abort();
    }
  }

  /** Throws when the node no longer answers, or when it still owes its answer although the chain is past that time. */
  async #silence(last: Seconds, answered: AbortSignal): Promise<never> {
    for (let isPast = false; ;) {
      await this.#pause(SILENCE_MS, answered);
      if (isPast) throw new NodeTimeout(`no answer from the node, although the chain is past ${timeText(last)}`);
      isPast = (await this.#headTime()) > last;
    }
  }

  /** The time on the chain; 0 where the node refuses to say. */
  async #headTime(): Promise<Seconds> {
    try {
      const time = member(await this.ask('get_dynamic_global_properties', {}, 'properties'), 'time');
      return (typeof time === 'string' ? parseTime(time) : undefined) ?? 0;
    } catch (error) {
      if (error instanceof Refusal) return 0;
      if (error instanceof NodeSilent) throw new NodeSilent(error.message, true, error);
      throw error;
    }
  }

  /** Never ends once the answer is there. */
  async #pause(ms: number, answered: AbortSignal): Promise<void> {
    if (answered.aborted) return await new Promise(() => undefined);
    await new Promise<void>((resolve) =>
      answered.addEventListener('abort', this.#clock.after(ms, resolve), { once: true }),
    );
  }

  close(): void {
    this.#connection?.close();
    this.proofs?.close();
  }

  #connected(): NodeConnection {
    if (this.url === '') throw new Fault('configuration', 'this needs a node, and the wallet works offline');
    this.#connection ??= openConnection(this.url, this.#clock);
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
