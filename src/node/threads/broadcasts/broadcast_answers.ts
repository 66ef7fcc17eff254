import type { Clock } from '../../../base/clock.ts';
import { Refusal, expectRefusal } from '../../../base/refusal.ts';
import { dropDetails, refuseBroadcast } from '../../../rpc/broadcast_refusals.ts';
import { batchNumber, type Batch } from './batch_queue.ts';
import type { Caller } from './caller.ts';
import type { BroadcastTrace } from '../../../tracing/broadcast_trace.ts';
import type { ChainGap, ChainUpdate, FeedHead } from '../../../feed/chain_feed.ts';
import { ID_BYTES, getBlockNumber } from '../../../values/hash.ts';
import type { Seconds } from '../../../values/time.ts';
import type { VerifierReport } from '../../../verifiers/verifier_report.ts';
import { receivedRefusal } from '../../../system/sent_refusal.ts';
import { OUTCOME } from '../../../verifiers/bundle_outcomes.ts';
import type { BundleVerdicts, Verdict } from '../../../verifiers/verdicts.ts';

/** A few milliseconds of look-ups, after which other work is done. */
const LOOKED_UP_AT_ONCE = 500;

/** Finds the places of transactions. */
export interface Places {
  /** The place in the committed chain; undefined when no block has it. */
  locate(id: string): { readonly number: number; readonly index: number } | undefined;
  /** Those that neither wait for a block nor are in one. */
  lost(ids: readonly string[]): Promise<readonly string[]>;
  /** The time of the last irreversible block, where that is known. */
  finalTime(): Seconds | undefined;
}

interface Place {
  readonly number: number;
  readonly index: number;
  readonly expired: boolean;
  /** No fork takes it back. */
  readonly isFinal?: true;
}

/** Of a caller who does not wait for a block. */
const UNPLACED: Place = { number: 0, index: -1, expired: false };

/** The end of waiting: a place, or the reason why there is none to wait for. */
type End = Place | { readonly refusal: Error };

/** Limits of those that wait until their block is final. */
export interface FinalityLimits {
  /** The limit of callers in all: while finality stands still, callers that wait for a block must still find room. */
  readonly waitingForFinality: number;
  /** The time that each waits behind its block. */
  readonly finalityMs: number;
}

/** As long as a client waits for the answer to an order (client/call_limits.ts `CHANGE_MS`). */
export const FINALITY_MS = 600_000;

/** Callers that wait until the block of their transaction is final. */
interface Unfinal {
  readonly place: Place;
  readonly tickets: Set<number>;
  /** When its block came, by the elapsed time. */
  readonly sinceMs: number;
}

/** Reasons for which a transaction is dropped that mean that its time is over. */
const EXPIRED: ReadonlySet<string> = new Set(['transaction_expired', 'expires_too_soon']);

/** A broadcast that can't be answered yet although the writer has decided on it. */
interface Held {
  readonly verdict: Verdict;
  /** Its end, when that was known before the verifier's report. */
  end: End | undefined;
}

/**
 * Callers whose broadcasts are under way, and those that wait for a block or its finality: who is told what, once all
 * of it is known.
 */
export class BroadcastAnswers {
  readonly #clock: Clock;
  readonly #decided: (batch: number, count?: number) => void;
  /** Batches with unanswered callers, by batch number. */
  readonly #batches = new Map<number, Batch>();
  readonly #held = new Map<number, Held>();
  /** Tickets of accepted transactions that are in no block yet, by transaction id: any number may wait for one. */
  readonly #parked = new Map<string, Set<number>>();
  #parkedTickets = 0;
  /** Tickets of transactions whose blocks are not final yet, by transaction id, in the order of their blocks. */
  readonly #unfinal = new Map<string, Unfinal>();
  #unfinalTickets = 0;
  #cancelGivingUp: (() => void) | undefined;
  #places: Places | undefined;
  readonly #limits: FinalityLimits;
  #unanswered = 0;
  /** The head, as far as it was told. */
  #head: Pick<FeedHead, 'number' | 'time' | 'irreversible'> = { number: 0, time: 0, irreversible: 0 };

