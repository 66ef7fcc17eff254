import type { BroadcastOutcome, RawBroadcast } from '../../rpc/services.ts';
import { RawBatchWriter, type RawBroadcastItem } from './raw_batch.ts';

/** Largest batch: where sharing work between signatures stops paying. A power of two, because tickets are made of it. */
const BATCH_ITEMS = 1024;
/** Room for so many transactions of the largest size, 8 KiB; what is larger than that is refused by the verifier anyway. */
const BATCH_BYTES = 8 * 1024 * 1024;
/** As many batches as full ones would be, so that params of no use can't fill the memory. */
const QUEUED_BYTES = 20 * BATCH_BYTES;
/** Batches are numbered anew when tickets have used up their 32 bits. */
const NUMBERS = 2 ** 32 / BATCH_ITEMS;

/** Whoever waits for the answer to a broadcast. */
export interface Asker {
  resolve(outcome: BroadcastOutcome): void;
  reject(error: unknown): void;
}

/** The number of the batch that a ticket belongs to. */
export function batchNumberOf(ticket: number): number {
  return Math.trunc(ticket / BATCH_ITEMS);
}

/** Broadcasts that go to a verifier together, and what the front knows of them. Their tickets follow each other. */
export class Batch {
  readonly number: number;
  readonly firstTicket: number;
  readonly #askers: (Asker | undefined)[] = [];
  #answered = 0;
  #awaited: ReadonlyMap<number, string> | undefined;
  /** Verdicts that came before the report. */
  heldVerdicts = 0;

  constructor(number: number) {
    this.number = number;
    this.firstTicket = number * BATCH_ITEMS;
  }

  get length(): number {
    return this.#askers.length;
  }

  get isFull(): boolean {
    return this.#askers.length >= BATCH_ITEMS;
  }

  get isAnswered(): boolean {
    return this.#answered === this.#askers.length;
  }

  /** Whether the verifier has said who waits for a block. */
  get isReported(): boolean {
    return this.#awaited !== undefined;
  }

  add(asker: Asker): void {
    this.#askers.push(asker);
  }

  report(waiting: readonly { readonly ticket: number; readonly transaction: string }[]): void {
    this.#awaited = waiting.length === 0 ? NOBODY : new Map(waiting.map(({ ticket, transaction }) => [ticket, transaction]));
  }

  /** JSON text of the transaction whose block is waited for; undefined where none is. */
  awaited(ticket: number): string | undefined {
    return this.#awaited?.get(ticket);
  }

  isOpen(ticket: number): boolean {
    return this.#askers[ticket - this.firstTicket] !== undefined;
  }

  /** Who waits for the answer, if nobody has been told yet. */
  close(ticket: number): Asker | undefined {
    const asker = this.#askers[ticket - this.firstTicket];
    if (asker === undefined) return undefined;
    this.#askers[ticket - this.firstTicket] = undefined;
    this.#answered++;
    return asker;
  }
}

const NOBODY: ReadonlyMap<number, string> = new Map();

/** A batch as it is handed to a verifier. */
export interface ReadyBatch {
  readonly batch: Batch;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Broadcasts that wait for a verifier, first in, first out; what comes is written into the last batch at once. */
export class BatchQueue {
  readonly #capacity: number;
  readonly #isTaken: (number: number) => boolean;
  readonly #full: ReadyBatch[] = [];
  readonly #out = new RawBatchWriter();
  #filling: Batch | undefined;
  #lastNumber = 0;
  #length = 0;
  #fullBytes = 0;

  /** `capacity` in broadcasts; `isTaken` says which batch numbers are still in use. */
  constructor(capacity: number, isTaken: (number: number) => boolean) {
    this.#capacity = capacity;
    this.#isTaken = isTaken;
  }

  get length(): number {
    return this.#length;
  }

  /** Takes no more: the caller refuses its asker. */
  get isFull(): boolean {
    return this.#length >= this.#capacity || this.#fullBytes + this.#out.length >= QUEUED_BYTES;
  }

  get hasFullBatch(): boolean {
    return this.#full.length > 0;
  }

  /** The batch that it will leave with. */
  push(raw: RawBroadcast, asker: Asker): Batch {
    this.#filling ??= new Batch(this.#nextNumber());
    const batch = this.#filling;
    batch.add(asker);
    this.#out.add(itemOf(raw));
    this.#length++;
    if (batch.isFull || this.#out.length >= BATCH_BYTES) this.#finish(batch);
    return batch;
  }

  /** The oldest batch, whether it is full or not. */
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

/** In straight code: a spread costs as much as the rest. */
function itemOf(raw: RawBroadcast): RawBroadcastItem {
  const { senderId, notation } = raw;
  const { dialect, operationForm } = notation;
  if ('packed' in raw) return { packed: raw.packed, waitFor: raw.waitFor, senderId, dialect, operationForm };
  return { method: raw.method, params: raw.params, senderId, dialect, operationForm };
}
