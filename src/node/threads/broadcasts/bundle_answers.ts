import { Refusal } from '../../../base/refusal.ts';
import { OUTCOME, WRONG_HINT } from '../../../verifiers/bundle_outcomes.ts';
import type { Caller } from './caller.ts';

/** Refusals of transactions that no honest node has accepted. */
const FORGED: ReadonlySet<string> = new Set(['malformed_bytes', 'signature_without_key', 'signature_not_canonical']);

/** The transactions of a peer's bundle, which are answered together: an outcome each (verifiers/bundle_outcomes.ts). */
export class BundleAnswers implements Caller {
  readonly joins = false;
  readonly count: number;
  readonly #outcomes: Uint8Array<ArrayBuffer>;
  readonly #done: (outcomes: Uint8Array<ArrayBuffer>) => void;
  #firstTicket = 0;
  #undecided: number;
  #isReported = false;

  /** `done` is called once, when all are decided and the verifier has said whose hints were wrong. */
  constructor(count: number, done: (outcomes: Uint8Array<ArrayBuffer>) => void) {
    this.count = count;
    this.#outcomes = new Uint8Array(count);
    this.#undecided = count;
    this.#done = done;
  }

  /** They have consecutive tickets from this one on. */
  queued(firstTicket: number): void {
    this.#firstTicket = firstTicket;
  }

  has(ticket: number): boolean {
    return ticket >= this.#firstTicket && ticket < this.#firstTicket + this.count;
  }

  /** Notes an outcome, once for each. */
  decide(ticket: number, outcome: number): void {
    const index = ticket - this.#firstTicket;
    this.#outcomes[index] = outcome | ((this.#outcomes[index] ?? 0) & WRONG_HINT);
    this.#undecided--;
    this.#finish();
  }

  resolve(_: unknown, ticket: number): void {
    this.decide(ticket, OUTCOME.accepted);
  }

  reject(error: unknown, ticket: number): void {
    this.decide(ticket, refusalOutcome(error));
  }

  /** The key that came with it has not signed it. */
  noteWrongHint(ticket: number): void {
    const index = ticket - this.#firstTicket;
    this.#outcomes[index] = (this.#outcomes[index] ?? 0) | WRONG_HINT;
  }

  /** No verifier will say more about them. */
  reported(): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#finish();
  }

  /**
   * No verifier will say whose hints were wrong: what was accepted counts as known, so that this node does not pass it
   * on with a wrong one.
   */
  giveUp(): void {
    if (this.#isReported) return;
    for (const [index, outcome] of this.#outcomes.entries())
      if (outcome === OUTCOME.accepted) this.#outcomes[index] = OUTCOME.known;
    this.reported();
  }

  #finish(): void {
    if (this.#isReported && this.#undecided === 0) this.#done(this.#outcomes);
  }
}

function refusalOutcome(error: unknown): number {
  if (!(error instanceof Refusal)) return OUTCOME.refused;
  if (error.code === 'duplicate_transaction') return OUTCOME.known;
  return FORGED.has(error.code) ? OUTCOME.forged : OUTCOME.refused;
}
