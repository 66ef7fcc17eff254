import type { Clock } from '../../base/clock.ts';
import { Refusal, refusalBy } from '../../base/refusal.ts';
import { refuseBroadcast } from '../../rpc/broadcast_refusals.ts';
import { batchNumberOf, type Asker, type Batch } from './batch_queue.ts';
import type { ChainGap, ChainUpdate } from '../feed/chain_feed.ts';
import type { VerifierReport } from './verifier_report.ts';
import { receivedRefusal, type Verdict } from './verdicts.ts';

const ID_BYTES = 20;
/** A few milliseconds of look-ups, after which other work is done. */
const LOOKED_UP_AT_ONCE = 500;

/** Where transactions are. */
export interface Places {
  /** The place in the committed chain; undefined when no block has it. */
  locate(id: string): { readonly number: number; readonly index: number } | undefined;
  /** Those that neither wait for a block nor are in one. */
  lost(ids: readonly string[]): Promise<readonly string[]>;
}

type Place = { readonly number: number; readonly index: number; readonly expired: boolean };

/** How waiting for a block ends: with a place, or with the reason why no block will have it. */
type End = Place | { readonly refusal: Error };

/** Reasons for which a transaction is dropped that mean that its time is over. */
const EXPIRED: ReadonlySet<string> = new Set(['transaction_expired', 'expires_too_soon']);

/** A broadcast that can't be answered yet although the writer has decided on it. */
interface Held {
  readonly verdict: Verdict;
  /** How it ended, when that was known before the verifier's report. */
  end: End | undefined;
}

/** Callers whose broadcasts are under way, and those that wait for a block: who is told what, once all of it is known. */
export class BroadcastAnswers {
  readonly #clock: Clock;
  readonly #decided: (batch: number) => void;
  /** Batches with unanswered callers, by batch number. */
  readonly #batches = new Map<number, Batch>();
  readonly #held = new Map<number, Held>();
  /** Tickets of accepted transactions that are in no block yet, by transaction id: any number may wait for one. */
  readonly #parked = new Map<string, Set<number>>();
  #parkedTickets = 0;
  #unanswered = 0;
  /** The number of the head, as far as it was told. */
  #head = 0;

  /** `decided` hears of each broadcast that verifier or writer has decided on. */
  constructor(clock: Clock, decided: (batch: number) => void) {
    this.#clock = clock;
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

  /** Whether a batch of that number has unanswered callers. */
  has(number: number): boolean {
    return this.#batches.has(number);
  }

  /** One more broadcast of a batch. */
  begin(batch: Batch): void {
    if (batch.length === 1) this.#batches.set(batch.number, batch);
    this.#unanswered++;
  }

  /** A verifier has told what it found out about a batch. */
  takeReport(batch: Batch, { waiting, refused, misled }: VerifierReport): void {
    batch.report(waiting);
    for (const ticket of misled) batch.askerOf(ticket)?.noteWrongHint?.();
    for (const { ticket, refusal } of refused) {
      this.#decided(batch.number);
      this.#refuse(batch, ticket, receivedRefusal(refusal));
    }
    if (batch.heldVerdicts === 0) return;
    for (let ticket = batch.firstTicket; ticket < batch.firstTicket + batch.length; ticket++) {
      const held = this.#held.get(ticket);
      if (held !== undefined) this.#resolve(batch, held.verdict, held.end);
    }
  }

  /** The writer has decided on a broadcast. */
  takeVerdict(verdict: Verdict): void {
    const { ticket } = verdict;
    const number = batchNumberOf(ticket);
    const batch = this.#batches.get(number);
    this.#decided(number);
    if (batch?.isOpen(ticket) !== true) return;
    if (batch.isReported) return this.#resolve(batch, verdict, undefined);
    // The verdict arrived before the verifier's report.
    batch.heldVerdicts++;
    this.#hold(verdict);
  }

  /** Blocks are committed: answers the callers that wait for their transactions, and those whose transactions have expired. */
  takeUpdate({ applied, head }: ChainUpdate): void {
    this.#head = head.number;
    if (this.#parked.size === 0) return;
    for (const { number, transactionIds } of applied) {
      const ids = Buffer.from(transactionIds.buffer, transactionIds.byteOffset, transactionIds.byteLength);
      for (let index = 0; index * ID_BYTES < ids.length; index++) {
        this.#unpark(ids.toString('hex', index * ID_BYTES, (index + 1) * ID_BYTES), { number, index, expired: false });
      }
    }
    this.#expire(head);
  }

  /** More was committed than the feed could report; what was undone may have been a block that was never told of. */
  takeGap({ head }: ChainGap, places: Places): void {
    this.#head = head.number;
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
      else this.#expire(head);
      void this.#giveUpLost(elsewhere, places);
    };
    lookUp();
  }

  /** What the writer doesn't answer any more, the end of the node does. */
  async #giveUpLost(ids: readonly string[], { lost }: Places): Promise<void> {
    if (ids.length === 0) return;
    const gone = await lost(ids).catch(() => []);
    for (const id of gone) this.#unpark(id, { refusal: refusalBy(() => refuseBroadcast.dropped({ id })) });
  }

