/** The most that may be in transit to a follower. Beyond that, messages are merged into a gap. */
export interface Pace {
  readonly messages: number;
  readonly bytes: number;
}

/**
 * Sends a follower messages at the pace at which it takes them. A follower that falls behind gets nothing more until it has taken what
 * is in transit, then one gap that says what it missed, and continues from there. So it delays nothing, and its queue doesn't grow.
 */
export class PacedPort<Message, Gap> {
  readonly #send: (message: Message | Gap) => void;
  readonly #pace: Pace;
  /** Extends a gap by one message. */
  readonly #widen: (gap: Gap | undefined, message: Message) => Gap;
  /** Bytes of each message in transit, oldest first. */
  readonly #untaken: number[] = [];
  #untakenBytes = 0;
  #gap: Gap | undefined;

  constructor(send: (message: Message | Gap) => void, pace: Pace, widen: (gap: Gap | undefined, message: Message) => Gap) {
    this.#send = send;
    this.#pace = pace;
    this.#widen = widen;
  }

  /** Sends a message of that size, or merges it into the gap. */
  offer(message: Message, bytes: number): void {
    const isBehind = this.#untaken.length >= this.#pace.messages || this.#untakenBytes + bytes > this.#pace.bytes;
    if (this.#gap !== undefined || isBehind) this.#gap = this.#widen(this.#gap, message);
    else this.#put(message, bytes);
    this.#closeGap();
  }

  /** The follower has taken the oldest message. */
  taken(): void {
    this.#untakenBytes -= this.#untaken.shift() ?? 0;
    this.#closeGap();
  }

  #closeGap(): void {
    if (this.#gap === undefined || this.#untaken.length > 0) return;
    const gap = this.#gap;
    this.#gap = undefined;
    this.#put(gap, 0);
  }

  #put(message: Message | Gap, bytes: number): void {
    this.#untaken.push(bytes);
    this.#untakenBytes += bytes;
    this.#send(message);
  }
}
