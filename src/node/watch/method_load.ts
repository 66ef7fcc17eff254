import type { MethodCounts, MethodTimes } from '../../jsonrpc/limits/method_times.ts';

/** The share of a method in a while. */
export interface MethodShare {
  readonly method: string;
  readonly calls: number;
  /** Of these, answered again from the same block. */
  readonly repeated: number;
  readonly refused: number;
  /** The time of computed answers; of a method that waits, with its wait. */
  readonly seconds: number;
}

type Counts = Omit<MethodShare, 'method'>;

const NOTHING: Counts = { calls: 0, repeated: 0, refused: 0, seconds: 0 };
/** The time of a call beside finding its answer, about: by it, calls with cached answers weigh against slow ones. */
const SECONDS_OF_ANY_CALL = 20e-6;

/** Counts the calls of each method in the last minute, by the counts of earlier looks. */
export class MethodLoad {
  readonly #times: Pick<MethodTimes, 'counts'>;
  readonly #looks: number;
  readonly #before: ReadonlyMap<string, Counts>[] = [];

  constructor(times: Pick<MethodTimes, 'counts'>, looks: number) {
    this.#times = times;
    this.#looks = looks;
  }

  /** Called at even intervals. */
  look(): void {
    this.#before.push(new Map([...this.#times.counts].map(([method, counts]) => [method, currentCounts(counts)])));
    if (this.#before.length > this.#looks) this.#before.shift();
  }

  /**
   * The methods called since an earlier look, or the first one, that take their time themselves: the heaviest first.
   */
  since(looks: number, waits: (method: string) => boolean): readonly MethodShare[] {
    const before = this.#before.at(-looks) ?? this.#before[0];
    const shares = [...this.#times.counts].map(([method, counts]) =>
      methodShare(method, currentCounts(counts), before?.get(method)),
    );
    const demand = ({ method, calls, seconds }: MethodShare): number =>
      (waits(method) ? 0 : seconds) + calls * SECONDS_OF_ANY_CALL;
    return shares.filter(({ calls }) => calls > 0).toSorted((a, b) => demand(b) - demand(a));
  }
}

function currentCounts({ repeated, refused, answered }: MethodCounts): Counts {
  return { calls: answered.count + repeated, repeated, refused, seconds: answered.sum };
}

function methodShare(method: string, now: Counts, before: Counts = NOTHING): MethodShare {
  return {
    method,
    calls: now.calls - before.calls,
    repeated: now.repeated - before.repeated,
    refused: now.refused - before.refused,
    seconds: now.seconds - before.seconds,
  };
}
