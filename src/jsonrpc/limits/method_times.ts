import { Histogram } from '../../base/histogram.ts';

/** Upper edges of the time classes, in seconds: from a cached row to a wait for a block. */
const timeEdgesSeconds: readonly number[] = [0.0001, 0.001, 0.01, 0.1, 1, 10, 60];

/** The counters of one method. */
export interface MethodCounts {
  /** Repeated from the cache of the same block; not among the timed. */
  repeated: number;
  refused: number;
  /** Times of computed answers and refusals, in seconds. */
  readonly answered: Histogram;
}

/** Counts calls and their times by method: a few nanoseconds a call, one small record a method. */
export class MethodTimes {
  readonly counts = new Map<string, MethodCounts>();
  /** Calls of methods that this node does not have. */
  unknownMethods = 0;
  /** Bodies and elements that were not valid requests. */
  badRequests = 0;
  /** Calls and bodies that failed by a defect of this node. */
  internalErrors = 0;
  /** Calls that are waiting for something. */
  inFlight = 0;

  repeated(method: string): void {
    this.of(method).repeated++;
  }

  answered(method: string, elapsedMs: number, isRefused: boolean): void {
    const counts = this.of(method);
    if (isRefused) counts.refused++;
    counts.answered.add(elapsedMs / 1000);
  }

  /** The counters of a method. */
  of(method: string): MethodCounts {
    const known = this.counts.get(method);
    if (known !== undefined) return known;
    const counts = { repeated: 0, refused: 0, answered: new Histogram(timeEdgesSeconds) };
    this.counts.set(method, counts);
    return counts;
  }
}
