import type { Clock } from '../base/clock.ts';
import { refusalBy } from '../base/refusal.ts';
import { refuseCall } from './errors.ts';

/** Says that there was no answer for so many seconds. */
type RefuseLate = (details: { readonly seconds: number }) => never;

/** The outcome of `promise`, or a Refusal when it takes longer than `deadlineMs`: `no_answer_in_time` by default, for what may be asked again. */
export function withDeadline<T>(
  promise: Promise<T>,
  deadlineMs: number,
  clock: Clock,
  late: RefuseLate = refuseCall.no_answer_in_time,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const seconds = deadlineMs / 1000;
    const cancel = clock.after(deadlineMs, () => reject(refusalBy(() => late({ seconds }))));
    promise.finally(cancel).then(resolve, reject);
  });
}
