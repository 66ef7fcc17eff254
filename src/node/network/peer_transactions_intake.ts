import { newSenderId } from '../../jsonrpc/http/sender_ids.ts';
import type { NodeId } from '../../wire/wire_values.ts';
import type { Broadcasts } from '../threads/broadcasts/broadcasts.ts';
import type { SentBundle } from './network_messages.ts';

/** More than a node has peers. */
const MOST_SENDERS = 1000;

/** Takes transactions of peers the way of broadcasts: to the same verifiers, in the same batches, but unread. */
export class PeerTransactionsIntake {
  readonly #broadcasts: Pick<Broadcasts, 'submitBundle'>;
  /**
   * Each peer has a reputation of its own with the verifiers, so that wrong signatures and hints make its own group
   * dearer.
   */
  readonly #senders = new Map<NodeId, number>();

  constructor(broadcasts: Pick<Broadcasts, 'submitBundle'>) {
    this.#broadcasts = broadcasts;
  }

  /** The outcomes of the transactions of each bundle, in their order (verifiers/bundle_outcomes.ts). */
  async submit(sent: readonly SentBundle[]): Promise<Uint8Array<ArrayBuffer>[]> {
    const outcomes: Promise<Uint8Array<ArrayBuffer>>[] = [];
    for (const { from, bundle: message, count } of sent)
      outcomes.push(this.#broadcasts.submitBundle({ senderId: this.#senderId(from), message, count }));
    return await Promise.all(outcomes);
  }

  #senderId(from: NodeId): number {
    const known = this.#senders.get(from) ?? newSenderId();
    this.#senders.delete(from);
    this.#senders.set(from, known);
    if (this.#senders.size > MOST_SENDERS)
      for (const oldest of this.#senders.keys()) return this.#forget(oldest, known);
    return known;
  }

  #forget(oldest: NodeId, kept: number): number {
    this.#senders.delete(oldest);
    return kept;
  }
}
