/** The most that may be in transit to a follower. Beyond that, messages are merged into a gap. */
export interface Window {
  readonly messages: number;
  readonly bytes: number;
}

/**
 * A port with flow control: at most a window of messages is in transit. A follower that falls behind gets nothing more
 * until it has taken those, then one gap that says what it missed, and continues from there. So it delays nobody, and
 * its queue doesn't grow.
 */
export class WindowedPort<Message, Gap> {
  readonly #send: (message: Message | Gap) => void;
  readonly #window: Window;
  /** Extends a gap by one message. */
  readonly #widen: (gap: Gap | undefined, message: Message) => Gap;
  /** Bytes of each message in transit, oldest first. */
  readonly #inTransit: number[] = [];
  #inTransitBytes = 0;
  #gap: Gap | undefined;

  constructor(
    send: (message: Message | Gap) => void,
    window: Window,
    widen: (gap: Gap | undefined, message: Message) => Gap,
  ) {
    this.#send = send;
    this.#window = window;
    this.#widen = widen;
  }

  /** Sends a message of that size, or merges it into the gap. */
  offer(message: Message, bytes: number): void {
    const isBehind =
      this.#inTransit.length >= this.#window.messages || this.#inTransitBytes + bytes > this.#window.bytes;
    if (this.#gap !== undefined || isBehind) this.#gap = this.#widen(this.#gap, message);
    else this.#put(message, bytes);
    this.#closeGap();
  }

  /** The follower has taken the oldest message. */
  taken(): void {
    this.#inTransitBytes -= this.#inTransit.shift() ?? 0;
    this.#closeGap();
  }

  #closeGap(): void {
    if (this.#gap === undefined || this.#inTransit.length > 0) return;
    const gap = this.#gap;
    this.#gap = undefined;
    this.#put(gap, 0);
  }

  #put(message: Message | Gap, bytes: number): void {
    this.#inTransit.push(bytes);
    this.#inTransitBytes += bytes;
    this.#send(message);
  }
}