  /** `decided` hears how many broadcasts of a batch the verifier or the writer has decided on, one by default. */
  constructor(clock: Clock, limits: FinalityLimits, decided: (batch: number, count?: number) => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#decided = decided;
  }

  /** Counts of final answers by outcome: `accepted`, or the code of the refusal. */
  readonly outcomes = new Map<string, number>();

  /** The number of accepted broadcasts that wait for a block. */
  get parked(): number {
    return this.#parkedTickets;
  }

  /** The number of broadcasts without a final answer. */
  get size(): number {
    return this.#unanswered;
  }

  /** Returns whether a batch of that number has unanswered callers. */
  has(number: number): boolean {
    return this.#batches.has(number);
  }

  /** The last `count` broadcasts of a batch have been added to it. */
  begin(batch: Batch, count = 1): void {
    if (batch.length === count) this.#batches.set(batch.number, batch);
    this.#unanswered += count;
  }

  /** A verifier has told what it found out about a batch. */
  takeReport(batch: Batch, { told, refused, misled }: VerifierReport): void {
    batch.report(told);
    for (const ticket of misled) batch.noteWrongHint(ticket);
    for (const { ticket, refusal } of refused) {
      this.#decided(batch.number);
      this.#refuse(batch, ticket, receivedRefusal(refusal));
    }
    this.#endReport(batch);
    if (batch.heldVerdicts === 0) return;
    for (let ticket = batch.firstTicket; ticket < batch.firstTicket + batch.length; ticket++) {
      const held = this.#held.get(ticket);
      if (held !== undefined) this.#resolve(batch, held.verdict, held.end);
    }
  }

