/** Upper edges of the time classes, in seconds: from a cached row to a wait for a block. */
export const timeEdgesSeconds: readonly number[] = [0.0001, 0.001, 0.01, 0.1, 1, 10, 60];

/** The counters of one method. */
export interface MethodCounts {
  /** Repeated from the cache of the same block; not among the timed. */
  repeated: number;
  /** Computed, or refused. */
  answered: number;
  refused: number;
  seconds: number;
  /** For each edge, how many took at most that long, each counted in the first class that it fits. */
  readonly within: number[];
}

/** Counts calls and their times by method: a few nanoseconds a call, one small record a method. */
export class MethodTimes {
  readonly counts = new Map<string, MethodCounts>();
  /** Calls of methods that this node does not have. */
  unknownMethods = 0;
  /** Bodies and elements that were not valid requests. */
  badRequests = 0;
  /** Calls that are waiting for something. */
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

  /** The counters of a method. */
  of(method: string): MethodCounts {
    const known = this.counts.get(method);
    if (known !== undefined) return known;
    const counts = { repeated: 0, answered: 0, refused: 0, seconds: 0, within: timeEdgesSeconds.map(() => 0) };
    this.counts.set(method, counts);
    return counts;
  }
}
