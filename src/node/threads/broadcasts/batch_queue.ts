import { assert, present } from '../../../base/assert.ts';
import type { RawBroadcast } from '../../../rpc/services.ts';
import type { BroadcastTrace } from '../../../tracing/broadcast_trace.ts';
import type { ToldBroadcast } from '../../../verifiers/verifier_report.ts';
import { RawBatchWriter, type RawBroadcastItem, type RawBundle } from '../../../verifiers/raw_batch.ts';
import { BundleAnswers } from './bundle_answers.ts';
import type { Caller } from './caller.ts';

/**
 * Largest batch: beyond it, sharing work between signatures gains nothing. A power of two, because tickets are computed
 * from it.
 */
const BATCH_ITEMS = 1024;
/** Room for that many transactions of the largest size, 8 KiB; the verifier refuses larger ones anyway. */
const BATCH_BYTES = 8 * 1024 * 1024;
/** The size of 20 full batches, so that useless params can't fill the memory. */
const QUEUED_BYTES = 20 * BATCH_BYTES;
/** Batch numbers start over when the 32 bits of a ticket are used up. */
const NUMBERS = 2 ** 32 / BATCH_ITEMS;

/** The number of the batch that a ticket belongs to. */
export function batchNumber(ticket: number): number {
  return Math.trunc(ticket / BATCH_ITEMS);
}

/** Broadcasts that go to a verifier together, and what the front knows of them. Their tickets are consecutive. */
export class Batch {
  readonly number: number;
  readonly firstTicket: number;
  readonly #callers: (Caller | undefined)[] = [];
  readonly #bundles: BundleAnswers[] = [];
  /** Of each broadcast, in order. */
  readonly senderIds: number[] = [];
  /** Of those that are traced; undefined for none, as mostly. */
  traces: BroadcastTrace[] | undefined;
  #answered = 0;
  #told: ReadonlyMap<number, ToldBroadcast> | undefined;
  /** Verdicts that arrived before the verifier's report. */
  heldVerdicts = 0;

  constructor(number: number) {
    this.number = number;
    this.firstTicket = number * BATCH_ITEMS;
  }

  get length(): number {
    return this.#callers.length;
  }

  get isFull(): boolean {
    return this.#callers.length >= BATCH_ITEMS;
  }

  /** Nobody waits for an answer any more. */
  get isAnswered(): boolean {
    return this.#answered === this.#callers.length && (this.isReported || this.#bundles.length === 0);
  }

  /** True if the verifier has reported what the answers to these broadcasts need. */
  get isReported(): boolean {
    return this.#told !== undefined;
  }

  add(caller: Caller, senderId: number): void {
    this.#callers.push(caller);
    this.senderIds.push(senderId);
    if (caller.trace !== undefined) (this.traces ??= []).push(caller.trace);
  }

