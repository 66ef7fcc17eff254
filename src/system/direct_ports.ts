import type { Port } from '../base/port.ts';

/** Two connected ports in one thread: a message arrives at once, or after the one that is being delivered, in order. */
export function directPorts<A, B>(): readonly [Port<A, B>, Port<B, A>] {
  const [left, right] = [new End<A>(), new End<B>()];
  return [
    { post: (message) => right.deliver(message), listen: (take) => left.listen(take), close: () => left.close() },
    { post: (message) => left.deliver(message), listen: (take) => right.listen(take), close: () => right.close() },
  ];
}

/** The receiving end; messages wait until somebody listens. */
class End<Message> {
  readonly #waiting: Message[] = [];
  #take: ((message: Message) => void) | undefined;
  #isDelivering = false;
  #isClosed = false;

  deliver(message: Message): void {
    if (this.#isClosed) return;
    this.#waiting.push(message);
    this.#deliverAll();
  }

  listen(take: (message: Message) => void): void {
    this.#take = take;
    this.#deliverAll();
  }

  close(): void {
    this.#isClosed = true;
  }

  #deliverAll(): void {
    if (this.#isDelivering || this.#take === undefined) return;
    this.#isDelivering = true;
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#take(next);
    } finally {
      this.#isDelivering = false;
    }
  }
}
