import type { Log } from '../../base/log.ts';

/** A witness whose clock is off by more makes blocks that others get too late or too early. */
const WRONG_MS = 1000;

/** Tells the operator that this machine's clock is wrong, by those of peers. */
export class ClockWatch {
  readonly #log: Log;
  #isWrong = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** By how much peers are ahead; undefined when too few are known. Said once for each time that it goes wrong. */
  look(aheadMs = 0): void {
    const isWrong = Math.abs(aheadMs) > WRONG_MS;
    if (isWrong && !this.#isWrong)
      this.#log.warning(
        `the clocks of peers are ${(aheadMs / 1000).toFixed(1)} s ahead of this machine's, in the middle: set it right`,
        'peer_clocks_differ',
        { ahead_seconds: aheadMs / 1000 },
      );
    this.#isWrong = isWrong;
  }
}
