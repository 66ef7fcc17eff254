import type { Clock } from '../../base/clock.ts';

/** Copied between two looks at the clock: a quarter of a millisecond on memory that is used for the first time. */
const STEP_BYTES = 256 * 1024;

/** Bytes that are put together of pieces, a step at a time: 48 MiB at once take 20 ms. */
export class Assembly {
  readonly #pieces: readonly Uint8Array[];
  readonly #whole: Uint8Array;
  #piece = 0;
  /** Bytes received of the current piece, and of the whole block. */
  #at = 0;
  #length = 0;

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces;
    this.#whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0));
  }

  /** Goes on until about that time; all of it when it is complete. */
  resume(clock: Clock, endMs: number): Uint8Array | undefined {
    let unseen = 0;
    for (let piece = this.#pieces[this.#piece]; piece !== undefined; piece = this.#pieces[this.#piece]) {
      const step = piece.subarray(this.#at, this.#at + STEP_BYTES);
      this.#whole.set(step, this.#length);
      this.#at += step.length;
      this.#length += step.length;
      if (this.#at >= piece.length) [this.#piece, this.#at] = [this.#piece + 1, 0];
      unseen += step.length;
      if (unseen < STEP_BYTES) continue;
      unseen = 0;
      if (clock.elapsedMs() >= endMs) break;
    }
    return this.#length === this.#whole.length ? this.#whole : undefined;
  }
}
