import type { Clock } from '../base/clock.ts';
import { errorRecovery, findRecovery } from '../base/recovery.ts';
import { Refusal } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import { isDropped, leavesOutcomeOpen } from '../rpc/broadcast_refusals.ts';
import type { Result } from '../rpc/method_types.ts';
import type { WaitFor } from '../rpc/wait_for.ts';
import { pause, unlessAborted, type CallSignal } from './abort.ts';
import { behindAttempt, NodeNonsense, NodeSilent, NodeTimeout } from './answer.ts';
import { isAway } from './away.ts';
import { NodeRefusal } from './node_refusal.ts';
import { requireTimeout, type CallOptions } from './call_options.ts';
import { BROADCAST_MARGIN_MS, CALL_MS, CHANGE_MS } from './call_limits.ts';
import { member } from './chain_of_node.ts';
import type { NodeConnection } from './connection.ts';

const METHOD = 'network_broadcast_api.broadcast_transaction_synchronous';
const STATUS = 'transaction_status_api.find_transaction';
const PROPERTIES = 'alexandria_api.get_dynamic_global_properties';
/** The refusal of what was in a block that the node does not keep. */
const PRUNED = 'pruned';
/** A block comes every three seconds, or several a second on a development chain. */
const LOOK_AGAIN_MS = 500;
const LONGEST_LIFE_MS = 3_600_000;

type Sent = Result<typeof METHOD>;
type Params = { readonly [member: string]: Json };

type Place = Pick<Sent, 'block_num' | 'trx_num'>;

/** The status of a transaction as a node tells it, and its block where it is in one. */
interface Standing {
  readonly status: string;
  readonly block: number | undefined;
}

/** The stage to wait for, and the deadline. */
interface Awaited {
  readonly expiration: string;
  readonly untilMs: number;
  readonly waitFor: WaitFor;
}

/** Refusals of a transaction that the chain knows already. */
const KNOWN: ReadonlySet<string> = new Set(['duplicate_transaction', 'not_final']);

