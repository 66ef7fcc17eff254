import type { VerifiedTransaction } from '../blocks/transaction.ts';
import type { DropReason } from '../notices/pending_notices.ts';
import { encodeVerifiedBatch } from '../blocks/verified_batch.ts';
import { WindowedPort } from './windowed_port.ts';

/** Transactions that this node has accepted: packed, each with its signers; `decodeVerifiedBatch` reads them. */
export interface AcceptedBatch {
  readonly kind: 'accepted';
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** The number of transactions that a slow follower missed. Most of them will soon be in a block. */
export interface AcceptedGap {
  readonly kind: 'missed';
  readonly count: number;
}

export type AcceptedMessage = AcceptedBatch | AcceptedGap;

/**
 * Accepted transactions that wait no longer without being in a block: packed as in `AcceptedBatch`, and a reason for
 * each.
 */
export interface DroppedBatch {
  readonly kind: 'dropped';
  readonly bytes: Uint8Array;
  readonly reasons: readonly DropReason[];
}

/** Messages about transactions before a block has them. */
export type PendingMessage = AcceptedMessage | DroppedBatch;

/** Dropped transactions that are told together at most; a fork may drop all that wait. */
const MOST_DROPPED = 1024;

/** Returns the number of transactions that a message is about. */
function countTransactions(message: PendingMessage): number {
  return message.kind === 'dropped' ? message.reasons.length : message.count;
}

/** One second of traffic at the highest rate. */
const WINDOW = { messages: 64, bytes: 8 * 1024 * 1024 };

/** Notifies any number of followers of accepted transactions, each at its own speed. */
export class TransactionFeed {
  readonly #ports = new Set<WindowedPort<AcceptedBatch, AcceptedGap>>();
  #watched: WindowedPort<AcceptedBatch | DroppedBatch, AcceptedGap> | undefined;
  /** Transactions to tell the watcher of together. */
  #dropped: { readonly verified: VerifiedTransaction; readonly reason: DropReason }[] = [];
  #isWatched = false;

  /** Adds a follower. Call the result each time it has taken a message. */
  add(send: (message: AcceptedMessage) => void): () => void {
    const port = new WindowedPort<AcceptedBatch, AcceptedGap>(send, WINDOW, widen);
    this.#ports.add(port);
    return () => port.taken();
  }

  /**
   * The one follower that is told of dropped transactions, too, while it watches: nobody else cares. Call the result as
   * that of `add`.
   */
  addWatcher(send: (message: PendingMessage) => void): () => void {
    const port = new WindowedPort<AcceptedBatch | DroppedBatch, AcceptedGap>(send, WINDOW, widen);
    this.#watched = port;
    return () => port.taken();
  }

  /** Starts and stops telling the watcher. */
  watch(isWatched: boolean): void {
    this.#isWatched = isWatched;
    this.#dropped = [];
  }

  get isFollowed(): boolean {
    return this.#isWatched || this.#ports.size > 0;
  }

  publish(accepted: readonly VerifiedTransaction[]): void {
    if (accepted.length > 0) this.publishBatch(packed(accepted), accepted.length);
  }

  /** The same of a batch as it came from a verifier, when all of it was accepted. */
  publishBatch(bytes: Uint8Array, count: number): void {
    const message: AcceptedBatch = { kind: 'accepted', count, bytes };
    for (const port of this.#ports) port.offer(message, bytes.length);
    if (this.#isWatched) this.#watched?.offer(message, bytes.length);
  }

  /** A transaction is gone; told with the next `flush`. */
  drop(verified: VerifiedTransaction, reason: DropReason): void {
    if (!this.#isWatched) return;
    this.#dropped.push({ verified, reason });
    if (this.#dropped.length >= MOST_DROPPED) this.flush();
  }

  /** Tells of all that was dropped since the last time. */
  flush(): void {
    if (this.#dropped.length === 0) return;
    const dropped = this.#dropped;
    this.#dropped = [];
    const bytes = packed(dropped.map(({ verified }) => verified));
    this.#watched?.offer({ kind: 'dropped', bytes, reasons: dropped.map(({ reason }) => reason) }, bytes.length);
  }
}

function packed(transactions: readonly VerifiedTransaction[]): Uint8Array {
  return encodeVerifiedBatch(transactions.map((verified) => ({ ticket: 0, verified })));
}

function widen(gap: AcceptedGap | undefined, message: PendingMessage): AcceptedGap {
  return { kind: 'missed', count: (gap?.count ?? 0) + countTransactions(message) };
}
