import type { Services } from './services.ts';

/** Services that notice when an answer depends on more than the committed state, and so can't be given again. */
export class RepeatableServices {
  readonly services: Services;
  #askedMore = false;

  constructor(services: Services) {
    const { clock } = services;
    this.services = {
      ...services,
      clock: {
        nowMs: () => {
          this.#askedMore = true;
          return clock.nowMs();
        },
        after: (delayMs, run, keepsProcess) => clock.after(delayMs, run, keepsProcess),
      },
      randomBytes: (count) => {
        this.#askedMore = true;
        return services.randomBytes(count);
      },
    };
  }

  /** An answer is about to be found out. */
  watch(): void {
    this.#askedMore = false;
  }

  /** Whether it has looked neither at the clock nor asked for chance. */
  get isRepeatable(): boolean {
    return !this.#askedMore;
  }
}
