import type { Clock } from '../base/clock.ts';
import type { Fault } from '../base/fault.ts';
import type { Json } from '../codec/json.ts';
import { pause } from './abort.ts';
import { ConnectionClosed, NodeNonsense } from './answer.ts';
import { NodeRefusal } from './node_refusal.ts';
import { member } from './chain_of_node.ts';
import type { Closable } from './disposal.ts';
import type { NodeConnection } from './connection.ts';
import { isWaiting, type FollowTarget } from './follow_targets.ts';
import { errorRecovery } from '../base/recovery.ts';
import { UnreadableItem } from './unreadable.ts';
import { SUBSCRIBE_MS, unsubscribe } from './unsubscribe.ts';

/** Something that is followed. */
export interface Following extends Closable {
  /**
   * The last position that the listener has heard of: kept somewhere, it is what the next run of the program resumes
   * with.
   */
  readonly position: string;
  /** Nothing more is heard; the node is told. */
  stop(): void;
}

/** Between attempts to subscribe: a node takes about a second to restart. */
const RETRY_MS = 500;
/** When nothing has come for so long, the node is asked whether it is there: a connection may end without a word. */
const SILENCE_MS = 30_000;
/**
 * Ids of one follower differ by this much: each attempt has its own, so that what is still on its way for an earlier
 * one is known.
 */
export const FOLLOWER_IDS = 4096;

/** Gives ids out in turn: items of a follower that has ended may still be on their way when the next one begins. */
export class FollowerIds {
  #last = 0;

  /** An id that is not in use; undefined when all are. */
  next(used: { has(id: number): boolean }): number | undefined {
    for (let tries = 1; tries < FOLLOWER_IDS; tries++) {
      this.#last = (this.#last % (FOLLOWER_IDS - 1)) + 1;
      if (!used.has(this.#last)) return this.#last;
    }
    return undefined;
  }
}

/**
 * One subscription at a time, kept up over lost connections and from node to node: each item is heard once, in order.
 */
export class ChainFollower {
  readonly #connection: NodeConnection;
  readonly #clock: Clock;
  readonly #target: FollowTarget;
  readonly #firstId: number;
  #returnId: number;
  #position: string;
  #isAsking = false;
  #stopped = false;
  #cancelLook: (() => void) | undefined;
  #hasHeard = false;
  /** The name of the error that the listener was told last. */
  #waitsFor = '';
  #garbledAt: string | undefined;

  /** `firstId` is below FOLLOWER_IDS. */
  constructor(connection: NodeConnection, clock: Clock, target: FollowTarget, firstId: number) {
    this.#connection = connection;
    this.#clock = clock;
    this.#target = target;
    this.#firstId = firstId;
    this.#returnId = firstId;
    this.#position = target.resume ?? '';
  }

  get position(): string {
    return this.#position;
  }

  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cancelLook?.();
    void unsubscribe(this.#connection, this.#returnId);
  }

  /**
   * Subscribes from the last position on; retries while no node can be reached, or the one that is reached has not come
   * so far.
   */
  async subscribe(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      while (!this.#stopped && !(await this.#asks())) await pause(this.#clock, RETRY_MS);
    } finally {
      this.#isAsking = false;
    }
    this.#lookLater();
  }

  /** Takes a notice of any of this follower's subscriptions. */
  receive(items: Json, returnId: number): void {
    this.#hasHeard = true;
    if (!Array.isArray(items)) return;
    for (const item of items) {
      // A listener may stop in the middle; what comes for an earlier attempt comes again for this one.
      if (this.#stopped || returnId !== this.#returnId) return;
      this.#take(item);
    }
  }

  /** True when there is no need to ask again. */
  async #asks(): Promise<boolean> {
    const before = this.#returnId;
    this.#returnId += FOLLOWER_IDS;
    const { method, params } = this.#target;
    const from = this.#position === '' ? {} : { resume: this.#position };
    try {
      const answer = await this.#connection.call(
        method,
        { ...params, ...from, return_id: this.#returnId },
        { timeoutMs: SUBSCRIBE_MS, repeatable: false },
      );
      this.#waitsFor = '';
      const begun = member(answer, 'position');
      if (this.#position === '' && typeof begun === 'string') this.#position = begun;
      // Where the connection is the same one, the earlier subscription is still there.
      if (before !== this.#firstId) void unsubscribe(this.#connection, before);
      return true;
    } catch (error) {
      if (error instanceof ConnectionClosed || errorRecovery(error) === 'final') return (this.#fail(error), true);
      this.#noteRetry(error);
      return false;
    }
  }

  /** The listener learns why nothing comes, once for each reason. */
  #noteRetry(error: unknown): void {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (reason === this.#waitsFor || this.#stopped) return;
    this.#waitsFor = reason;
    this.#target.stalled?.(error);
  }

  /** Takes an item of any of this follower's subscriptions that can't be read. */
  receiveUnreadable(error: Fault, returnId: number): void {
    this.#hasHeard = true;
    if (this.#stopped || returnId !== this.#returnId) return;
    const position = error instanceof UnreadableItem ? error.position : undefined;
    if (this.#target.skipsUnreadable !== true || position === undefined) return this.#fail(error);
    this.#target.unreadable?.(error, position);
    this.#position = position;
  }

  /**
   * A message came that can't be read, of nobody knows what; the second in a row at one position is one of this
   * follower's.
   */
  receiveGarbled(error: Fault): void {
    if (this.#stopped) return;
    if (this.#garbledAt === this.#position) return this.#fail(error);
    this.#garbledAt = this.#position;
    this.#noteRetry(error);
  }

  #take(item: Json): void {
    const [type, position, error] = [member(item, 'type'), member(item, 'position'), member(item, 'error')];
    if (typeof type !== 'string' || (typeof position !== 'string' && !isWaiting(type)))
      return this.#fail(new NodeNonsense('a notice without type or position'));
    if (type === 'ended')
      return this.#fail(new NodeRefusal(String(member(error, 'name')), String(member(error, 'message'))));
    try {
      if (typeof position === 'string') this.#target.take(type, item, position);
      else this.#target.takeWaiting(type, item);
    } catch (failure) {
      return this.#fail(failure);
    }
    if (typeof position === 'string') this.#position = position;
  }

  #fail(error: unknown): void {
    this.stop();
    this.#target.failed(error);
  }

  #lookLater(): void {
    if (this.#stopped) return;
    this.#cancelLook?.();
    this.#hasHeard = false;
    this.#cancelLook = this.#clock.after(SILENCE_MS, () => void this.#look(), false);
  }

  /** A node that doesn't answer any more is given up by the connection, which then says so. */
  async #look(): Promise<void> {
    // No subscription has the first id, so this ends none.
    if (!this.#hasHeard) await unsubscribe(this.#connection, this.#firstId);
    this.#lookLater();
  }
}
