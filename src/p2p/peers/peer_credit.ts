import { addressGroup } from '../../wire/addresses.ts';
import { Bucket } from './bucket.ts';
import type { MessageForm } from '../../wire/message_kind.ts';
import type { NetworkCounts } from './network_counts.ts';
import type { WorkBudgetLimits } from './network_settings.ts';
import { SpareTime } from './spare_time.ts';
import { WorkBudget, type WorkAccount } from './work_budget.ts';
import { workCost, WorkPrices } from './work_prices.ts';

const STATUSES_PER_SECOND = 1;
const STATUSES_DEEP_SECONDS = 60;
/** Bytes of transactions a second from one peer. Bytes that the chain accepts are given back. */
const BUNDLE_BYTES_PER_SECOND = 2 * 1024 * 1024;
const BUNDLES_DEEP_SECONDS = 4;
/**
 * The cost of TLS, the kernel and the metering itself, which cannot be measured here: of a piece, and of each byte in
 * or out.
 */
const PIECE_MS = 0.012;
const BYTE_MS = 1.4e-6;
/**
 * The cost of waking the thread for a piece, beyond what `WITH_UNMEASURED` covers. A ping that came alone took 63 to 75
 * µs of CPU, of which 8 to 11 are measured. Honest peers send many small pieces, so it is no more.
 */
const WAKE_MS = 0.02;
/**
 * The cost of a pause in reading: a timer, two changes of the socket and code that seldom runs. It took 150 to 200 µs
 * of CPU, of which 8 to 10 are measured.
 */
const STOP_MS = 0.15;
/** A record of TLS: what comes as asked for has no more pieces than that. */
const RECORD_BYTES = 16 * 1024;
/** A record of 27 bytes with new keys for TLS takes 60 µs where it comes alone; honest peers send next to none. */
const EMPTY_BYTE_MS = 2e-3;
/** Pieces that come together follow each other faster. */
const AWAKE_MS = 0.05;
/** The cost of a handshake, 0.6 to 1.1 ms of CPU, and of a connection that is dropped before it, 66 to 94 µs. */
const HANDSHAKE_MS = 1;
const DROPPED_MS = 0.08;
/** The cost of a refused transaction for the verifiers and the writer. */
const REFUSED_TRANSACTION_MS = 0.1;

/** The budgets of strangers for each kind of work. */
export interface WorkBudgets {
  /** Reading what they send, and what follows from it. */
  readonly receiving: WorkBudget;
  /** Answers to their questions. */
  readonly answering: WorkBudget;
  /** Transactions that the chain refuses. */
  readonly verifying: WorkBudget;
  readonly prices: WorkPrices;
  /** Spare time for a peer that waits alone. */
  readonly spare: SpareTime;
}

/** With nothing spent; `work` is where it is counted. */
export function workBudgets(
  { receiving, answering, verifying: proving }: WorkBudgetLimits,
  work: NetworkCounts['work'],
  nowMs: number,
): WorkBudgets {
  const spare = new SpareTime(nowMs);
  return {
    receiving: new WorkBudget(receiving, nowMs),
    answering: new WorkBudget(answering, nowMs),
    verifying: new WorkBudget(proving, nowMs),
    prices: new WorkPrices(work, spare),
    spare,
  };
}

/** Returns the cost of a part of an answer: the time to build it and the bytes to send. */
export function answerMs(builtMs: number, bytes: number): number {
  return builtMs + bytes * BYTE_MS;
}

/**
 * Charges a new connection, whether it has a place or was dropped. A newcomer that is let in doesn't begin in debt, but
 * the debt of repeated connections stays with the address group.
 */
export function chargeArrival(
  { receiving, prices }: WorkBudgets,
  host: string,
  place: { readonly isKnown: boolean } | undefined,
  nowMs: number,
): void {
  if (place === undefined)
    return receiving.oweGroup(addressGroup(host), prices.noteLink('dropped', DROPPED_MS, nowMs), nowMs);
  const ms = prices.noteLink('handshake', HANDSHAKE_MS, nowMs);
  if (!place.isKnown) receiving.oweAll(ms, nowMs);
}

/** Returns the cost of carrying these bytes in as few pieces as possible. */
function carriedMs(bytes: number): number {
  return bytes * BYTE_MS + Math.trunc(bytes / RECORD_BYTES) * PIECE_MS;
}

/** The charge for a message, which is given back when the message was useful. */
export interface Receipt {
  ms: number;
}

