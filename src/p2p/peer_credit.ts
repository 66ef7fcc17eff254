import { Bucket } from './bucket.ts';
import type { MessageForm } from './message_kind.ts';
import type { NetworkCounts } from './network_counts.ts';
import type { WorkBudgetLimits } from './network_settings.ts';
import { SpareTime } from './spare_time.ts';
import { WorkBudget, type WorkAccount } from './work_budget.ts';
import { WorkPrices } from './work_prices.ts';

const STATUSES_PER_SECOND = 1;
const STATUSES_DEEP_SECONDS = 60;
/** What transactions of peers may be, by bytes: those that the chain accepts are given back. */
const BUNDLE_BYTES_PER_SECOND = 2 * 1024 * 1024;
const BUNDLES_DEEP_SECONDS = 4;
/** What TLS, the kernel and the metering itself take, which nobody here can measure: of a piece, and of each byte in or out. */
const PIECE_MS = 0.012;
const BYTE_MS = 1.4e-6;
/** What a refused transaction has cost the verifiers and the writer. */
const REFUSED_TRANSACTION_MS = 0.1;

/** What strangers may cost in each way. */
export interface WorkBudgets {
  /** Reading what they send, and what follows from it. */
  readonly receiving: WorkBudget;
  /** Answers to their questions. */
  readonly answering: WorkBudget;
  /** Transactions that the chain refuses. */
  readonly proving: WorkBudget;
  readonly prices: WorkPrices;
  /** For whoever waits alone. */
  readonly spare: SpareTime;
}

/** With nothing spent; `work` is where it is counted. */
export function workBudgets({ receiving, answering, proving }: WorkBudgetLimits, work: NetworkCounts['work'], nowMs: number): WorkBudgets {
  const spare = new SpareTime(nowMs);
  return {
    receiving: new WorkBudget(receiving, nowMs),
    answering: new WorkBudget(answering, nowMs),
    proving: new WorkBudget(proving, nowMs),
    prices: new WorkPrices(work, spare),
    spare,
  };
}

/** What a part of an answer takes that was built in so many milliseconds and has so many bytes. */
export function answerMs(builtMs: number, bytes: number): number {
  return builtMs + bytes * BYTE_MS;
}

/** What was charged for a message, so that it can be given back when the message was worth it. */
export interface Receipt {
  ms: number;
}

/** What a peer may cost: measured time, paid by who sends or who asks. Whoever has no credit waits. */
export class PeerCredit {
  readonly #receiving: WorkAccount;
  readonly #answering: WorkAccount;
  readonly #proving: WorkAccount;
  readonly #prices: WorkPrices;
  readonly #bundles: Bucket;
  readonly #statuses: Bucket;

  /** `group` is that of its address; undefined for whom the operator has chosen. */
  constructor({ receiving, answering, proving, prices }: WorkBudgets, group: string | undefined, nowMs: number) {
    this.#receiving = receiving.open(group, nowMs);
    this.#answering = answering.open(group, nowMs);
    this.#proving = proving.open(group, nowMs);
    this.#prices = prices;
    this.#bundles = new Bucket(BUNDLE_BYTES_PER_SECOND, BUNDLES_DEEP_SECONDS, nowMs);
    this.#statuses = new Bucket(STATUSES_PER_SECOND, STATUSES_DEEP_SECONDS, nowMs);
  }

  /** Bytes have come in one piece, whatever is in them. */
  chargePiece(bytes: number, nowMs: number): void {
    const ms = PIECE_MS + bytes * BYTE_MS;
    this.#prices.note('link', ms, nowMs);
    this.#receiving.owe(ms, nowMs);
  }

  /** So long it took to read something that is no known message, or not all of one. */
  chargeFrame(ms: number, nowMs: number): void {
    this.#prices.note('frame', ms, nowMs);
    this.#receiving.owe(ms, nowMs);
  }

  /** A message took so long; answers what was charged. What we have asked for costs its sender nothing. */
  charge(form: MessageForm, ms: number, wasAsked: boolean, nowMs: number): number {
    // The price of a question is that of its answer.
    if (form.price.payer !== 'asker') this.#prices.learn(form, ms);
    this.#prices.note(form.name, ms, nowMs);
    const charged = form.price.payer === 'us' && wasAsked ? 0 : ms;
    this.#receiving.owe(charged, nowMs);
    return charged;
  }

  /** What it sent was worth it. */
  giveBack(receipt: Receipt, nowMs: number): void {
    this.#receiving.owe(-receipt.ms, nowMs);
    receipt.ms = 0;
  }

  /** A part of an answer to it took so long, TLS included. */
  chargeAnswer(ms: number, nowMs: number): void {
    this.#answering.owe(ms, nowMs);
  }

  /** How long nothing more is read of it. */
  readingWaitMs(nowMs: number): number {
    return this.#receiving.waitMs(0, nowMs);
  }

  /** How long it waits for an answer to a question of that price. */
  answeringWaitMs(ms: number, nowMs: number): number {
    return this.#answering.waitMs(ms, nowMs);
  }

  /** Whether a status is news: more than one a second are not looked at. */
  takeStatus(nowMs: number): boolean {
    return this.#statuses.take(1, nowMs);
  }

  /** Whether there is credit for a bundle, pushed or to be asked for; then it is spent. */
  takeBundle(bytes: number, nowMs: number): boolean {
    return this.#proving.waitMs(0, nowMs) === 0 && this.#bundles.take(bytes, nowMs);
  }

  /** It was longer than was said, or, with a negative count, all that was in it was worth its bytes. */
  oweBundle(bytes: number, nowMs: number): void {
    this.#bundles.owe(bytes, nowMs);
  }

  /** So many of its transactions, well signed or not, were refused. */
  chargeRefused(transactions: number, nowMs: number): void {
    this.#proving.owe(transactions * REFUSED_TRANSACTION_MS, nowMs);
  }

  /** It is gone. */
  close(): void {
    for (const account of [this.#receiving, this.#answering, this.#proving]) account.close();
  }
}