  /** Accepted transactions wait no longer without being in a block; each with its reason. */
  takeDropped(dropped: readonly Verdict[]): void {
    for (const { id, refusal } of dropped) {
      if (refusal === undefined || !this.#parked.has(id)) continue;
      const isLate = EXPIRED.has(refusal.code);
      this.#unpark(id, isLate ? { number: this.#head, index: -1, expired: true } : { refusal: receivedRefusal(refusal) });
    }
  }

  #expire({ number, time }: ChainUpdate['head']): void {
    for (const [id, [first = -1]] of this.#parked) {
      const expiration = this.#held.get(first)?.verdict.expiration ?? 0;
      if (expiration < time) this.#unpark(id, { number, index: -1, expired: true });
    }
  }

  /** Nobody will get another answer. */
  refuseEverything(error: unknown): void {
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
    for (const ticket of tickets) {
      const held = this.#held.get(ticket);
      const batch = this.#batches.get(batchNumberOf(ticket));
      if (held === undefined || batch === undefined) continue;
      if (batch.isReported) this.#resolve(batch, held.verdict, end);
      else held.end = end;
    }
  }

  /** Answers once the verifier's report and the writer's verdict are there, and the block too where the caller waits for it. */
  #resolve(batch: Batch, verdict: Verdict, end: End | undefined): void {
    const { ticket, id, refusal, isPending } = verdict;
    const transaction = batch.awaited(ticket);
    const waits = transaction !== undefined;
    const joins = waits && isPending === true && batch.askerOf(ticket)?.joins === true;
    if (refusal !== undefined && !joins) return this.#refuse(batch, ticket, receivedRefusal(refusal));
    if (waits && end === undefined) return this.#hold(verdict);
    if (waits && end !== undefined && 'refusal' in end) return this.#refuse(batch, ticket, end.refusal);
    const block = end === undefined || 'refusal' in end ? undefined : end;
    const asker = this.#answered(batch, ticket);
    if (asker === undefined) return;
    this.count('accepted');
    asker.resolve({
      transactionId: id,
      blockNumber: block?.number ?? 0,
      transactionNumber: block?.index ?? -1,
      expired: block?.expired ?? false,
      transaction: transaction ?? '',
    });
  }

  #refuse(batch: Batch, ticket: number, error: unknown): void {
    const asker = this.#answered(batch, ticket);
    if (asker === undefined) return;
    this.count(error instanceof Refusal ? error.code : 'fault');
    asker.reject(error);
  }

  /** All of a batch that have no answer. */
  refuseAll(batch: Batch, error: unknown): void {
    for (let ticket = batch.firstTicket; ticket < batch.firstTicket + batch.length; ticket++) this.#refuse(batch, ticket, error);
  }

  /** Removes a broadcast from all lists; undefined when it has already been answered. */
  #answered(batch: Batch, ticket: number): Asker | undefined {
    const asker = batch.close(ticket);
    if (asker === undefined) return undefined;
    this.#unanswered--;
    if (batch.isAnswered) this.#batches.delete(batch.number);
    const held = this.#held.size === 0 ? undefined : this.#held.get(ticket);
    if (held === undefined) return asker;
    this.#held.delete(ticket);
    const tickets = this.#parked.get(held.verdict.id);
    if (tickets?.delete(ticket) === true) this.#parkedTickets--;
    if (tickets?.size === 0) this.#parked.delete(held.verdict.id);
    return asker;
  }

  /** Codes are constants in our sources, so the map stays small. */
  count(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}
