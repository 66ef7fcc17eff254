import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import type { Result } from '../rpc/method_types.ts';
import type { WaitFor } from '../rpc/wait_for.ts';
import { pause, unlessAborted, type CallSignal } from './abort.ts';
import { behindAttempt, NodeSilent, NodeTimeout } from './answer.ts';
import { isAway } from './away.ts';
import { NodeRefusal } from './node_refusal.ts';
import { requireTimeout, type CallOptions } from './call_options.ts';
import { BROADCAST_MARGIN_MS, CALL_MS, CHANGE_MS } from './call_limits.ts';
import { member } from './chain_of_node.ts';
import type { NodeConnection } from './connection.ts';

const METHOD = 'network_broadcast_api.broadcast_transaction_synchronous';
const STATUS = 'transaction_status_api.find_transaction';
const PROPERTIES = 'alexandria_api.get_dynamic_global_properties';
/** A block comes every three seconds, or several a second on a development chain. */
const LOOK_AGAIN_MS = 500;
const LONGEST_LIFE_MS = 3_600_000;

type Sent = Result<typeof METHOD>;
type Params = { readonly [member: string]: Json };

/** The stage to wait for, and the deadline. */
interface Awaited {
  readonly expiration: string;
  readonly untilMs: number;
  readonly waitFor: WaitFor;
}

/** Sends one signed transaction, any number of times, until it is known what has become of it. */
export class Broadcast {
  readonly #connection: NodeConnection;
  readonly #clock: Clock;
  readonly #computeId: () => Promise<string>;
  readonly #signal: CallSignal | undefined;
  readonly #mostMs: number;

  /**
   * `computeId` computes the transaction's id where it is needed. `signal` and `timeoutMs` end the wait, not the
   * transaction.
   */
  constructor(
    connection: NodeConnection,
    clock: Clock,
    computeId: () => Promise<string>,
    { signal, timeoutMs = Infinity }: Pick<CallOptions, 'signal' | 'timeoutMs'> = {},
  ) {
    if (timeoutMs !== Infinity) requireTimeout(timeoutMs);
    this.#connection = connection;
    this.#clock = clock;
    this.#computeId = computeId;
    this.#signal = signal;
    this.#mostMs = timeoutMs;
  }

