import type { MessageForm, MessageKind } from './message_kind.ts';
import type { Peer } from './peer.ts';

/** Which part takes which kind of message. */
export class MessageRouter {
  readonly #takers = new Map<MessageForm, (peer: Peer, bytes: Uint8Array) => void>();

  /** From now on `take` gets the messages of a kind. Those that answer a question are taken only while one is open. */
  on<T>(kind: MessageKind<T>, take: (peer: Peer, value: T) => void): void {
    this.#takers.set(kind, (peer, bytes) => take(peer, kind.decode(bytes)));
  }

  /** Throws a Refusal for what is no message of the kind. */
  deliver(peer: Peer, form: MessageForm, bytes: Uint8Array): void {
    this.#takers.get(form)?.(peer, bytes);
  }
}
