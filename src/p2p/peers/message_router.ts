import type { MessageForm, MessageKind } from '../../wire/message_kind.ts';

/** Hands each kind of message to the part that takes it. */
export class MessageRouter<Sender> {
  readonly #takers = new Map<MessageForm, (sender: Sender, bytes: Uint8Array) => void>();

  /** From now on `take` gets the messages of a kind. Those that answer a question are taken only while one is open. */
  on<T>(kind: MessageKind<T>, take: (sender: Sender, value: T, bytes: Uint8Array) => void): void {
    this.#takers.set(kind, (sender, bytes) => take(sender, kind.decode(bytes), bytes));
  }

  /** Throws a Refusal for what is no message of the kind. */
  deliver(sender: Sender, form: MessageForm, bytes: Uint8Array): void {
    this.#takers.get(form)?.(sender, bytes);
  }
}
