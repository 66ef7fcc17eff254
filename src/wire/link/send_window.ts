import { refusals } from '../../base/refusal.ts';

const refuse = refusals({
  consumed_too_much: 'the peer says to have consumed {bytes} bytes of {sent}, after {before}',
});

/** Before anything is measured: 0.2 s of 10 Mbit/s. */
const FIRST_BYTES = 256 * 1024;
/** The bytes that may stand before a small message beyond those under way anyhow: 0.1 s of 10 Mbit/s, 10 ms of 100. */
const STANDING_BYTES = 128 * 1024;
const MOST_BYTES = 8 * 1024 * 1024; // 80 ms of a Gbit/s
const SAMPLE_MS = 100;
/** A rate keeps nine tenths with each sample, so that a link that got slower is noticed. */
const KEPT = 0.9;

/**
 * Limits the bytes of lanes 2 and 3 under way. Kernels would take a second's worth, which every small message behind it
 * would wait for: so no more goes out than the peer reads in the time of a ping, and a little.
 */
export class SendWindow {
  #sent = 0;
  #taken = 0;
  #pingMs: number | undefined;
  #bytesPerMs: number | undefined;
  #sampleAtMs = 0;
  #sampleTaken = 0;
  /** True if the window held something up since the sample began: else the rate says how much there was to send. */
  #wasFull = false;

  /** The rate at which the peer reads while there is more to send; undefined before that. */
  get bytesPerMs(): number | undefined {
    return this.#bytesPerMs;
  }

  get isOpen(): boolean {
    const isOpen = this.#sent - this.#taken < this.#bytes;
    if (!isOpen) this.#wasFull = true;
    return isOpen;
  }

  sent(bytes: number): void {
    this.#sent += bytes;
  }

  /** The peer has consumed this many bytes since the link began. Throws a Refusal for an impossible number. */
  taken(total: number, nowMs: number): void {
    if (total < this.#taken || total > this.#sent)
      refuse.consumed_too_much({ bytes: total, sent: this.#sent, before: this.#taken });
    this.#taken = total;
    if (nowMs - this.#sampleAtMs < SAMPLE_MS) return;
    if (this.#wasFull && this.#sampleAtMs > 0) {
      const rate = (total - this.#sampleTaken) / (nowMs - this.#sampleAtMs);
      this.#bytesPerMs = Math.max(rate, (this.#bytesPerMs ?? 0) * KEPT);
    }
    this.#sampleAtMs = nowMs;
    this.#sampleTaken = total;
    this.#wasFull = false;
  }

  /** A ping took this time. The shortest counts, because the others waited behind something. */
  ping(ms: number): void {
    this.#pingMs = Math.min(ms, this.#pingMs ?? ms);
  }

  get #bytes(): number {
    if (this.#bytesPerMs === undefined || this.#pingMs === undefined) return FIRST_BYTES;
    return Math.min(STANDING_BYTES + this.#bytesPerMs * this.#pingMs, MOST_BYTES);
  }
}