  /** Nothing more will be said about the batch's bundles but the writer's verdicts. */
  #endReport(batch: Batch): void {
    batch.reportBundles();
    if (batch.isAnswered) this.#batches.delete(batch.number);
  }

  /** The writer has decided on transactions of bundles. */
  takeBundled({ firstTicket, outcomes }: BundleVerdicts): void {
    const number = batchNumber(firstTicket);
    const batch = this.#batches.get(number);
    this.#decided(number, outcomes.length);
    if (batch === undefined) return;
    let accepted = 0;
    let known = 0;
    for (let index = 0; index < outcomes.length; index++) {
      const outcome = outcomes[index] ?? OUTCOME.known;
      if (!batch.decideBundled(firstTicket + index, outcome)) continue;
      if (outcome === OUTCOME.accepted) accepted++;
      else known++;
    }
    this.#unanswered -= accepted + known;
    this.count('accepted', accepted);
    this.count('duplicate_transaction', known);
    if (batch.isAnswered) this.#batches.delete(number);
  }

  /** The writer has decided on a broadcast. */
  takeVerdict(verdict: Verdict, beganMs?: number): void {
    const { ticket } = verdict;
    const number = batchNumber(ticket);
    const batch = this.#batches.get(number);
    this.#decided(number);
    if (batch?.isOpen(ticket) !== true) return;
    if (batch.traces !== undefined)
      this.#traceTicket(ticket)?.decided(beganMs, verdict.refusal !== undefined && verdict.isPending !== true);
    if (batch.isReported) return this.#resolve(batch, verdict, undefined);
    // The verdict arrived before the verifier's report.
    batch.heldVerdicts++;
    this.#hold(verdict);
  }

  /**
   * Blocks are committed, or became final: answers the callers that wait for that, and those whose transactions have
   * expired. An update may have no block.
   */
  takeUpdate({ undone, applied, head }: ChainUpdate, places: Places): void {
    this.#head = head;
    this.#places = places;
    if (this.#parked.size + this.#unfinal.size === 0) return;
    const unplaced = undone[0] === undefined ? [] : this.#unplaceFrom(getBlockNumber(undone[0]));
    for (const { number, transactionIds } of applied) {
      const ids = Buffer.from(transactionIds.buffer, transactionIds.byteOffset, transactionIds.byteLength);
      for (let index = 0; index * ID_BYTES < ids.length; index++) {
        this.#unpark(ids.toString('hex', index * ID_BYTES, (index + 1) * ID_BYTES), { number, index, expired: false });
      }
    }
    this.#settle(places);
    void this.#giveUpLost(
      unplaced.filter((id) => this.#parked.has(id)),
      places,
    );
  }

  /** More was committed than the feed could report; what was undone may have been a block that was never told of. */
  takeGap({ keptNumber, head }: ChainGap, places: Places): void {
    this.#head = head;
    this.#places = places;
    this.#unplaceFrom(keptNumber + 1);
    const waiting = [...this.#parked.keys()];
    const lookUp = (): void => {
      const some = waiting.splice(0, LOOKED_UP_AT_ONCE).filter((id) => this.#parked.has(id));
      const elsewhere: string[] = [];
      for (const id of some) {
        const place = places.locate(id);
        if (place === undefined) elsewhere.push(id);
        else this.#unpark(id, { ...place, expired: false });
      }
      if (waiting.length > 0) this.#clock.after(0, lookUp);
      else this.#settle(places);
      void this.#giveUpLost(elsewhere, places);
    };
    lookUp();
  }

  /** The end of the node ends calls that the writer doesn't answer any more. */
  async #giveUpLost(ids: readonly string[], places: Places): Promise<void> {
    if (ids.length === 0) return;
    const gone = await places.lost(ids).catch(() => []);
    for (const id of gone) this.#endParked(id, () => expectRefusal(() => refuseBroadcast.dropped({ id })), false);
  }

  /** Accepted transactions wait no longer without being in a block; each with its reason. */
  takeDropped(dropped: readonly Verdict[]): void {
    for (const { id, refusal } of dropped) {
      if (refusal === undefined) continue;
      // A block that had it was undone before.
      this.#unplace(id);
      const reason = (): Error => receivedRefusal({ ...refusal, details: dropDetails(id, refusal) });
      this.#endParked(id, reason, EXPIRED.has(refusal.code));
    }
  }

  /**
   * No block of the main branch will have it by this node. Callers that wait for finality learn of an expiration once
   * that is final, too.
   */
  #endParked(id: string, reason: () => Error, isExpired: boolean): void {
    if (!this.#parked.has(id)) return;
    const hasExpired = isExpired || this.#parkedExpiration(id) < this.#head.time;
    if (hasExpired) this.#expire(id);
    else this.#unpark(id, { refusal: reason() });
  }

  #parkedExpiration(id: string): Seconds {
    const [first = -1] = this.#parked.get(id) ?? [];
    return this.#held.get(first)?.verdict.expiration ?? 0;
  }

  /** Those whose blocks are final now, and those whose time is over. */
  #settle(places: Places): void {
    const { number, time } = this.#head;
    for (const id of this.#unfinal.keys()) this.#finishFinal(id, places);
    let finalTime: Seconds | undefined;
    for (const id of this.#parked.keys()) {
      const expiration = this.#parkedExpiration(id);
      if (expiration >= time) continue;
      this.#expire(id);
      if (!this.#parked.has(id)) continue;
      finalTime ??= places.finalTime() ?? 0;
      // On any branch, a block takes what expires after the block before it. One that has it may be written and not
      // told of yet.
      if (expiration <= finalTime && places.locate(id) === undefined)
        this.#unpark(id, { number, index: -1, expired: true, isFinal: true });
    }
    this.#giveUpLate();
  }

  /**
   * A final place is read from the chain once more: the block may have been undone before the verifier's report was
   * there.
   */
  #finishFinal(id: string, places: Places): void {
    const { place } = this.#unfinal.get(id) ?? {};
    if (place === undefined || place.number > this.#head.irreversible) return;
    const found = places.locate(id);
    if (found?.number === place.number) return this.#finish(id, { ...place, isFinal: true });
    this.#unplace(id);
    if (found === undefined) void this.#giveUpLost([id], places);
    else this.#unpark(id, { ...found, expired: false });
  }

  /** Nobody will get another answer. */
  refuseEverything(error: unknown): void {
    this.#cancelGivingUp?.();
    this.#cancelGivingUp = undefined;
    for (const batch of [...this.#batches.values()]) this.refuseAll(batch, error);
  }

  /** Keeps a verdict; an accepted transaction can get into a block from now on. */
  #hold(verdict: Verdict): void {
    const { ticket, id, refusal, isPending } = verdict;
    this.#held.set(ticket, { verdict, end: undefined });
    if (refusal !== undefined && isPending !== true) return;
    const tickets = this.#parked.get(id) ?? new Set();
    if (tickets.has(ticket)) return;
    this.#parked.set(id, tickets.add(ticket));
    this.#parkedTickets++;
  }

  #unpark(id: string, end: End): void {
    const tickets = this.#parked.get(id);
    if (tickets === undefined) return;
    this.#parked.delete(id);
    this.#parkedTickets -= tickets.size;
    for (const ticket of tickets) this.#end(ticket, end);
  }

  /** The chain's time is past the expiration: callers that wait for a block learn it at once, the others wait on. */
  #expire(id: string): void {
    const end = { number: this.#head.number, index: -1, expired: true };
    for (const ticket of [...(this.#parked.get(id) ?? [])]) this.#end(ticket, end);
  }

  #end(ticket: number, end: End): void {
    const held = this.#held.get(ticket);
    const batch = this.#batches.get(batchNumber(ticket));
    if (held === undefined || batch === undefined) return;
    if (batch.isReported) this.#resolve(batch, held.verdict, end);
    else held.end = end;
  }

  /**
   * Blocks from that number on are undone: callers that wait for their finality wait for a block again. Returns the
   * transactions.
   */
  #unplaceFrom(number: number): string[] {
    const undone = [...this.#unfinal].filter(([, { place }]) => place.number >= number).map(([id]) => id);
    for (const id of undone) this.#unplace(id);
    return undone;
  }

  #unplace(id: string): void {
    const unfinal = this.#unfinal.get(id);
    if (unfinal === undefined) return;
    this.#removeUnfinal(id, unfinal);
    const tickets = this.#parked.get(id) ?? new Set();
    for (const ticket of unfinal.tickets) {
      tickets.add(ticket);
      this.#traceTicket(ticket)?.displaced();
    }
    this.#parked.set(id, tickets);
    this.#parkedTickets += unfinal.tickets.size;
  }

  /** Waits on, now for the finality of its block. */
  #awaitFinality(verdict: Verdict, place: Place): void {
    const { ticket, id } = verdict;
    this.#held.set(ticket, { verdict, end: place });
    this.#traceTicket(ticket)?.placed(place.number);
    const unfinal = this.#unfinal.get(id) ?? { place, tickets: new Set(), sinceMs: this.#clock.elapsedMs() };
    this.#unfinal.set(id, { ...unfinal, tickets: unfinal.tickets.add(ticket) });
    this.#unfinalTickets++;
    this.#cancelGivingUp ??= this.#clock.after(this.#limits.finalityMs, () => this.#giveUpLate(), false);
    // Its block was told of before the verifier's report.
    if (this.#places !== undefined) this.#finishFinal(id, this.#places);
  }

  /** Ends the oldest that have waited too long for finality, or are too many. */
  #giveUpLate(): void {
    const { waitingForFinality, finalityMs } = this.#limits;
    this.#cancelGivingUp?.();
    this.#cancelGivingUp = undefined;
    const nowMs = this.#clock.elapsedMs();
    for (const [id, { place, sinceMs }] of this.#unfinal) {
      const leftMs = sinceMs + finalityMs - nowMs;
      if (leftMs > 0 && this.#unfinalTickets <= waitingForFinality) {
        this.#cancelGivingUp = this.#clock.after(leftMs, () => this.#giveUpLate(), false);
        return;
      }
      this.#finish(id, { refusal: expectRefusal(() => refuseBroadcast.not_final({ id, block_num: place.number })) });
    }
  }

  /** Answers those that wait for the finality of a block. */
  #finish(id: string, end: End): void {
    const unfinal = this.#unfinal.get(id);
    if (unfinal === undefined) return;
    this.#removeUnfinal(id, unfinal);
    for (const ticket of unfinal.tickets) this.#end(ticket, end);
  }

  #removeUnfinal(id: string, { tickets }: Unfinal): void {
    this.#unfinal.delete(id);
    this.#unfinalTickets -= tickets.size;
  }

  /**
   * Answers once the verifier's report and the writer's verdict are there, and the block or its finality too where the
   * caller waits for it.
   */
  #resolve(batch: Batch, verdict: Verdict, end: End | undefined): void {
    const { ticket, id, refusal, isPending } = verdict;
    const { waitFor, transaction } = batch.told(ticket);
    const waits = waitFor !== 'accepted';
    const joins = waits && isPending === true && batch.callerOf(ticket)?.joins === true;
    if (refusal !== undefined && !joins) return this.#refuse(batch, ticket, receivedRefusal(refusal));
    if (waits && end === undefined) return this.#hold(verdict);
    if (waits && end !== undefined && 'refusal' in end) return this.#refuse(batch, ticket, end.refusal);
    const place = waits && end !== undefined && !('refusal' in end) ? end : undefined;
    if (waitFor === 'final' && place !== undefined && place.isFinal !== true)
      return place.expired ? this.#hold(verdict) : this.#awaitFinality(verdict, place);
    const caller = this.#answered(batch, ticket);
    if (caller !== undefined) this.#accept(caller, { ticket, id, transaction }, place);
  }

  #accept(
    caller: Caller,
    { ticket, id, transaction }: { readonly ticket: number; readonly id: string; readonly transaction: string },
    { number, index, expired }: Place = UNPLACED,
  ): void {
    this.count('accepted');
    caller.trace?.ended({ blockNumber: number, refusal: undefined });
    const outcome = { transactionId: id, blockNumber: number, transactionNumber: index, expired, transaction };
    caller.resolve(outcome, ticket);
  }

  #traceTicket(ticket: number): BroadcastTrace | undefined {
    const batch = this.#batches.get(batchNumber(ticket));
    return batch?.traces && batch.callerOf(ticket)?.trace;
  }

  #refuse(batch: Batch, ticket: number, error: unknown): void {
    const caller = this.#answered(batch, ticket);
    if (caller === undefined) return;
    const code = error instanceof Refusal ? error.code : 'fault';
    this.count(code);
    caller.trace?.ended({ blockNumber: 0, refusal: code });
    caller.reject(error, ticket);
  }

  /** All of a batch that have no answer. */
  refuseAll(batch: Batch, error: unknown): void {
    for (let ticket = batch.firstTicket; ticket < batch.firstTicket + batch.length; ticket++)
      this.#refuse(batch, ticket, error);
    batch.giveUpBundles();
    this.#batches.delete(batch.number);
  }

  /** Removes a broadcast from all lists; undefined when it has already been answered. */
  #answered(batch: Batch, ticket: number): Caller | undefined {
    const caller = batch.close(ticket);
    if (caller === undefined) return undefined;
    this.#unanswered--;
    if (batch.isAnswered) this.#batches.delete(batch.number);
    const held = this.#held.size === 0 ? undefined : this.#held.get(ticket);
    if (held === undefined) return caller;
    this.#held.delete(ticket);
    const { id } = held.verdict;
    const tickets = this.#parked.get(id);
    if (tickets?.delete(ticket) === true) this.#parkedTickets--;
    if (tickets?.size === 0) this.#parked.delete(id);
    const unfinal = this.#unfinal.get(id);
    if (unfinal?.tickets.delete(ticket) === true) this.#unfinalTickets--;
    if (unfinal?.tickets.size === 0) this.#unfinal.delete(id);
    return caller;
  }

  /** Codes are constants in our sources, so the map stays small. */
  count(outcome: string, times = 1): void {
    if (times > 0) this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + times);
  }
}