  /**
   * Returns the transaction's place; throws the node's error, or the reason why nodes don't answer. The first question
   * shows that one is there. From then on nodes that restart, and the others, are asked again until the deadline.
   */
  async send(trx: Json, expiration: string, waitFor: WaitFor = 'block'): Promise<Sent> {
    const finalityMs = waitFor === 'final' ? CHANGE_MS : 0;
    const begunMs = this.#clock.elapsedMs();
    const longestMs = (await this.#lifetimeMs(expiration)) + finalityMs + BROADCAST_MARGIN_MS;
    const untilMs = begunMs + Math.min(longestMs, this.#mostMs);
    // A node of an earlier version waits for the block, and knows no such param.
    const params = { trx, max_block_age: -1, ...(waitFor === 'block' ? {} : { wait_for: waitFor }) };
    for (let hasArrived = false; ; hasArrived = true) {
      try {
        return await this.#answered(METHOD, params, untilMs);
      } catch (error) {
        if (!(error instanceof Refusal)) throw behindAttempt(error, hasArrived);
        // An attempt whose answer was lost has arrived, or somebody else has sent it.
        if (error.code === 'duplicate_transaction' || error.code === 'not_final')
          return await this.#find({ expiration, untilMs, waitFor });
        if (error.code !== 'still_waiting' || this.#clock.elapsedMs() >= untilMs) throw error;
      }
    }
  }

  /**
   * By the chain's own time: what a clock of this machine says of it may be days off. No transaction lives longer than
   * an hour.
   */
  async #lifetimeMs(expiration: string): Promise<number> {
    const time = headTime(await this.#call(PROPERTIES, {}, Math.min(CALL_MS, this.#mostMs)));
    const leftMs = Date.parse(`${expiration}Z`) - Date.parse(`${time}Z`);
    return Number.isNaN(leftMs) ? LONGEST_LIFE_MS : Math.min(Math.max(0, leftMs), LONGEST_LIFE_MS);
  }

  /** Waits until it is where it should be, or has expired. What keeps nodes from answering leaves it where it is. */
  async #find({ expiration, untilMs, waitFor }: Awaited): Promise<Sent> {
    try {
      const id = await this.#computeId();
      if (waitFor === 'accepted') return { id, block_num: -1, trx_num: -1, expired: false };
      return waitFor === 'final'
        ? await this.#finalPlace(id, expiration, untilMs)
        : await this.#found(id, expiration, untilMs);
    } catch (error) {
      throw behindAttempt(error, true);
    }
  }

  async #found(id: string, expiration: string, untilMs: number): Promise<Sent> {
    for (;;) {
      // The head's time first: a block that comes in between has no later chance to hold it.
      const time = headTime(await this.#answered(PROPERTIES, {}, untilMs, CALL_MS));
      const place = await this.#findPlace(id, untilMs);
      if (place !== undefined) return { id, ...place, expired: false };
      if (time > expiration) return { id, block_num: -1, trx_num: -1, expired: true };
      if (this.#clock.elapsedMs() >= untilMs)
        throw new NodeTimeout(
          `transaction ${id} is in no block yet, and may still get into one until the chain is at ${expiration}`,
        );
      await this.#pause();
    }
  }

  async #finalPlace(id: string, expiration: string, untilMs: number): Promise<Sent> {
    for (;;) {
      const standing = await this.#answered(STATUS, { transaction_id: id, expiration }, untilMs, CALL_MS);
      const status = member(standing, 'status');
      const place = status === 'final' ? await this.#findPlace(id, untilMs) : undefined;
      if (place !== undefined) return { id, ...place, expired: false };
      if (status === 'expired') return { id, block_num: -1, trx_num: -1, expired: true };
      if (status === 'final' || status === 'too_old')
        throw new NodeRefusal(
          'pruned',
          `the node keeps no block that may have transaction ${id}; ask a node that keeps all blocks`,
        );
      if (this.#clock.elapsedMs() >= untilMs)
        throw new NodeTimeout(
          `transaction ${id} is ${String(status)} and not final yet: ask ${STATUS} before you send anything in its place`,
        );
      await this.#pause();
    }
  }

  async #findPlace(id: string, untilMs: number): Promise<Pick<Sent, 'block_num' | 'trx_num'> | undefined> {
    try {
      const answer = await this.#answered('alexandria_api.get_transaction', { tx_id: id }, untilMs, CALL_MS);
      const tx = member(answer, 'tx');
      return { block_num: Number(member(tx, 'block_num')), trx_num: Number(member(tx, 'transaction_num')) };
    } catch (error) {
      if (error instanceof Refusal && ['unknown_transaction', 'pruned'].includes(error.code)) return undefined;
      throw error;
    }
  }

  /** Asks again while no node answers: one that restarts is back within seconds, and others are asked in its place. */
  #answered(method: typeof METHOD, params: Params, untilMs: number): Promise<Sent>;
  #answered(method: string, params: Params, untilMs: number, mostMs: number): Promise<Json>;
  async #answered(method: string, params: Params, untilMs: number, mostMs = Infinity): Promise<unknown> {
    for (let hasArrived = false; ;) {
      try {
        const leftMs = Math.max(1, untilMs - this.#clock.elapsedMs());
        return await this.#call(method, params, Math.min(leftMs, mostMs));
      } catch (error) {
        const isOver = this.#clock.elapsedMs() + LOOK_AGAIN_MS >= untilMs;
        if (isOver || !isAway(error)) throw behindAttempt(error, hasArrived);
        hasArrived ||= error instanceof NodeSilent ? error.wasSent : true;
      }
      await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    await pause(this.#clock, LOOK_AGAIN_MS, this.#signal);
  }

  /** Every call of it may be repeated: the chain applies no transaction twice. */
  async #call(method: string, params: Params, timeoutMs: number): Promise<Json> {
    const signal = this.#signal;
    const answer = this.#connection.call(method, params, { timeoutMs, repeatable: true, signal });
    return await unlessAborted(answer, signal);
  }
}

function headTime(properties: Json): string {
  return String(member(member(properties, 'properties'), 'time'));
}
