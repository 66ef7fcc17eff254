import type { Clock } from '../../base/clock.ts';
import { Refusal, refusalBy } from '../../base/refusal.ts';
import { refuseBroadcast } from '../../rpc/broadcast_refusals.ts';
import type { BroadcastOutcome, RawBroadcast } from '../../rpc/services.ts';
import { BatchQueue, batchNumberOf, type Asker, type Batch, type ReadyBatch } from './batch_queue.ts';
import type { ChainGap, ChainUpdate } from '../feed/chain_feed.ts';
import { Gathering } from './gathering.ts';
import { VerifierLoad } from './verifier_load.ts';
import type { VerifierReport } from './verifier_report.ts';
import { decodeVerdicts, receivedRefusal, type Verdict } from './verdicts.ts';

const stopping = (): Refusal => new Refusal('stopping', 'the node is stopping; send it again when it is up');
const alreadyWaitedFor = (id: string): Refusal => refusalBy(() => refuseBroadcast.already_waited_for({ id }));

/** Passes a batch to any free verifier. */
export interface BatchPool {
  /** Batches that are processed at once; further ones wait for a thread. */
  readonly threads: number;
  verify(batch: Uint8Array<ArrayBuffer>): Promise<VerifierReport>;
}

export interface BroadcastLimits {
  /** Broadcasts between the server and a verdict: about a second of work for the verifiers, beyond which waiting is pointless. */
  readonly queuedBroadcasts: number;
  /** Broadcasts that wait for a block: each costs about 1 KiB and no thread. */
  readonly parkedBroadcasts: number;
}

/** Until the verifiers have started, broadcasts wait in the queue. */
const NO_VERIFIERS: BatchPool = { threads: 0, verify: () => Promise.reject(stopping()) };

const ID_BYTES = 20;
/** A few milliseconds of look-ups, after which other work is done. */
const LOOKED_UP_AT_ONCE = 500;

/** Finds the place of a transaction in the committed chain. */
export type Locate = (id: string) => { readonly number: number; readonly index: number } | undefined;

/** Batches per thread: one being processed, and the next one waiting. */
const BATCHES_PER_THREAD = 2;

type Place = { readonly number: number; readonly index: number; readonly expired: boolean };

/** A broadcast that can't be answered yet although the writer has decided on it. */
interface Held {
  readonly verdict: Verdict;
  /** The block that contains it, when that arrived before the verifier's report. */
  block: Place | undefined;
}

/**
 * The front's part in processing broadcasts: batches go to verifiers, verdicts come from the writer, and callers that wait for a block
 * are kept in a table. A single broadcast leaves at once; under load batches fill up, because verifying a signature gets cheaper the more there are
 * in a batch: the batch behind a running one grows until that one is nearly done.
 */
export class Broadcasts {
  #pool: BatchPool = NO_VERIFIERS;
  readonly #limits: BroadcastLimits;
  readonly #clock: Clock;
  readonly #queue: BatchQueue;
  readonly #load: VerifierLoad;
  readonly #gathering: Gathering;
  /** Batches with unanswered callers, by batch number. */
  readonly #batches = new Map<number, Batch>();
  readonly #held = new Map<number, Held>();
  /** Tickets of accepted transactions that are in no block yet, by transaction id. */
  readonly #parked = new Map<string, number>();
  #unanswered = 0;
  #flushIsDue = false;
  #cancelFlush: (() => void) | undefined;
  #isStopping = false;

  constructor(limits: BroadcastLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#load = new VerifierLoad(clock);
    this.#gathering = new Gathering(clock);
    this.#queue = new BatchQueue(limits.queuedBroadcasts, (number) => this.#batches.has(number));
  }

  /** Starts sending batches to these verifiers. */
  start(pool: BatchPool): void {
    this.#pool = pool;
    this.#scheduleFlush();
  }

  /** Counts of final answers by outcome: `accepted`, or the code of the refusal. */
  readonly outcomes = new Map<string, number>();

  /** The number of broadcasts that wait for a verifier. */
  get queued(): number {
    return this.#queue.length;
  }

  /** The number of accepted broadcasts that wait for a block. */
  get parked(): number {
    return this.#parked.size;
  }

  /** The number of broadcasts without a final answer. */
  get size(): number {
    return this.#unanswered;
  }

