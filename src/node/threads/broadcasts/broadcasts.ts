import { present } from '../../../base/assert.ts';
import type { Clock } from '../../../base/clock.ts';
import { catchRefusal, expectRefusal, type Refusal } from '../../../base/refusal.ts';
import { refuseBroadcast } from '../../../rpc/broadcast_refusals.ts';
import type { BroadcastOutcome, RawBroadcast } from '../../../rpc/services.ts';
import { BatchQueue, type Batch, type ReadyBatch } from './batch_queue.ts';
import type { Caller } from './caller.ts';
import { BroadcastAnswers, type FinalityLimits, type Places } from './broadcast_answers.ts';
import type { ChainGap, ChainUpdate } from '../../../feed/chain_feed.ts';
import type { BroadcastTracer } from '../../../tracing/broadcast_trace.ts';
import { DroppedTransactions } from './dropped_transactions.ts';
import type { DirectBatches } from '../../../verifiers/direct_batches.ts';
import { Gathering } from '../../../verifiers/gathering.ts';
import { VerifierLoad } from '../../../verifiers/verifier_load.ts';
import { DIRECT_ITEMS } from '../../../verifiers/writer_budget.ts';
import type { BatchPool, VerifierReport } from '../../../verifiers/verifier_report.ts';
import { OUTCOME } from '../../../verifiers/bundle_outcomes.ts';
import type { RawBundle } from '../../../verifiers/raw_batch.ts';
import { decodeVerdicts, refusedTickets } from '../../../verifiers/verdicts.ts';
import { BundleAnswers } from './bundle_answers.ts';

const stopping = (): Refusal => expectRefusal(() => refuseBroadcast.stopping());

export interface BroadcastLimits extends FinalityLimits {
  /**
   * Broadcasts between the server and a verdict: about a second of work for the verifiers, beyond which waiting is
   * pointless.
   */
  readonly queuedBroadcasts: number;
  /** Broadcasts that wait for a block: each costs about 1 KiB and no thread. */
  readonly parkedBroadcasts: number;
}

/** Until the verifiers have started, broadcasts wait in the queue. */
const NO_VERIFIERS: BatchPool = { threads: 0, verify: () => Promise.reject(stopping()) };

/** Batches per thread: one being processed, and the next one waiting. */
const BATCHES_PER_THREAD = 2;

/**
 * The front's part in processing broadcasts: batches go to verifiers, verdicts come from the writer, and callers that
 * wait for a block are kept in a table. A single broadcast leaves at once; under load batches fill up, because
 * verifying a signature gets cheaper the more there are in a batch: the batch behind a running one grows until that one
 * is nearly done.
 */
export class Broadcasts {
  #pool: BatchPool = NO_VERIFIERS;
  #directBatches: DirectBatches<ReadyBatch> | undefined;
  readonly #limits: BroadcastLimits;
  readonly #clock: Clock;
  readonly #answers: BroadcastAnswers;
  readonly #queue: BatchQueue;
  readonly #load: VerifierLoad;
  readonly #gathering: Gathering;
  #flushIsDue = false;
  #cancelFlush: (() => void) | undefined;
  #isStopping = false;
  #tracer: BroadcastTracer | undefined;

  constructor(limits: BroadcastLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#load = new VerifierLoad(clock);
    this.#gathering = new Gathering(clock);
    this.#answers = new BroadcastAnswers(clock, limits, (batch, count) => this.#gathering.decide(batch, count));
    this.#queue = new BatchQueue(limits.queuedBroadcasts, (number) => this.#answers.has(number));
  }

  /** Starts sending batches to these verifiers and, where it verifies some itself, to the writer. */
  start(pool: BatchPool, directBatches?: DirectBatches<ReadyBatch>): void {
    this.#directBatches = directBatches;
    this.#pool = pool;
    this.#scheduleFlush();
  }

  /** Has some broadcasts followed. */
  traceWith(tracer: BroadcastTracer): void {
    this.#tracer = tracer;
  }

  /** Counts of final answers by outcome: `accepted`, or the code of the refusal. */
  get outcomes(): ReadonlyMap<string, number> {
    return this.#answers.outcomes;
  }

  /** Accepted transactions that the writer has dropped. */
  readonly dropped = new DroppedTransactions();

  /** The number of broadcasts that were handed to verifiers, or to the writer in their place. */
  verified = 0;

  /** The number of these that the writer has verified itself. */
  get direct(): number {
    return this.#directBatches?.verified ?? 0;
  }

  /** The number of broadcasts that wait for a verifier. */
  get queued(): number {
    return this.#queue.length;
  }

  /** The number of accepted broadcasts that wait for a block. */
  get parked(): number {
    return this.#answers.parked;
  }

  /** The number of broadcasts without a final answer. */
  get size(): number {
    return this.#answers.size;
  }

