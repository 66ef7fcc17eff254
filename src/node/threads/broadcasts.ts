import { Refusal } from '../../base/refusal.ts';
import { BoundedQueue } from '../../base/queue.ts';
import { refuseBroadcast } from '../../rpc/broadcasting.ts';
import type { BroadcastOutcome, RawBroadcast } from '../../rpc/services.ts';
import type { BlockNotice } from './messages.ts';
import { encodeRawBatch, type RawItem } from './raw_batch.ts';
import { decodeVerdicts, receivedRefusal, type Verdict } from './verdicts.ts';
import type { VerifierReport } from './verifier_report.ts';

const stopping = (): Refusal => new Refusal('stopping', 'the node is stopping');
const alreadyWaitedFor = (): Refusal => new Refusal('already_waited_for', refuseBroadcast.texts.already_waited_for);

/** Hands a batch to whichever verifier is free. */
export interface VerifierPool {
  /** How many batches can be under way before more would only queue. */
  readonly capacity: number;
  verify(batch: Uint8Array<ArrayBuffer>): Promise<VerifierReport>;
}

export interface BroadcastLimits {
  /** Broadcasts between the door and a verdict: about a second of work for the verifiers, beyond which waiting is pointless. */
  readonly queuedBroadcasts: number;
  /** Broadcasts that wait for a block: each costs about 1 KiB and no thread. */
  readonly parkedBroadcasts: number;
}

/** Until the verifiers have started, broadcasts wait in the queue. */
const NO_VERIFIERS: VerifierPool = { capacity: 0, verify: () => Promise.reject(stopping()) };

/** Largest batch: where sharing work between signatures stops paying. */
const MAX_BATCH_ITEMS = 1024;

/** What a verifier said of a broadcast that it handed to the writer; `transaction` is undefined where no block is waited for. */
interface Verified {
  readonly transaction: string | undefined;
}

const WAITS_FOR_NO_BLOCK: Verified = { transaction: undefined };

interface Ticket {
  readonly resolve: (outcome: BroadcastOutcome) => void;
  readonly reject: (error: unknown) => void;
  verified: Verified | undefined;
  verdict: Verdict | undefined;
  block: { readonly number: number; readonly index: number; readonly expired: boolean } | undefined;
}

/**
 * The front's side of a broadcast's journey: batches go to verifiers, verdicts come from the writer, and those who wait
 * for a block wait in a table. A broadcast that comes alone leaves at once; a flood fills batches.
 */
export class Broadcasts {
  #pool: VerifierPool = NO_VERIFIERS;
  readonly #limits: BroadcastLimits;
  readonly #queue: BoundedQueue<RawItem>;
  readonly #tickets = new Map<number, Ticket>();
  /** Accepted transactions that are in no block yet, by id. */
  readonly #parked = new Map<string, number>();
  #lastTicket = 0;
  #batchesUnderWay = 0;
  #flushIsDue = false;
  #isStopping = false;

  constructor(limits: BroadcastLimits) {
    this.#limits = limits;
    this.#queue = new BoundedQueue(limits.queuedBroadcasts);
  }

  /** From now on batches go to these verifiers. */
  start(pool: VerifierPool): void {
    this.#pool = pool;
    this.#scheduleFlush();
  }

  /** Final answers by what they were: `accepted`, or the code of the refusal. */
  readonly outcomes = new Map<string, number>();

  /** Broadcasts that wait for a verifier. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Accepted broadcasts that wait for a block. */
  get parked(): number {
    return this.#parked.size;
  }

  /** How many broadcasts have no final answer yet. */
  get size(): number {
    return this.#tickets.size;
  }

