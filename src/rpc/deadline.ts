import type { Clock } from '../base/clock.ts';
import { callRefusal } from './errors.ts';

/** The outcome of `promise`, or a Refusal `no_answer_in_time` when it takes longer than `deadlineMs`. */
export function withDeadline<T>(promise: Promise<T>, deadlineMs: number, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const seconds = deadlineMs / 1000;
    const cancel = clock.after(deadlineMs, () => reject(callRefusal('no_answer_in_time', { seconds })));
    promise.finally(cancel).then(resolve, reject);
  });
}
