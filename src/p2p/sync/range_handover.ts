import type { BlockOutcome, SubmissionPlace } from '../environment/chain_access.ts';
import type { Environment } from '../environment/environment.ts';
import type { Peer } from '../peers/peer.ts';

/** A peer and the number of its blocks. */
export interface Given {
  readonly peer: Peer;
  readonly count: number;
}

/** A block that the chain refused, and who gave it. */
export interface RefusedGift {
  readonly peer: Peer;
  readonly outcome: BlockOutcome;
}

/** For so long blocks may wait while nothing comes; the time that the chain takes doesn't count. */
const WAIT_MS = 1000;

/**
 * Hands blocks of ranges to the chain, one submission at a time, and remembers who gave what the chain has not answered
 * yet: the last blocks of a submission may wait there for those of the next one.
 */
export class RangeHandover {
  readonly #environment: Environment;
  #given: readonly Given[] = [];
  #isBusy = false;
  #answeredMs = 0;
  /** Milliseconds without a block to hand over since the chain took one. */
  #idleMs = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** True if the chain is at work on a submission. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** True if blocks wait for those behind them. */
  get isWaiting(): boolean {
    return !this.#isBusy && this.#given.length > 0;
  }

  /** True if they have waited for too long. */
  get isTired(): boolean {
    return this.isWaiting && this.#idleMs + this.#sinceAnswerMs > WAIT_MS;
  }

  /** The peers whose blocks have no answer yet. */
  get givers(): Peer[] {
    return this.#given.map(({ peer }) => peer);
  }

  /** Hands over blocks that follow those before. Only the last ones, behind which nothing comes soon, don't wait. */
  submit(
    blocks: readonly Uint8Array[],
    given: readonly Given[],
    { isLast, isVouchedFor }: Omit<SubmissionPlace, 'isFirst' | 'from'>,
    done: (refused: RefusedGift | undefined) => void,
  ): void {
    const isFirst = this.#given.length === 0;
    this.#idleMs = isFirst ? 0 : this.#idleMs + this.#sinceAnswerMs;
    this.#given = [...this.#given, ...given];
    this.#isBusy = true;
    const from = given.at(-1)?.peer.id ?? this.#given.at(-1)?.peer.id ?? '';
    this.#environment.intake.submitBlocks(blocks, { isFirst, isLast, isVouchedFor, from }, (outcomes) => {
      this.#isBusy = false;
      this.#answeredMs = this.#environment.clock.elapsedMs();
      if (outcomes.length > 0) this.#idleMs = 0;
      const at = outcomes.findIndex(({ kind }) => kind === 'refused' || kind === 'unlinkable');
      const [outcome, peer] = [outcomes[at], whoGave(this.#given, at)];
      this.#given = isLast || outcome !== undefined ? [] : behind(this.#given, outcomes.length);
      done(outcome === undefined || peer === undefined ? undefined : { peer, outcome });
    });
  }

  get #sinceAnswerMs(): number {
    return this.#environment.clock.elapsedMs() - this.#answeredMs;
  }
}

function whoGave(given: readonly Given[], place: number): Peer | undefined {
  let before = 0;
  return given.find(({ count }) => place < (before += count))?.peer;
}

/** Returns the givers without the first `blocks` blocks. */
function behind(given: readonly Given[], blocks: number): Given[] {
  let before = 0;
  return given.flatMap(({ peer, count }) => {
    const left = Math.min(count, (before += count) - blocks);
    return left > 0 ? [{ peer, count: left }] : [];
  });
}
