/** One point of a run. */
export interface Moment {
  /** Seconds since the start, at the end of what is counted here. */
  readonly second: number;
  readonly sent: number;
  readonly answered: number;
  readonly refused: number;
  readonly includedInBlocks: number;
  /** Waiting for a block at that moment. */
  readonly backlog: number;
  /** The node's own count for its next block; undefined when its metrics can't be read. */
  readonly pending: number | undefined;
  /** Latencies; undefined when nothing was answered. */
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  readonly p999Ms: number | undefined;
  /** CPU-seconds a second; undefined where they can't be read. */
  readonly nodeCpu: number | undefined;
  readonly ownCpu: number;
  readonly nodeBytes: number | undefined;
  readonly ownBytes: number;
}

/**
 * Enough for a chart; beyond it two neighbours become one, so that a run of hours needs no more memory than one of
 * minutes.
 */
const MOST_POINTS = 720;

/** The course of a run. */
export class Timeline {
  #points: Moment[] = [];

  get points(): readonly Moment[] {
    return this.#points;
  }

  add(moment: Moment): void {
    this.#points.push(moment);
    if (this.#points.length > MOST_POINTS) this.#points = pairs(this.#points);
  }
}

function pairs(points: readonly Moment[]): Moment[] {
  const merged: Moment[] = [];
  for (let index = 0; index < points.length; index += 2) {
    const [a, b] = [points[index], points[index + 1]];
    if (a !== undefined) merged.push(b === undefined ? a : together(a, b));
  }
  return merged;
}

function together(a: Moment, b: Moment): Moment {
  return {
    second: b.second,
    sent: a.sent + b.sent,
    answered: a.answered + b.answered,
    refused: a.refused + b.refused,
    includedInBlocks: a.includedInBlocks + b.includedInBlocks,
    backlog: Math.max(a.backlog, b.backlog),
    pending: larger(a.pending, b.pending),
    p50Ms: a.p50Ms === undefined || b.p50Ms === undefined ? (a.p50Ms ?? b.p50Ms) : (a.p50Ms + b.p50Ms) / 2,
    p99Ms: larger(a.p99Ms, b.p99Ms),
    p999Ms: larger(a.p999Ms, b.p999Ms),
    nodeCpu: a.nodeCpu === undefined || b.nodeCpu === undefined ? undefined : (a.nodeCpu + b.nodeCpu) / 2,
    ownCpu: (a.ownCpu + b.ownCpu) / 2,
    nodeBytes: b.nodeBytes,
    ownBytes: Math.max(a.ownBytes, b.ownBytes),
  };
}

function larger(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
