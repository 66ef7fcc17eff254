import { listDeliveries } from '../state/document_copies.ts';
import type { CustomContent } from '../state/tables/custom_content.ts';
import type { AccountName } from '../values/account_name.ts';
import type { DocumentStream, StreamKey } from './document_stream.ts';

/** A stream that contains a copy of a message: its number there, and which copy. */
interface StreamCopy {
  readonly stream: DocumentStream;
  readonly number: bigint;
  readonly place: number;
}

type Streams = Map<AccountName, DocumentStream>;

/**
 * The streams that have followers. By application first: a message of an application without followers costs nothing.
 */
export class FollowedStreams {
  readonly #sides = { sender: new Map<bigint, Streams>(), recipient: new Map<bigint, Streams>() };

  get({ side, app_id, account_name }: StreamKey): DocumentStream | undefined {
    return this.#sides[side].get(app_id)?.get(account_name);
  }

  add(stream: DocumentStream): void {
    const { side, app_id, account_name } = stream.key;
    const ofApplication: Streams = this.#sides[side].get(app_id) ?? new Map();
    this.#sides[side].set(app_id, ofApplication.set(account_name, stream));
  }

  delete({ key: { side, app_id, account_name } }: DocumentStream): void {
    const ofApplication = this.#sides[side].get(app_id);
    ofApplication?.delete(account_name);
    if (ofApplication?.size === 0) this.#sides[side].delete(app_id);
  }

  *all(): Generator<DocumentStream> {
    for (const side of Object.values(this.#sides)) for (const streams of side.values()) yield* streams.values();
  }

  /** The streams of the sender and of each recipient; the sender's shows the first copy. */
  *copiesOf(message: CustomContent): Generator<StreamCopy> {
    const sent = this.#sides.sender.get(message.app_id)?.get(message.sender);
    if (sent !== undefined) yield { stream: sent, number: message.sender_sequence, place: 0 };
    const received = this.#sides.recipient.get(message.app_id);
    if (received === undefined) return;
    for (const [place, { recipient, recipient_sequence: number }] of listDeliveries(message).entries()) {
      const stream = received.get(recipient);
      if (stream !== undefined) yield { stream, number, place };
    }
  }
}
