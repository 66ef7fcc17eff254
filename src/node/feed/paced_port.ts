/** What may be on its way to a follower that has not taken it yet. Beyond that the rest is summed up. */
export interface Pace {
  readonly messages: number;
  readonly bytes: number;
}

/**
 * Sends a follower as much as it takes. One that falls behind is sent nothing more until it has taken what is on its way; then one gap
 * that says what it missed, and it goes on from there. So nobody waits for it, and what waits for it doesn't grow.
 */
export class PacedPort<Message, Gap> {
  readonly #send: (message: Message | Gap) => void;
  readonly #pace: Pace;
  /** A gap that is one message longer. */
  readonly #widen: (gap: Gap | undefined, message: Message) => Gap;
  /** Bytes of each message that is on its way, oldest first. */
  readonly #untaken: number[] = [];
  #untakenBytes = 0;
  #gap: Gap | undefined;

  constructor(send: (message: Message | Gap) => void, pace: Pace, widen: (gap: Gap | undefined, message: Message) => Gap) {
    this.#send = send;
    this.#pace = pace;
    this.#widen = widen;
  }

  /** Sends a message of that size, or lets it be part of the gap. */
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
