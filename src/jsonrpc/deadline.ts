import type { Clock } from '../base/clock.ts';
import { refusalBy } from '../base/refusal.ts';
import { refuseCall } from './errors.ts';

/** The outcome of `promise`, or a Refusal `no_answer_in_time` when it takes longer than `deadlineMs`. */
export function withDeadline<T>(promise: Promise<T>, deadlineMs: number, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const seconds = deadlineMs / 1000;
    const cancel = clock.after(deadlineMs, () => reject(refusalBy(() => refuseCall.no_answer_in_time({ seconds }))));
    promise.finally(cancel).then(resolve, reject);
  });
}
