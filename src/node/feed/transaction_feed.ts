import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import { encodeVerifiedBatch } from '../threads/verified_batch.ts';
import { WindowedPort } from './windowed_port.ts';

/** Transactions that this node has accepted: packed, each with its signers; `decodeVerifiedBatch` reads them. */
export interface AcceptedBatch {
  readonly kind: 'accepted';
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** How many transactions a slow follower missed. Most of them will soon be in a block. */
export interface AcceptedGap {
  readonly kind: 'missed';
  readonly count: number;
}

export type AcceptedMessage = AcceptedBatch | AcceptedGap;

/** One second of traffic at the highest rate. */
const WINDOW = { messages: 64, bytes: 8 * 1024 * 1024 };

/** Notifies any number of followers of accepted transactions, each at its own speed. */
export class TransactionFeed {
  readonly #ports = new Set<WindowedPort<AcceptedBatch, AcceptedGap>>();

  /** Adds a follower. Call the result each time it has taken a message. */
  add(send: (message: AcceptedMessage) => void): () => void {
    const port = new WindowedPort<AcceptedBatch, AcceptedGap>(send, WINDOW, (gap, { count }) => ({
      kind: 'missed',
      count: (gap?.count ?? 0) + count,
    }));
    this.#ports.add(port);
    return () => port.taken();
  }

  get isFollowed(): boolean {
    return this.#ports.size > 0;
  }

  publish(accepted: readonly VerifiedTransaction[]): void {
    if (accepted.length > 0) this.publishBatch(encodeVerifiedBatch(accepted.map((verified) => ({ ticket: 0, verified }))), accepted.length);
  }

  /** The same of a batch as it came from a verifier, when all of it was accepted. */
  publishBatch(bytes: Uint8Array, count: number): void {
    const message: AcceptedBatch = { kind: 'accepted', count, bytes };
    for (const port of this.#ports) port.offer(message, bytes.length);
  }
}
