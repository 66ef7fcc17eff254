import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import type { Result } from '../rpc/method_types.ts';
import { NodeTimeout } from './answer.ts';
import { BROADCAST_MARGIN_MS, CALL_MS } from './call_limits.ts';
import { member } from './chain_of_node.ts';
import type { NodeConnection } from './connection.ts';

const METHOD = 'network_broadcast_api.broadcast_transaction_synchronous';
/** A block comes every three seconds, or several a second on a development chain. */
const LOOK_AGAIN_MS = 500;
const LONGEST_LIFE_MS = 3_600_000;

type Sent = Result<typeof METHOD>;

/** Sends one signed transaction, any number of times, until it is known what has become of it. */
export class Broadcast {
  readonly #connection: NodeConnection;
  readonly #clock: Clock;
  readonly #idOf: () => Promise<string>;

  /** `idOf` computes the transaction's id where it is needed. */
  constructor(connection: NodeConnection, clock: Clock, idOf: () => Promise<string>) {
    this.#connection = connection;
    this.#clock = clock;
    this.#idOf = idOf;
  }

  /** Where it stands; throws the node's refusal, or what keeps nodes from answering. */
  async send(trx: Json, expiration: string): Promise<Sent> {
    const untilMs = this.#clock.elapsedMs() + (await this.#lifetimeMs(expiration)) + BROADCAST_MARGIN_MS;
    for (;;) {
      const leftMs = Math.max(1, untilMs - this.#clock.elapsedMs());
      try {
        return await this.#call(METHOD, { trx, max_block_age: -1 }, leftMs);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        // An attempt whose answer was lost has arrived, or somebody else has sent it.
        if (error.code === 'duplicate_transaction') return await this.#find(expiration, untilMs);
        if (error.code !== 'still_waiting' || this.#clock.elapsedMs() >= untilMs) throw error;
      }
    }
  }

  /** By the chain's own time: what a clock of this machine says of it may be days off. No transaction lives longer than an hour. */
  async #lifetimeMs(expiration: string): Promise<number> {
    const leftMs = Date.parse(`${expiration}Z`) - Date.parse(`${await this.#headTime()}Z`);
    return Number.isNaN(leftMs) ? LONGEST_LIFE_MS : Math.min(Math.max(0, leftMs), LONGEST_LIFE_MS);
  }

  async #headTime(): Promise<string> {
    const head = member(await this.#call('alexandria_api.get_dynamic_global_properties', {}, CALL_MS), 'properties');
    return String(member(head, 'time'));
  }

  /** Waits until a block has it or it has expired. */
  async #find(expiration: string, untilMs: number): Promise<Sent> {
    const id = await this.#idOf();
    for (;;) {
      // The head's time first: a block that comes in between has no later chance to hold it.
      const time = await this.#headTime();
      const place = await this.#placeOf(id);
      if (place !== undefined) return { id, ...place, expired: false };
      if (time > expiration) return { id, block_num: -1, trx_num: -1, expired: true };
      if (this.#clock.elapsedMs() >= untilMs)
        throw new NodeTimeout(`transaction ${id} is in no block yet, and may still get into one until the chain is at ${expiration}`);
      await new Promise<void>((resolve) => void this.#clock.after(LOOK_AGAIN_MS, resolve));
    }
  }

  async #placeOf(id: string): Promise<Pick<Sent, 'block_num' | 'trx_num'> | undefined> {
    try {
      const tx = member(await this.#call('alexandria_api.get_transaction', { tx_id: id }, CALL_MS), 'tx');
      return { block_num: Number(member(tx, 'block_num')), trx_num: Number(member(tx, 'transaction_num')) };
    } catch (error) {
      if (error instanceof Refusal && ['unknown_transaction', 'pruned'].includes(error.code)) return undefined;
      throw error;
    }
  }

  /** Every call of it may be repeated: the chain applies no transaction twice. */
  #call(method: typeof METHOD, params: { [member: string]: Json }, timeoutMs: number): Promise<Sent>;
  #call(method: string, params: { [member: string]: Json }, timeoutMs: number): Promise<Json>;
  async #call(method: string, params: { [member: string]: Json }, timeoutMs: number): Promise<unknown> {
    return await this.#connection.call(method, params, timeoutMs, true);
  }
}