  /** Resolves when the transaction is accepted or in a block, depending on its method; rejects with the refusal. */
  submit(raw: RawBroadcast): Promise<BroadcastOutcome> {
    this.#requireRoom();
    const trace = this.#tracer?.begin(raw.method ?? 'broadcast');
    return new Promise((resolve, reject) => this.#queueUp(raw, { resolve, reject, joins: !('packed' in raw), trace }));
  }

  #requireRoom(): void {
    if (this.#isStopping) throw stopping();
    if (this.#answers.parked >= this.#limits.parkedBroadcasts) {
      this.#answers.count('too_many_waiting');
      refuseBroadcast.too_many_waiting({ limit: this.#limits.parkedBroadcasts });
    }
    if (this.#queue.isFull) {
      this.#answers.count('too_many_broadcasts');
      refuseBroadcast.too_many_broadcasts({ limit: this.#limits.queuedBroadcasts });
    }
  }

  #queueUp(raw: RawBroadcast, caller: Caller): void {
    this.#queued(this.#queue.push(raw, caller), 1);
  }

  #queued(batch: Batch, count: number): void {
    this.#answers.begin(batch, count);
    this.#gathering.arrive(batch.length, count);
    this.#scheduleFlush();
  }

  /**
   * Resolves with the outcome of each transaction of a peer's bundle (verifiers/bundle_outcomes.ts), which is handed on
   * unread. It is refused as a whole where there is no room.
   */
  submitBundle(bundle: RawBundle): Promise<Uint8Array<ArrayBuffer>> {
    const { count } = bundle;
    const refusal = catchRefusal(() => this.#requireRoom());
    if (refusal !== undefined || count === 0) return Promise.resolve(new Uint8Array(count).fill(OUTCOME.refused));
    return new Promise((resolve) => {
      this.#queued(this.#queue.pushBundle(bundle, new BundleAnswers(count, resolve)), count);
    });
  }

  /**
   * Takes the writer's verdicts on some broadcasts, which it took up at that time, by `epochMs`. With them comes the
   * report on a batch that it has verified itself.
   */
  takeVerdicts(bytes: Uint8Array, beganMs?: number, report?: VerifierReport): void {
    const { verdicts, bundled } = decodeVerdicts(bytes);
    if (report !== undefined) {
      const refused = refusedTickets({ verdicts, bundled });
      this.#takeReport(this.#writersBatches.finish(report, refused), report, beganMs);
    }
    for (const verdict of verdicts) this.#answers.takeVerdict(verdict, beganMs);
    for (const outcomes of bundled) this.#answers.takeBundled(outcomes);
    this.#scheduleFlush();
  }

  /** The writer has loaded what verifies broadcasts in its thread. */
  writerVerifies(): void {
    this.#directBatches?.loaded();
  }

  /** The writer could not verify its batch. */
  takeUnverified(): void {
    void this.#verify(this.#writersBatches.fail());
  }

  get #writersBatches(): DirectBatches<ReadyBatch> {
    return present(this.#directBatches, 'batches for the writer');
  }

  /** The writer has dropped transactions that it had accepted: callers that wait for their blocks learn why. */
  takeDropped(bytes: Uint8Array): void {
    const { verdicts } = decodeVerdicts(bytes);
    for (const { id, expiration, refusal } of verdicts) {
      if (refusal !== undefined)
        this.dropped.add(id, { expiration, reason: { name: refusal.code, message: refusal.message } });
    }
    this.#answers.takeDropped(verdicts);
  }

  /**
   * Blocks are committed, or final: answers the callers that wait for that, and those whose transactions have expired.
   */
  takeUpdate(update: ChainUpdate, places: Places): void {
    this.#answers.takeUpdate(update, places);
    this.#directBatches?.load();
  }

  /** More was committed than the feed could report. */
  takeGap(gap: ChainGap, places: Places): void {
    this.#answers.takeGap(gap, places);
  }

  /** Refuses everything that waits; takes no more broadcasts. */
  stop(): void {
    this.#isStopping = true;
    this.#cancelFlush?.();
    while (this.#queue.take() !== undefined);
    this.#answers.refuseEverything(stopping());
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
    // The writer takes it next.
    if (this.#directBatches?.isBusy === true && this.#queue.length <= DIRECT_ITEMS) return undefined;
    if (this.#queue.hasFullBatch) return 0;
    return Math.max(
      this.#gathering.msLeft(this.#queue.length),
      underWay < threads ? 0 : this.#load.msUntilNearlyFree(),
    );
  }

  #flush(): void {
    this.#flushIsDue = false;
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    for (let waitMs = this.#msToNextBatch(); waitMs !== undefined && waitMs <= 0; waitMs = this.#msToNextBatch()) {
      const ready = this.#queue.take();
      if (ready !== undefined) this.#send(ready);
    }
    this.#scheduleFlush();
  }

  #send(ready: ReadyBatch): void {
    const { batch } = ready;
    const isLoadLow = this.#load.batches === 0 && this.#gathering.expected <= DIRECT_ITEMS;
    this.verified += batch.length;
    this.#gathering.leave(batch.number, batch.length);
    for (const trace of batch.traces ?? []) trace.sent(batch.length);
    if (this.#directBatches?.send(ready, isLoadLow) !== true) void this.#verify(ready);
  }

  async #verify(ready: ReadyBatch): Promise<void> {
    const { batch, bytes } = ready;
    const work = this.#load.begin(batch.length, this.#pool.threads);
    try {
      const report = await this.#pool.verify(bytes);
      this.#load.end(work, report.elapsedMicros);
      this.#takeReport(ready, report);
    } catch (error) {
      this.#load.end(work, undefined);
      this.#gathering.forget(batch.number);
      this.#answers.refuseAll(batch, error);
    } finally {
      this.#scheduleFlush();
    }
  }

  #takeReport({ batch }: ReadyBatch, report: VerifierReport, verifiedMs?: number): void {
    for (const trace of batch.traces ?? []) trace.verified(report.elapsedMicros, verifiedMs);
    this.#answers.takeReport(batch, report);
  }
}