  addBundle(answers: BundleAnswers, senderId: number): void {
    answers.queued(this.firstTicket + this.#callers.length);
    this.#bundles.push(answers);
    for (let left = answers.count; left > 0; left--) {
      this.#callers.push(answers);
      this.senderIds.push(senderId);
    }
  }

  report(told: readonly ({ readonly ticket: number } & ToldBroadcast)[]): void {
    this.#told = told.length === 0 ? NOBODY : new Map(told.map((broadcast) => [broadcast.ticket, broadcast]));
  }

  /** The hint of a transaction of a bundle was wrong; said before `reportBundles`. */
  noteWrongHint(ticket: number): void {
    this.#bundles.find((bundle) => bundle.has(ticket))?.noteWrongHint(ticket);
  }

  /** The verifier has said all that it will say. */
  reportBundles(): void {
    for (const bundle of this.#bundles) bundle.reported();
  }

  /** No report will come. */
  giveUpBundles(): void {
    for (const bundle of this.#bundles) bundle.giveUp();
  }

  /** Takes a bundle's outcome of a transaction; false when it has been answered. */
  decideBundled(ticket: number, outcome: number): boolean {
    const caller = this.close(ticket);
    if (caller === undefined) return false;
    assert(caller instanceof BundleAnswers, 'the outcome of a transaction of a bundle');
    caller.decide(ticket, outcome);
    return true;
  }

  /**
   * The part of a broadcast that its answer needs. A broadcast without a report is answered as soon as it is accepted.
   */
  told(ticket: number): ToldBroadcast {
    return this.#told?.get(ticket) ?? ACCEPTED;
  }

  callerOf(ticket: number): Caller | undefined {
    return this.#callers[ticket - this.firstTicket];
  }

  senderOf(ticket: number): number {
    return present(this.senderIds[ticket - this.firstTicket], 'a sender for each ticket');
  }

  isOpen(ticket: number): boolean {
    return this.#callers[ticket - this.firstTicket] !== undefined;
  }

  /** Takes the caller that waits for the answer; undefined when the broadcast has been answered. */
  close(ticket: number): Caller | undefined {
    const caller = this.#callers[ticket - this.firstTicket];
    if (caller === undefined) return undefined;
    this.#callers[ticket - this.firstTicket] = undefined;
    this.#answered++;
    return caller;
  }
}

const NOBODY: ReadonlyMap<number, ToldBroadcast> = new Map();
const ACCEPTED: ToldBroadcast = { waitFor: 'accepted', transaction: '' };

/** A batch that is ready for a verifier. */
export interface ReadyBatch {
  readonly batch: Batch;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Broadcasts that wait for a verifier, first in, first out; each is written into the last batch as it arrives. */
export class BatchQueue {
  readonly #capacity: number;
  readonly #isTaken: (number: number) => boolean;
  readonly #full: ReadyBatch[] = [];
  readonly #out = new RawBatchWriter();
  #filling: Batch | undefined;
  #lastNumber = 0;
  #length = 0;
  #fullBytes = 0;

  /** `capacity` is in broadcasts; `isTaken` tells whether a batch number is still in use. */
  constructor(capacity: number, isTaken: (number: number) => boolean) {
    this.#capacity = capacity;
    this.#isTaken = isTaken;
  }

  get length(): number {
    return this.#length;
  }

  /** The queue takes no more; the caller must refuse the broadcast. */
  get isFull(): boolean {
    return this.#length >= this.#capacity || this.#fullBytes + this.#out.length >= QUEUED_BYTES;
  }

  get hasFullBatch(): boolean {
    return this.#full.length > 0;
  }

  /** Adds a broadcast and returns its batch. */
  push(raw: RawBroadcast, caller: Caller): Batch {
    this.#filling ??= new Batch(this.#nextNumber());
    const batch = this.#filling;
    batch.add(caller, raw.senderId);
    this.#out.add(toItem(raw));
    this.#added(batch, 1);
    return batch;
  }

  /** Adds a bundle, which is not divided, and returns its batch. It may go beyond the capacity. */
  pushBundle(bundle: RawBundle, answers: BundleAnswers): Batch {
    if (this.#filling !== undefined && this.#filling.length + bundle.count > BATCH_ITEMS) this.#finish(this.#filling);
    this.#filling ??= new Batch(this.#nextNumber());
    const batch = this.#filling;
    batch.addBundle(answers, bundle.senderId);
    this.#out.addBundle(bundle);
    this.#added(batch, bundle.count);
    return batch;
  }

  #added(batch: Batch, count: number): void {
    this.#length += count;
    if (batch.isFull || this.#out.length >= BATCH_BYTES) this.#finish(batch);
  }

  /** Takes the oldest batch, full or not. */
  take(): ReadyBatch | undefined {
    if (this.#full.length === 0 && this.#filling !== undefined) this.#finish(this.#filling);
    const ready = this.#full.shift();
    if (ready === undefined) return undefined;
    this.#length -= ready.batch.length;
    this.#fullBytes -= ready.bytes.length;
    return ready;
  }

  #finish(batch: Batch): void {
    const bytes = this.#out.finish(batch.firstTicket);
    this.#full.push({ batch, bytes });
    this.#fullBytes += bytes.length;
    this.#filling = undefined;
  }

  #nextNumber(): number {
    do this.#lastNumber = (this.#lastNumber + 1) % NUMBERS;
    while (this.#isTaken(this.#lastNumber));
    return this.#lastNumber;
  }
}

/** Written out member by member: a spread would double the cost. */
function toItem(raw: RawBroadcast): RawBroadcastItem {
  const { senderId, encoding } = raw;
  const { dialect, operationForm } = encoding;
  if ('packed' in raw) return { packed: raw.packed, waitFor: raw.waitFor, senderId, dialect, operationForm };
  return { method: raw.method, params: raw.params, senderId, dialect, operationForm };
}
