import type { Clock } from '../../base/clock.ts';
import { expectRefusal } from '../../base/refusal.ts';
import { refuseCall } from './errors.ts';

/** Refuses a call without an answer after these seconds. */
type RefuseLate = (seconds: number) => never;

/**
 * The outcome of `promise`, or a Refusal when it takes longer than `deadlineMs`: `no_answer_in_time` by default, for
 * what may be asked again.
 */
export function withDeadline<T>(
  promise: Promise<T>,
  deadlineMs: number,
  clock: Clock,
  late: RefuseLate = (seconds) => refuseCall.no_answer_in_time({ seconds }),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(deadlineMs, () => reject(expectRefusal(() => late(deadlineMs / 1000))));
    promise.finally(cancel).then(resolve, reject);
  });
}
