/** Upper edges of the time classes, in seconds: from a cached row to a wait for a block. */
export const timeEdgesSeconds: readonly number[] = [0.0001, 0.001, 0.01, 0.1, 1, 10, 60];

/** What was counted of one method. */
export interface MethodCounts {
  /** Given again from the same block; not among the timed. */
  repeated: number;
  /** Found out, or refused. */
  answered: number;
  refused: number;
  seconds: number;
  /** How many took at most so long, for each edge, each counted in the first class that it fits. */
  readonly within: number[];
}

/** Counts answers and their times by method: a few nanoseconds an answer, one small record a method. */
export class MethodTimes {
  readonly counts = new Map<string, MethodCounts>();
  /** Calls that named no method of this node. */
  unknownMethods = 0;
  /** Bodies and elements that were no request. */
  badRequests = 0;
  /** Calls that wait for something. */
  inFlight = 0;

  repeated(method: string): void {
    this.of(method).repeated++;
  }

  answered(method: string, elapsedMs: number, isRefused: boolean): void {
    const counts = this.of(method);
    counts.answered++;
    if (isRefused) counts.refused++;
    const seconds = elapsedMs / 1000;
    counts.seconds += seconds;
    const place = timeEdgesSeconds.findIndex((edge) => seconds <= edge);
    if (place >= 0) counts.within[place] = (counts.within[place] ?? 0) + 1;
  }

  /** What is counted of a method. */
  of(method: string): MethodCounts {
    const known = this.counts.get(method);
    if (known !== undefined) return known;
    const counts = { repeated: 0, answered: 0, refused: 0, seconds: 0, within: timeEdgesSeconds.map(() => 0) };
    this.counts.set(method, counts);
    return counts;
  }
}