  /** Resolves when the transaction is accepted or in a block, depending on its method; rejects with the refusal. */
  submit(raw: RawBroadcast): Promise<BroadcastOutcome> {
    if (this.#isStopping) throw stopping();
    if (this.#parked.size >= this.#limits.parkedBroadcasts) {
      this.#count('too_many_waiting');
      refuseBroadcast.too_many_waiting({ limit: this.#limits.parkedBroadcasts });
    }
    if (this.#queue.isFull) {
      this.#count('too_many_broadcasts');
      refuseBroadcast.too_many_broadcasts({ limit: this.#limits.queuedBroadcasts });
    }
    return new Promise((resolve, reject) => {
      const batch = this.#queue.push(raw, { resolve, reject });
      if (batch.length === 1) this.#batches.set(batch.number, batch);
      this.#gathering.arrive(batch.length);
      this.#unanswered++;
      this.#scheduleFlush();
    });
  }

  /** Takes the writer's verdicts on some broadcasts. */
  takeVerdicts(bytes: Uint8Array): void {
    for (const verdict of decodeVerdicts(bytes)) this.#takeVerdict(verdict);
    this.#scheduleFlush();
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

  /** Refuses everything that waits; takes no more broadcasts. */
  stop(): void {
    this.#isStopping = true;
    this.#cancelFlush?.();
    while (this.#queue.take() !== undefined);
    for (const batch of [...this.#batches.values()]) this.#refuseAll(batch, stopping());
  }

  #scheduleFlush(): void {
    const waitMs = this.#flushIsDue ? undefined : this.#msToNextBatch();
    if (waitMs === undefined) return;
    if (waitMs > 0) {
      this.#cancelFlush ??= this.#clock.after(waitMs, () => this.#flush());
      return;
    }
    this.#flushIsDue = true;
    // After all sockets that are ready now: what arrived together leaves together, and a single broadcast doesn't wait.
    setImmediate(() => this.#flush());
  }

  /** Time until a batch should leave; undefined when there is none or no verifier could take it. */
  #msToNextBatch(): number | undefined {
    const { threads } = this.#pool;
    const underWay = this.#load.batches;
    if (this.#queue.length === 0 || underWay >= threads * BATCHES_PER_THREAD) return undefined;
    if (this.#queue.hasFullBatch) return 0;
    return Math.max(this.#gathering.msLeft(this.#queue.length), underWay < threads ? 0 : this.#load.msUntilNearlyFree());
  }

  #flush(): void {
    this.#flushIsDue = false;
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    for (let waitMs = this.#msToNextBatch(); waitMs !== undefined && waitMs <= 0; waitMs = this.#msToNextBatch()) {
      const ready = this.#queue.take();
      if (ready !== undefined) void this.#verify(ready);
    }
    this.#scheduleFlush();
  }

  async #verify({ batch, bytes }: ReadyBatch): Promise<void> {
    this.#gathering.leave(batch.number, batch.length);
    const work = this.#load.begin(batch.length, this.#pool.threads);
    try {
      const report = await this.#pool.verify(bytes);
      this.#load.end(work, report.elapsedMicros);
      this.#takeReport(batch, report);
    } catch (error) {
      this.#load.end(work, undefined);
      this.#gathering.forget(batch.number);
      this.#refuseAll(batch, error);
    } finally {
      this.#scheduleFlush();
    }
  }

  #takeReport(batch: Batch, { waiting, refused }: VerifierReport): void {
    batch.report(waiting);
    for (const { ticket, refusal } of refused) {
      this.#gathering.decide(batch.number);
      this.#refuse(batch, ticket, receivedRefusal(refusal));
    }
    if (batch.heldVerdicts === 0) return;
    for (let ticket = batch.firstTicket; ticket < batch.firstTicket + batch.length; ticket++) {
      const held = this.#held.get(ticket);
      if (held !== undefined) this.#resolve(batch, held.verdict, held.block);
    }
  }

  #takeVerdict(verdict: Verdict): void {
    const { ticket } = verdict;
    const number = batchNumberOf(ticket);
    const batch = this.#batches.get(number);
    this.#gathering.decide(number);
    if (batch?.isOpen(ticket) !== true) return;
    if (batch.isReported) return this.#resolve(batch, verdict, undefined);
    // The verdict arrived before the verifier's report.
    batch.heldVerdicts++;
    this.#hold(verdict);
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
    this.#count('accepted');
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
    this.#count(error instanceof Refusal ? error.code : 'fault');
    asker.reject(error);
  }

  #refuseAll(batch: Batch, error: unknown): void {
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
  #count(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}