  /** Resolves when the transaction is accepted or in a block, as its method asks; rejects with the refusal. */
  submit(raw: RawBroadcast): Promise<BroadcastOutcome> {
    if (this.#isStopping) throw stopping();
    if (this.#parked.size >= this.#limits.parkedBroadcasts) {
      this.#count('too_many_waiting');
      refuseBroadcast.too_many_waiting();
    }
    const ticket = this.#nextTicket();
    const { dialect, operationForm } = raw.notation;
    const isQueued = this.#queue.push({
      ticket,
      method: raw.method,
      source: raw.source,
      dialect,
      operationForm,
      params: Uint8Array.from(raw.params),
    });
    if (!isQueued) {
      this.#count('too_many_broadcasts');
      refuseBroadcast.too_many_broadcasts();
    }
    this.#scheduleFlush();
    return new Promise((resolve, reject) => {
      this.#tickets.set(ticket, { resolve, reject, verified: undefined, verdict: undefined, block: undefined });
    });
  }

  /** The writer has decided about some broadcasts. */
  takeVerdicts(bytes: Uint8Array): void {
    for (const verdict of decodeVerdicts(bytes)) this.#takeVerdict(verdict);
  }

  /** A block is committed: those who wait for its transactions are answered, and those who waited in vain. */
  takeBlock(notice: BlockNotice): void {
    const ids = Buffer.from(notice.transactionIds.buffer, notice.transactionIds.byteOffset, notice.transactionIds.byteLength);
    if (this.#parked.size === 0) return;
    for (let index = 0; index * 20 < ids.length; index++) {
      this.#unpark(ids.toString('hex', index * 20, index * 20 + 20), { number: notice.number, index, expired: false });
    }
    for (const [id, number] of this.#parked) {
      const expiration = this.#tickets.get(number)?.verdict?.expiration ?? 0;
      if (expiration < notice.time) this.#unpark(id, { number: notice.number, index: -1, expired: true });
    }
  }

  /** Refuses everything that waits; nothing more is taken. */
  stop(): void {
    this.#isStopping = true;
    this.#queue.take(this.#queue.capacity);
    for (const ticket of [...this.#tickets.keys()]) this.#reject(ticket, stopping());
  }

  #nextTicket(): number {
    do this.#lastTicket = (this.#lastTicket + 1) >>> 0;
    while (this.#tickets.has(this.#lastTicket));
    return this.#lastTicket;
  }

  #scheduleFlush(): void {
    if (this.#flushIsDue || this.#batchesUnderWay >= this.#pool.capacity) return;
    this.#flushIsDue = true;
    // After the sockets that are ready now: what came together leaves together, what came alone waits for nobody.
    setImmediate(() => {
      this.#flushIsDue = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#queue.length > 0 && this.#batchesUnderWay < this.#pool.capacity) {
      const items = this.#queue.take(MAX_BATCH_ITEMS);
      this.#batchesUnderWay++;
      void this.#verify(items);
    }
  }

  async #verify(items: readonly RawItem[]): Promise<void> {
    try {
      const report = await this.#pool.verify(encodeRawBatch(items));
      for (const { ticket, refusal } of report.refused) this.#reject(ticket, receivedRefusal(refusal));
      const waiting = new Map(report.waiting.map((verified) => [verified.ticket, verified]));
      for (const { ticket } of items) this.#takeVerified(ticket, waiting.get(ticket) ?? WAITS_FOR_NO_BLOCK);
    } catch (error) {
      for (const { ticket } of items) this.#reject(ticket, error);
    } finally {
      this.#batchesUnderWay--;
      this.#scheduleFlush();
    }
  }

  #takeVerified(number: number, verified: Verified): void {
    const ticket = this.#tickets.get(number);
    if (ticket === undefined) return;
    ticket.verified = verified;
    this.#settle(number, ticket);
  }

  #takeVerdict(verdict: Verdict): void {
    const ticket = this.#tickets.get(verdict.ticket);
    if (ticket === undefined) return;
    ticket.verdict = verdict;
    if (verdict.refusal === undefined) this.#parked.set(verdict.id, verdict.ticket);
    this.#settle(verdict.ticket, ticket);
  }

  #unpark(id: string, block: NonNullable<Ticket['block']>): void {
    const number = this.#parked.get(id);
    if (number === undefined) return;
    this.#parked.delete(id);
    const ticket = this.#tickets.get(number);
    // Whoever waited may have been refused meanwhile: the node stops, or a verifier has failed.
    if (ticket === undefined) return;
    ticket.block = block;
    this.#settle(number, ticket);
  }

  /** Answers as soon as verifier and writer have both spoken, and the block too where one is waited for. */
  #settle(number: number, ticket: Ticket): void {
    const { verified, verdict, block } = ticket;
    if (verified === undefined || verdict === undefined) return;
    if (verdict.refusal !== undefined) {
      const isWaitedFor = verified.transaction !== undefined && this.#parked.has(verdict.id);
      this.#reject(number, isWaitedFor ? alreadyWaitedFor() : receivedRefusal(verdict.refusal));
      return;
    }
    if (verified.transaction !== undefined && block === undefined) return;
    if (block === undefined) this.#parked.delete(verdict.id);
    this.#tickets.delete(number);
    this.#count('accepted');
    ticket.resolve({
      transactionId: verdict.id,
      blockNumber: block?.number ?? 0,
      transactionNumber: block?.index ?? -1,
      expired: block?.expired ?? false,
      transaction: verified.transaction ?? '',
    });
  }

  #reject(number: number, error: unknown): void {
    const ticket = this.#tickets.get(number);
    if (ticket === undefined) return;
    this.#tickets.delete(number);
    this.#count(error instanceof Refusal ? error.code : 'fault');
    ticket.reject(error);
  }

  /** Codes are names in our sources, so there are not many. */
  #count(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}
