import type { BroadcastOutcome } from '../../../rpc/services.ts';
import type { Caller } from './batch_queue.ts';

/** The outcome of one of several broadcasts that came together. */
export interface JointOutcome {
  /** Of what was accepted. */
  readonly id: string;
  readonly refusal: unknown;
  /** True if it came with the key that has signed it. */
  readonly isHintRight: boolean;
}

/** Broadcasts that came together and are answered together. */
export class JointOutcomes {
  readonly #outcomes: (JointOutcome | undefined)[];
  readonly #done: (outcomes: readonly JointOutcome[]) => void;
  #open: number;
  /** The number of them that wait in a queue. */
  queued = 0;

  constructor(count: number, done: (outcomes: readonly JointOutcome[]) => void) {
    this.#outcomes = Array.from({ length: count });
    this.#open = count;
    this.#done = done;
  }

  caller(index: number): Caller {
    return new OneOf(this, index);
  }

  /** Those that found no room. */
  refuseRest(refusal: unknown): void {
    for (let index = this.queued; index < this.#outcomes.length; index++)
      this.end(index, { id: '', refusal, isHintRight: true });
  }

  end(index: number, outcome: JointOutcome): void {
    this.#outcomes[index] = outcome;
    if (--this.#open === 0) this.#done(this.#outcomes.flatMap((one) => one ?? []));
  }
}

/** A class, so that an answer costs no closures. */
class OneOf implements Caller {
  readonly joins = false;
  readonly #all: JointOutcomes;
  readonly #index: number;
  #isHintRight = true;

  constructor(all: JointOutcomes, index: number) {
    this.#all = all;
    this.#index = index;
  }

  resolve({ transactionId: id }: BroadcastOutcome): void {
    this.#all.end(this.#index, { id, refusal: undefined, isHintRight: this.#isHintRight });
  }

  reject(refusal: unknown): void {
    this.#all.end(this.#index, { id: '', refusal, isHintRight: this.#isHintRight });
  }

  noteWrongHint(): void {
    this.#isHintRight = false;
  }
}
