import type { CommittedState } from '../queries/committed_state.ts';
import type { VerifiedTransaction } from '../blocks/transaction.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { transactionLocations } from '../state/tables/transaction_location.ts';
import { noticeText, type RefusalRecord } from '../queries/notices/chain_notices.ts';
import { StreamIndex } from './stream_index.ts';
import type { Stream } from './stream.ts';

/** The reason why a transaction is gone; undefined after an unexpected error. */
export type DropReason = RefusalRecord | undefined;

/** A change of pending transactions. */
export type PendingChange =
  | { readonly kind: 'accepted'; readonly transactions: readonly VerifiedTransaction[] }
  | {
      readonly kind: 'dropped';
      readonly transactions: readonly VerifiedTransaction[];
      readonly reasons: readonly DropReason[];
    }
  /** More than could be handed over. */
  | { readonly kind: 'missed'; readonly count: number };

/** A change on its way to those who follow. */
interface WaitingChange {
  readonly change: PendingChange;
  /** The number of its transactions that were told. */
  told: number;
  /** To be called once all were. */
  readonly taken: () => void;
}

/**
 * Bytes of transactions that are told together, as many as a stored part of a block has: thousands may follow each of
 * them.
 */
const BYTES_AT_ONCE = 16 * 1024;

const UNEXPECTED = { name: 'internal_error', message: 'the node could not apply it again; its log says more' };

/**
 * Notices of level `pending`, about transactions that no block has yet. Nothing is remembered: what a transaction's
 * block has is told as to everybody else, and a change that was not told yet holds up those behind it, of which whoever
 * hands them over has a limit.
 */
export class PendingNotices {
  readonly #rows: CommittedState;
  readonly #encoding: EncodingOptions;
  readonly #index = new StreamIndex();
  readonly #waiting: WaitingChange[] = [];

  constructor(rows: CommittedState, encoding: EncodingOptions) {
    this.#rows = rows;
    this.#encoding = encoding;
  }

  add(stream: Stream): void {
    if (stream.subject.level === 'pending') this.#index.add(stream);
  }

  delete(stream: Stream): void {
    this.#index.delete(stream);
    if (this.#index.streams.size === 0) this.clear();
  }

  /** Takes a change; `taken` is called when the next one may come. */
  take(change: PendingChange, taken: () => void): void {
    if (this.#index.streams.size === 0) taken();
    else this.#waiting.push({ change, told: 0, taken });
  }

  clear(): void {
    for (const { taken } of this.#waiting.splice(0)) taken();
  }

  /** Returns the next items of each stream; undefined when there are none. */
  next(): ReadonlyMap<Stream, readonly string[]> | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const texts = new Map<Stream, string[]>();
    const isOver =
      first.change.kind === 'missed'
        ? this.#tellMissed(texts, first.change.count)
        : this.#tellSome(texts, first, first.change);
    if (isOver) {
      this.#waiting.shift();
      first.taken();
    }
    return texts;
  }

  #tellMissed(texts: Map<Stream, string[]>, count: number): true {
    const text = noticeText('missed', { count }, this.#encoding);
    for (const stream of this.#index.streams) texts.set(stream, [text]);
    return true;
  }

  /** True when all of them were told. */
  #tellSome(
    texts: Map<Stream, string[]>,
    progress: WaitingChange,
    change: Exclude<PendingChange, { kind: 'missed' }>,
  ): boolean {
    const { transactions } = change;
    for (let bytes = 0; progress.told < transactions.length && bytes < BYTES_AT_ONCE; progress.told++) {
      const verified = transactions[progress.told];
      if (verified === undefined) break;
      bytes += verified.packed.length;
      if (change.kind === 'accepted') this.#tellAccepted(texts, verified);
      else this.#tellDropped(texts, verified, change.reasons[progress.told] ?? UNEXPECTED);
    }
    return progress.told >= transactions.length;
  }

  #tellAccepted(texts: Map<Stream, string[]>, verified: VerifiedTransaction): void {
    const { id: trx_id, transaction } = verified;
    const { operations, expiration } = transaction;
    for (const [op_in_trx, op] of operations.entries()) {
      const operation = { trx_id, op_in_trx, expiration, op, fee_payer: op.feeAccount() };
      this.#give(texts, this.#index.findStreams(operation), verified, () =>
        noticeText('pending', { operation }, this.#encoding),
      );
    }
    const shown = { trx_id, expiration, operation_count: operations.length };
    this.#give(texts, this.#index.ofBlocks, verified, () =>
      noticeText('pending_transaction', { transaction: shown }, this.#encoding),
    );
  }

  #tellDropped(texts: Map<Stream, string[]>, verified: VerifiedTransaction, error: RefusalRecord): void {
    const { id: trx_id, transaction } = verified;
    const { operations, expiration } = transaction;
    const streams = new Set(this.#index.ofBlocks);
    for (const op of operations)
      for (const stream of this.#index.findStreams({ op, fee_payer: op.feeAccount() })) streams.add(stream);
    this.#give(texts, streams, verified, () =>
      noticeText('dropped', { transaction: { trx_id, expiration }, error }, this.#encoding),
    );
  }

  #give(
    texts: Map<Stream, string[]>,
    streams: ReadonlySet<Stream>,
    verified: VerifiedTransaction,
    text: () => string,
  ): void {
    if (streams.size === 0 || this.#isInBlock(verified)) return;
    const item = text();
    for (const stream of streams) streamTexts(texts, stream).push(item);
  }

  /** Readers see a block sooner than this part hears of it: what it has is told with it, and nothing after that. */
  #isInBlock({ id }: VerifiedTransaction): boolean {
    return this.#rows.get(transactionLocations, id) !== undefined;
  }
}

/** The texts for a stream, to which the caller adds. */
export function streamTexts(texts: Map<Stream, string[]>, stream: Stream): string[] {
  const known = texts.get(stream) ?? [];
  texts.set(stream, known);
  return known;
}
