import type { AccountName } from '../../values/account_name.ts';

/**
 * Those charged for a vain try: the peer that brought the last block of the branch, and the last witness that is known
 * to have signed one of its blocks.
 */
export interface TriedFor {
  /** Empty for blocks that no peer brought. */
  readonly source: string;
  readonly signer: AccountName | undefined;
}

interface Charge {
  readonly times: number;
  readonly untilMs: number;
}

/** Vain tries take at most one twentieth of the writer's time. */
const PARTS_OF_TIME = 20;
/** After the first vain try; doubled with each further one. */
const FIRST_BACK_OFF_MS = 2000;
/** A valid branch of somebody who was charged waits no longer than this: 20 slots of 3 s. */
const LONGEST_BACK_OFF_MS = 60_000;
/** A charge is forgotten when nothing was charged for so long. */
const FORGOTTEN_AFTER_MS = 10 * 60_000;
/** Peers and witnesses that are charged at once; the longest charged are forgotten first. */
const MOST_CHARGED = 4096;

/**
 * Decides when a branch may be tried that may come to nothing. A try can't be cut short, or a valid branch that takes
 * long could never win: so each vain one is followed by a pause of nineteen times its length, for all branches. The
 * source of a vain branch waits longer, and nobody waits for ever.
 */
export class BranchTries {
  readonly #elapsedMs: () => number;
  readonly #charges = new Map<string, Charge>();
  #pausedUntilMs = -Infinity;
  #isWaiting = false;

  /** `elapsedMs` measures time for the writer, which has a clock; the chain has none. */
  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  /** True if a branch that would win was not tried yet. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Returns whether a branch may be tried now; otherwise it waits. */
  mayTry(tried: TriedFor): boolean {
    const nowMs = this.#elapsedMs();
    const isFree = trierNames(tried).every((name) => nowMs >= (this.#charges.get(name)?.untilMs ?? -Infinity));
    if (nowMs >= this.#pausedUntilMs && isFree) return true;
    this.#isWaiting = true;
    return false;
  }

  /** Tries a branch; what is vain is charged. */
  run<T>(tried: TriedFor, attempt: () => T, isVain: (result: T) => boolean): T {
    const startMs = this.#elapsedMs();
    const result = attempt();
    if (isVain(result)) this.#noteVain(tried, startMs, this.#elapsedMs());
    return result;
  }

  /** A branch that was not looked at may win. */
  lookAgain(): void {
    this.#isWaiting = true;
  }

  /** Clears `isWaiting` before a look at all waiting branches; `mayTry` sets it again for one that must wait longer. */
  beginAgain(): void {
    this.#isWaiting = false;
  }

  #noteVain(tried: TriedFor, startMs: number, endMs: number): void {
    const tookMs = endMs - startMs;
    this.#pausedUntilMs = endMs + (PARTS_OF_TIME - 1) * tookMs;
    // Other branches that would win may wait behind this one.
    this.#isWaiting = true;
    for (const name of trierNames(tried)) this.#charge(name, endMs);
  }

  #charge(name: string, nowMs: number): void {
    const known = this.#charges.get(name);
    const isForgotten = known === undefined || nowMs - known.untilMs > FORGOTTEN_AFTER_MS;
    const times = isForgotten ? 0 : known.times;
    const backOffMs = Math.min(FIRST_BACK_OFF_MS * 2 ** times, LONGEST_BACK_OFF_MS);
    this.#charges.delete(name);
    this.#charges.set(name, { times: times + 1, untilMs: nowMs + backOffMs });
    if (this.#charges.size <= MOST_CHARGED) return;
    for (const first of this.#charges.keys()) return void this.#charges.delete(first);
  }
}

function trierNames({ source, signer }: TriedFor): string[] {
  return [...(source === '' ? [] : [`peer ${source}`]), ...(signer === undefined ? [] : [`witness ${signer}`])];
}