/** Sends one signed transaction, any number of times, until it is known what has become of it. */
export class Broadcast {
  readonly #connection: NodeConnection;
  readonly #clock: Clock;
  readonly #computeId: () => Promise<string>;
  readonly #signal: CallSignal | undefined;
  readonly #mostMs: number;
  /** An attempt may be on the chain: what is said of a later one says nothing of that. */
  #hasArrived = false;

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
   * Returns the transaction's place, whose number in the block is −1 where the node no longer keeps that; throws the
   * node's error, or the reason why nodes don't answer. A refusal says that no attempt is on the chain, but for two:
   * `pruned` can't tell, and one that a node has dropped may stay with others. The first question shows that a node is
   * there. From then on nodes that restart, and the others, are asked again until the deadline.
   */
  async send(trx: Json, expiration: string, waitFor: WaitFor = 'block'): Promise<Sent> {
    const finalityMs = waitFor === 'final' ? CHANGE_MS : 0;
    const begunMs = this.#clock.elapsedMs();
    const longestMs = (await this.#lifetimeMs(expiration)) + finalityMs + BROADCAST_MARGIN_MS;
    const awaited = { expiration, untilMs: begunMs + Math.min(longestMs, this.#mostMs), waitFor };
    // A node of an earlier version waits for the block, and knows no such param.
    const params = { trx, max_block_age: -1, ...(waitFor === 'block' ? {} : { wait_for: waitFor }) };
    for (;;) {
      const sent = await this.#attempt(params, awaited);
      if (sent !== undefined) return sent;
    }
  }

  /** Undefined when it should be sent again. */
  async #attempt(params: Params, awaited: Awaited): Promise<Sent | undefined> {
    let sent: Sent;
    try {
      sent = await this.#answered(METHOD, params, awaited.untilMs);
    } catch (error) {
      return await this.#afterFailure(error, awaited);
    }
    // A node that lags takes an attempt for late which another one had in time.
    return sent.expired && this.#hasArrived ? await this.#findAnywhere(awaited) : sent;
  }

  /** Its place, where that is known after all; undefined when it should be sent again. */
  async #afterFailure(error: unknown, awaited: Awaited): Promise<Sent | undefined> {
    if (!(error instanceof Refusal)) throw undecided(error, this.#hasArrived);
    if (KNOWN.has(error.code)) return await this.#find(awaited);
    // The caller is told why a node has dropped the transaction, and may send the same one again.
    this.#hasArrived ||= leavesOutcomeOpen(error) && !isDropped(error);
    if (!this.#hasArrived) throw error;
    const recovery = findRecovery(error.code);
    if (recovery === 'final') return await this.#findUnless(error, awaited);
    if (recovery === 'next_node') return await this.#findAnywhere(awaited);
    if (this.#isOver(awaited.untilMs)) throw undecided(error, true);
    await this.#pause();
    return undefined;
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

  /** The place of an attempt that may be on the chain; where it has expired, what a later one was refused for is true. */
  async #findUnless(refusal: Refusal, awaited: Awaited): Promise<Sent> {
    const sent = await this.#findAnywhere(awaited);
    if (sent.expired) throw refusal;
    return sent;
  }

  /** The same as `#find` where nobody has said that the chain knows it: to be accepted would be no answer. */
  async #findAnywhere(awaited: Awaited): Promise<Sent> {
    return await this.#find({ ...awaited, waitFor: awaited.waitFor === 'final' ? 'final' : 'block' });
  }

  /** Waits until it is where it should be, or has expired. What keeps nodes from answering leaves it where it is. */
  async #find({ expiration, untilMs, waitFor }: Awaited): Promise<Sent> {
    this.#hasArrived = true;
    try {
      const id = await this.#computeId();
      if (waitFor === 'accepted') return { id, block_num: -1, trx_num: -1, expired: false };
      return waitFor === 'final'
        ? await this.#finalPlace(id, expiration, untilMs)
        : await this.#found(id, expiration, untilMs);
    } catch (error) {
      throw undecided(error, true);
    }
  }

  async #found(id: string, expiration: string, untilMs: number): Promise<Sent> {
    for (;;) {
      // The head's time first: a block that comes in between has no later chance to hold it.
      const time = headTime(await this.#answered(PROPERTIES, {}, untilMs, CALL_MS));
      const place = await this.#findPlace(id, expiration, untilMs);
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
      const { status } = await this.#standing(id, expiration, untilMs);
      const place = status === 'final' ? await this.#findPlace(id, expiration, untilMs) : undefined;
      if (place !== undefined) return { id, ...place, expired: false };
      if (status === 'expired') return { id, block_num: -1, trx_num: -1, expired: true };
      if (this.#clock.elapsedMs() >= untilMs)
        throw new NodeTimeout(
          `transaction ${id} is ${status} and not final yet: ask ${STATUS} before you send anything in its place`,
        );
      await this.#pause();
    }
  }

  async #findPlace(id: string, expiration: string, untilMs: number): Promise<Place | undefined> {
    try {
      const answer = await this.#answered('alexandria_api.get_transaction', { tx_id: id }, untilMs, CALL_MS);
      const tx = member(answer, 'tx');
      return { block_num: Number(member(tx, 'block_num')), trx_num: Number(member(tx, 'transaction_num')) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code === 'unknown_transaction') return undefined;
      if (error.code !== PRUNED) throw error;
    }
    // A node may know where it was without the block.
    const { block } = await this.#standing(id, expiration, untilMs);
    return block === undefined ? undefined : { block_num: block, trx_num: -1 };
  }

  /** Refused where the node keeps no block that may have it. */
  async #standing(id: string, expiration: string, untilMs: number): Promise<Standing> {
    const told = await this.#answered(STATUS, { transaction_id: id, expiration }, untilMs, CALL_MS);
    const [status, block] = [String(member(told, 'status')), member(told, 'block_num')];
    if (status === 'too_old')
      throw new NodeRefusal(
        PRUNED,
        `the node keeps no block that may have transaction ${id}; ask a node that keeps all blocks`,
      );
    return { status, block: typeof block === 'number' ? block : undefined };
  }

  /** Asks again while no node answers: one that restarts is back within seconds, and others are asked in its place. */
  #answered(method: typeof METHOD, params: Params, untilMs: number): Promise<Sent>;
  #answered(method: string, params: Params, untilMs: number, mostMs: number): Promise<Json>;
  async #answered(method: string, params: Params, untilMs: number, mostMs = Infinity): Promise<unknown> {
    for (;;) {
      try {
        const leftMs = Math.max(1, untilMs - this.#clock.elapsedMs());
        return await this.#call(method, params, Math.min(leftMs, mostMs));
      } catch (error) {
        // A refusal of a question says nothing of the transaction, and time cures some.
        const isAsked = method !== METHOD && errorRecovery(error) === 'wait';
        const isGarbled = error instanceof NodeNonsense;
        if (this.#isOver(untilMs) || !(isAsked || isGarbled || isAway(error))) throw error;
        this.#hasArrived ||= error instanceof NodeSilent ? error.wasSent : true;
      }
      await this.#pause();
    }
  }

  #isOver(untilMs: number): boolean {
    return this.#clock.elapsedMs() + LOOK_AGAIN_MS >= untilMs;
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

/**
 * The reason why it is not known what has become of a transaction that may be on the chain: no refusal, which would say
 * that it is not.
 */
function undecided(error: unknown, hasArrived: boolean): unknown {
  const isSaid = (error instanceof Refusal && error.code !== PRUNED) || error instanceof NodeNonsense;
  return hasArrived && isSaid ? new NodeSilent(error.message, true, error) : behindAttempt(error, hasArrived);
}

function headTime(properties: Json): string {
  return String(member(member(properties, 'properties'), 'time'));
}
