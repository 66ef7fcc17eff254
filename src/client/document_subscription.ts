import type { Clock } from '../base/clock.ts';
import type { Fault } from '../base/fault.ts';
import type { Json } from '../codec/json.ts';
import { writeJson } from '../codec/json_writer.ts';
import type { Result } from '../rpc/method_types.ts';
import { pause } from './abort.ts';
import type { NodeConnection } from './connection.ts';
import { ConnectionClosed } from './answer.ts';
import { errorRecovery } from '../base/recovery.ts';
import { unheard } from './unheard.ts';
import { SUBSCRIBE_MS, unsubscribe } from './unsubscribe.ts';

/** The documents to subscribe to. */
export interface Subscription {
  readonly app_id: bigint;
  readonly account_name: string;
  readonly search_type: 'by_sender' | 'by_recipient';
  /** The number of the first document; 1 when left out. */
  readonly start?: bigint;
}

/** A document as methods show it. */
export type Document = Result<'custom_api.list_received_documents'>[number][1];

/**
 * Receives documents in ascending order of number. A number is repeated when another branch has a different document
 * there.
 */
export interface DocumentListener {
  document(number: bigint, document: Document): void;
  /** The node refused, or sent something unreadable; nothing more follows. */
  failed?(error: unknown): void;
}

/**
 * Documents remembered (a few minutes' worth), so that a reconnect repeats none, even if a branch has changed
 * meanwhile.
 */
const REMEMBERED = 256;
/** Between attempts to resubscribe: a node takes about a second to restart. */
const RETRY_MS = 500;

/** Reads the content of a notice. */
export type ReadNotice = (pair: Json) => readonly [bigint, Document];

/** One subscription, maintained across lost connections. */
export class DocumentSubscription {
  readonly #connection: NodeConnection;
  readonly #clock: Clock;
  readonly #subscription: Subscription;
  readonly #listener: DocumentListener;
  readonly #returnId: number;
  readonly #read: ReadNotice;
  readonly #recent = new Map<bigint, string>();
  #stopped = false;
  #isAsking = false;
  #garbledAt: bigint | undefined;

  constructor(
    connection: NodeConnection,
    clock: Clock,
    read: ReadNotice,
    returnId: number,
    subscription: Subscription,
    listener: DocumentListener,
  ) {
    this.#connection = connection;
    this.#clock = clock;
    this.#read = read;
    this.#returnId = returnId;
    this.#subscription = subscription;
    this.#listener = listener;
  }

  /** Ignores everything from now on, and tells the node so. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    void unsubscribe(this.#connection, this.#returnId);
  }

  /** Subscribes from the first document not yet received; retries while the node can't be reached. */
  async subscribe(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      await this.#ask();
    } finally {
      this.#isAsking = false;
    }
  }

  async #ask(): Promise<void> {
    const [oldest] = this.#recent.keys();
    const { app_id, account_name, search_type, start = 1n } = this.#subscription;
    const resume = oldest === undefined ? {} : { resume: (oldest - 1n).toString() };
    const params = {
      return_id: this.#returnId,
      app_id: app_id.toString(),
      account_name,
      search_type,
      start: start.toString(),
      ...resume,
    };
    while (!this.#stopped) {
      try {
        await this.#connection.call('subscribe_api.custom_object_subscription', params, {
          timeoutMs: SUBSCRIBE_MS,
          repeatable: false,
        });
        return;
      } catch (error) {
        if (error instanceof ConnectionClosed || errorRecovery(error) === 'final') return this.#fail(error);
        await pause(this.#clock, RETRY_MS);
      }
    }
  }

  /** Takes a notice with this subscription's id. */
  receive(pairs: Json): void {
    if (this.#stopped || !Array.isArray(pairs)) return;
    try {
      for (const pair of pairs) this.#take(pair);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Takes an item that can't be read. */
  receiveUnreadable(error: Fault): void {
    if (!this.#stopped) this.#fail(error);
  }

  /** A message came that can't be read, of nobody knows what; the second without a document between is one of these. */
  receiveGarbled(error: Fault): void {
    const [latest = 0n] = [...this.#recent.keys()].slice(-1);
    if (this.#stopped) return;
    if (this.#garbledAt === latest) this.#fail(error);
    this.#garbledAt = latest;
  }

  #take(pair: Json): void {
    const [number, document] = this.#read(pair);
    const { sender, recipients, data, binary } = document;
    const text = writeJson([sender, [...recipients], data, binary]);
    if (this.#recent.get(number) === text) return;
    this.#recent.set(number, text);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > REMEMBERED && oldest !== undefined) this.#recent.delete(oldest);
    this.#listener.document(number, document);
  }

  #fail(error: unknown): void {
    this.stop();
    if (this.#listener.failed === undefined) unheard(error);
    else this.#listener.failed(error);
  }
}
