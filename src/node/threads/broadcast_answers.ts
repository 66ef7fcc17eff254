import type { Clock } from '../../base/clock.ts';
import { Refusal, refusalBy } from '../../base/refusal.ts';
import { refuseBroadcast } from '../../rpc/broadcast_refusals.ts';
import { batchNumberOf, type Asker, type Batch } from './batch_queue.ts';
import type { ChainGap, ChainUpdate } from '../feed/chain_feed.ts';
import type { VerifierReport } from './verifier_report.ts';
import { receivedRefusal, type Verdict } from './verdicts.ts';

const alreadyWaitedFor = (id: string): Refusal => refusalBy(() => refuseBroadcast.already_waited_for({ id }));

const ID_BYTES = 20;
/** A few milliseconds of look-ups, after which other work is done. */
const LOOKED_UP_AT_ONCE = 500;

/** Finds the place of a transaction in the committed chain. */
export type Locate = (id: string) => { readonly number: number; readonly index: number } | undefined;

type Place = { readonly number: number; readonly index: number; readonly expired: boolean };

/** A broadcast that can't be answered yet although the writer has decided on it. */
interface Held {
  readonly verdict: Verdict;
  /** The block that contains it, when that arrived before the verifier's report. */
  block: Place | undefined;
}

/** Callers whose broadcasts are under way, and those that wait for a block: who is told what, once all of it is known. */
export class BroadcastAnswers {
  readonly #clock: Clock;
  readonly #decided: (batch: number) => void;
  /** Batches with unanswered callers, by batch number. */
  readonly #batches = new Map<number, Batch>();
  readonly #held = new Map<number, Held>();
  /** Tickets of accepted transactions that are in no block yet, by transaction id. */
  readonly #parked = new Map<string, number>();
  #unanswered = 0;

  /** `decided` hears of each broadcast that verifier or writer has decided on. */
  constructor(clock: Clock, decided: (batch: number) => void) {
    this.#clock = clock;
    this.#decided = decided;
  }

  /** Counts of final answers by outcome: `accepted`, or the code of the refusal. */
  readonly outcomes = new Map<string, number>();

  /** The number of accepted broadcasts that wait for a block. */
  get parked(): number {
    return this.#parked.size;
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
      if (held !== undefined) this.#resolve(batch, held.verdict, held.block);
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
    if (this.#parked.size === 0) return;
    for (const { number, transactionIds } of applied) {
      const ids = Buffer.from(transactionIds.buffer, transactionIds.byteOffset, transactionIds.byteLength);
      for (let index = 0; index * ID_BYTES < ids.length; index++) {
        this.#unpark(ids.toString('hex', index * ID_BYTES, (index + 1) * ID_BYTES), { number, index, expired: false });
      }
    }
    this.#expire(head);
  }

  /** More was committed than the feed could report: `locate` finds the current place of a transaction, undefined for one in no block. */
  takeGap({ head }: ChainGap, locate: Locate): void {
    const waiting = [...this.#parked.keys()];
    const lookUp = (): void => {
      for (const id of waiting.splice(0, LOOKED_UP_AT_ONCE)) {
        const place = this.#parked.has(id) ? locate(id) : undefined;
        if (place !== undefined) this.#unpark(id, { ...place, expired: false });
      }
      if (waiting.length > 0) this.#clock.after(0, lookUp);
      else this.#expire(head);
    };
    lookUp();
  }

  #expire({ number, time }: ChainUpdate['head']): void {
    for (const [id, ticket] of this.#parked) {
      const expiration = this.#held.get(ticket)?.verdict.expiration ?? 0;
      if (expiration < time) this.#unpark(id, { number, index: -1, expired: true });
    }
  }

  /** Nobody will get another answer. */
  refuseEverything(error: unknown): void {
    for (const batch of [...this.#batches.values()]) this.refuseAll(batch, error);
  }

  /** Keeps a verdict; an accepted transaction can get into a block from now on. */
  #hold(verdict: Verdict): void {
    this.#held.set(verdict.ticket, { verdict, block: undefined });
    if (verdict.refusal === undefined) this.#parked.set(verdict.id, verdict.ticket);
  }

  #unpark(id: string, block: Place): void {
    const ticket = this.#parked.get(id);
    if (ticket === undefined) return;
    this.#parked.delete(id);
    const held = this.#held.get(ticket);
    const batch = this.#batches.get(batchNumberOf(ticket));
    if (held === undefined || batch === undefined) return;
    if (batch.isReported) this.#resolve(batch, held.verdict, block);
    else held.block = block;
  }

  /** Answers once the verifier's report and the writer's verdict are there, and the block too where the caller waits for it. */
  #resolve(batch: Batch, verdict: Verdict, block: Place | undefined): void {
    const { ticket, id, refusal } = verdict;
    const transaction = batch.awaited(ticket);
    if (refusal !== undefined) {
      const isWaitedFor = transaction !== undefined && this.#parked.has(id);
      return this.#refuse(batch, ticket, isWaitedFor ? alreadyWaitedFor(id) : receivedRefusal(refusal));
    }
    if (transaction !== undefined && block === undefined) return this.#hold(verdict);
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
    if (this.#parked.get(held.verdict.id) === ticket) this.#parked.delete(held.verdict.id);
    return asker;
  }

  /** Codes are constants in our sources, so the map stays small. */
  count(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}