/** The credit of a peer in measured time, paid by the sender or by the asker. A peer without credit waits. */
export class PeerCredit {
  readonly #receiving: WorkAccount;
  readonly #answering: WorkAccount;
  readonly #verifying: WorkAccount;
  readonly #prices: WorkPrices;
  readonly #bundles: Bucket;
  readonly #statuses: Bucket;
  /**
   * Charged for the last piece, until a message is read of it. Of a message in many pieces the others are its sender's
   * choice.
   */
  #pieceMs = 0;

  /** `group` is that of its address; undefined for whom the operator has chosen. */
  constructor(
    { receiving, answering, verifying: proving, prices }: WorkBudgets,
    group: string | undefined,
    nowMs: number,
  ) {
    this.#receiving = receiving.open(group, nowMs);
    this.#answering = answering.open(group, nowMs);
    this.#verifying = proving.open(group, nowMs);
    this.#prices = prices;
    this.#bundles = new Bucket(BUNDLE_BYTES_PER_SECOND, BUNDLES_DEEP_SECONDS, nowMs);
    this.#statuses = new Bucket(STATUSES_PER_SECOND, STATUSES_DEEP_SECONDS, nowMs);
  }

  /** Bytes have come in one piece, whatever is in them. */
  chargePiece(bytes: number, nowMs: number): void {
    const usualMs = PIECE_MS + bytes * BYTE_MS + (nowMs - this.#prices.workedMs > AWAKE_MS ? WAKE_MS : 0);
    const ms = this.#prices.noteLink('link', usualMs, nowMs);
    this.#receiving.owe(ms, nowMs);
    this.#pieceMs = ms;
  }

  /** Bytes have come that no piece has explained. */
  chargeEmpty(bytes: number, nowMs: number): void {
    this.#receiving.owe(this.#prices.noteLink('link', bytes * EMPTY_BYTE_MS, nowMs), nowMs);
  }

  /** Nothing more is read of it for a while. */
  chargeStop(nowMs: number): void {
    this.#receiving.owe(this.#prices.noteLink('link', STOP_MS, nowMs), nowMs);
  }

  /** So long it took to read something that is no known message, or not all of one. */
  chargeFrame(ms: number, nowMs: number): void {
    this.#prices.note('frame', ms, nowMs);
    this.#receiving.owe(workCost(ms), nowMs);
  }

  /**
   * Charges the handling of a message and returns the charge, with that of its last piece. Answers to our own questions
   * cost their sender nothing.
   */
  charge(form: MessageForm, ms: number, bytes: number, wasAsked: boolean, nowMs: number): number {
    // The price of a question is that of its answer.
    if (form.price.payer !== 'asker') this.#prices.learn(form, ms);
    this.#prices.note(form.name, ms, nowMs);
    const isOurs = form.price.payer === 'us' && wasAsked;
    const charged = isOurs ? 0 : workCost(ms);
    this.#receiving.owe(isOurs ? -this.#prices.linkMs(carriedMs(bytes)) : charged, nowMs);
    const pieceMs = this.#pieceMs;
    this.#pieceMs = 0;
    return charged + pieceMs;
  }

  /** Gives the charge of a useful message back. */
  giveBack(receipt: Receipt, nowMs: number): void {
    this.#receiving.owe(-receipt.ms, nowMs);
    receipt.ms = 0;
  }

  /** A part of an answer to it took so long, TLS included. */
  chargeAnswer(ms: number, nowMs: number): void {
    this.#answering.owe(workCost(ms), nowMs);
  }

  /** Milliseconds until more is read from the peer. */
  readingWaitMs(nowMs: number): number {
    return this.#receiving.waitMs(0, nowMs);
  }

  /** Milliseconds until a question of that price is answered. */
  answeringWaitMs(ms: number, nowMs: number): number {
    return this.#answering.waitMs(workCost(ms), nowMs);
  }

  /** Returns whether a status is news: more than one a second are not looked at. */
  takeStatus(nowMs: number): boolean {
    return this.#statuses.take(1, nowMs);
  }

  /** Returns whether there is credit for a bundle, pushed or to be asked for; then it is spent. */
  takeBundle(bytes: number, nowMs: number): boolean {
    return this.#verifying.waitMs(0, nowMs) === 0 && this.#bundles.take(bytes, nowMs);
  }

  /** It was longer than was said, or, with a negative count, all that was in it was worth its bytes. */
  oweBundle(bytes: number, nowMs: number): void {
    this.#bundles.owe(bytes, nowMs);
  }

  /** Charges refused transactions, well signed or not. */
  chargeRefused(transactions: number, nowMs: number): void {
    this.#verifying.owe(transactions * REFUSED_TRANSACTION_MS, nowMs);
  }

  /** It is gone. */
  close(): void {
    for (const account of [this.#receiving, this.#answering, this.#verifying]) account.close();
  }
}
