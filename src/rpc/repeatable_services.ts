import type { Services } from './services.ts';

/** Services that notice when an answer depends on more than the committed state, and so can't be given again. */
export class RepeatableServices {
  readonly services: Services;
  /** Somebody has looked at the clock or asked for chance since this was last set to false. */
  askedMore = false;

  constructor(services: Services) {
    const { clock } = services;
    this.services = {
      ...services,
      clock: {
        nowMs: () => {
          this.askedMore = true;
          return clock.nowMs();
        },
        after: (delayMs, run) => clock.after(delayMs, run),
      },
      randomBytes: (count) => {
        this.askedMore = true;
        return services.randomBytes(count);
      },
    };
  }
}
