import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/refusal.ts';

/** The outcome of `promise`, or a Refusal `deadline_passed` when it takes longer than `deadlineMs`. */
export function withDeadline<T>(promise: Promise<T>, deadlineMs: number, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const seconds = deadlineMs / 1000;
    const cancel = clock.after(deadlineMs, () =>
      reject(new Refusal('deadline_passed', `no answer within ${seconds} seconds`, { seconds }, 2)),
    );
    promise.finally(cancel).then(resolve, reject);
  });
}
