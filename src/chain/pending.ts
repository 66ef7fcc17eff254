import { isBeyondItem } from '../base/fault.ts';
import { Refusal, refusalOf, refusals } from '../base/refusal.ts';
import { LARGEST_HEADER_BYTES } from '../blocks/header.ts';
import type { VerifiedTransaction } from '../blocks/transaction.ts';
import type { TransactionCheck } from '../blocks/transaction_check.ts';
import { requireTransactionSize } from '../blocks/transaction_size.ts';
import { headOf } from '../state/chain_state.ts';
import { transactionLocations } from '../state/tables/transaction_location.ts';
import type { TransactionId } from '../values/hash.ts';
import { timeText, type Seconds } from '../values/time.ts';
import { applyTransaction } from './apply_transaction.ts';
import { beginBlock } from './apply_block.ts';
import { checkTransaction } from './check_transaction.ts';
import { hardforksDue } from './hardforks.ts';
import type { JournalMark } from './journal.ts';
import { slotTime } from './slots.ts';
import type { WorkingState } from './working_state.ts';

const refuse = refusals({
  duplicate_transaction: {
    text: 'transaction {id} was sent before and waits for its block',
    lineage: 'Duplicate transaction check failed',
  },
  expires_too_soon:
    'the transaction expires at {expiration}, before the block of {block_time} could have it; sign it again with a later expiration',
  head_reverted: 'the chain has gone back to an earlier block, and what waited for a block was dropped; send the transaction again',
  too_many_pending: 'the transactions that wait for a block have {bytes} bytes, as many as this node keeps; try again in a minute',
});

/** In the next block, or still waiting for a place in one. */
export type Acceptance = 'pending' | 'waiting';

/** What hears of transactions that were accepted before. */
export interface PendingListener {
  /** It waits no longer, without being in a block: for that reason, or after an unexpected error. */
  dropped(transaction: VerifiedTransaction, reason: Refusal | undefined): void;
  /** An unexpected error that cost a transaction. */
  report(error: unknown): void;
}

// Limits of the waiting transactions: about a minute of full blocks, which is how long most of them stay valid.
const WAITING_BLOCKS = 20;
const LARGEST_WAITING_BYTES = 64 * 1024 * 1024;

/**
 * The next block as it is built. While it is open, the head is still the previous block, so a transaction applied here is applied as it
 * will be in the block, and need not be applied again.
 */
export class Pending {
  readonly #state: WorkingState;
  readonly #listener: PendingListener;
  #isOpen = false;
  /** The earliest possible time of the open block. */
  #timestamp = 0;
  #hardforks = 0;
  #earliestExpiration = Infinity;
  #bytes = 0;
  #transactions: VerifiedTransaction[] = [];
  readonly #waiting = new Map<TransactionId, VerifiedTransaction>();
  #waitingBytes = 0;

  constructor(state: WorkingState, listener: PendingListener) {
    this.#state = state;
    this.#listener = listener;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** In the order that they will have in the block. */
  get transactions(): readonly VerifiedTransaction[] {
    return this.#transactions;
  }

  /** How many transactions wait for a place in a block. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Applies a client's transaction, or queues it when the block is full. A refused transaction leaves no trace. */
  accept(transaction: VerifiedTransaction): Acceptance {
    this.open();
    this.#requireAcceptable(transaction);
    this.#state.isAccepting = true;
    try {
      return this.#add(transaction);
    } finally {
      this.#state.isAccepting = false;
    }
  }

  /** What `accept` would say to a transaction, and what that would do. Nothing of it is kept. */
  check(transaction: VerifiedTransaction): TransactionCheck {
    const wasOpen = this.#isOpen;
    this.open();
    const { rows, journal } = this.#state;
    const mark = journal.mark();
    rows.beginTransaction();
    this.#state.isAccepting = true;
    try {
      const refusal = refusalOf(() => {
        this.#requireAcceptable(transaction);
        if (!this.#isForNextBlock(transaction)) this.#requireRoom(transaction);
      });
      const block = headOf(this.#state).head_block_number + 1;
      return checkTransaction(this.#state, transaction, { refusal, block, index: this.#transactions.length });
    } finally {
      this.#state.isAccepting = false;
      rows.discardTransaction();
      journal.cutBack(mark);
      if (!wasOpen) this.#abandon();
    }
  }

  /** Opens the next block unless it is open. */
  open(): void {
    if (!this.#isOpen) this.#begin(slotTime(this.#state.parameters, headOf(this.#state), 1));
  }

  /** Adapts the open block to this time: applies the hardforks that are due then, and drops transactions that expire before. */
  prepare(timestamp: Seconds): void {
    this.open();
    if (this.hasHardforksOf(timestamp) && this.#earliestExpiration >= timestamp) return;
    const before = this.take();
    this.#begin(timestamp);
    this.#addAll(before);
  }

  /** Whether the open block applied the same hardforks as a block of this time would: the first block applies past ones. */
  hasHardforksOf(timestamp: Seconds): boolean {
    return headOf(this.#state).head_block_number > 0 || this.#hardforks === hardforksDue(timestamp);
  }

  /** The open block has been sealed and is part of the chain. Waiting transactions remain. */
  close(): void {
    this.#isOpen = false;
    this.#transactions = [];
    this.#bytes = 0;
    this.#earliestExpiration = Infinity;
  }

  /** Undoes the open block and returns all transactions that were in it or waiting, in order. */
  take(): VerifiedTransaction[] {
    const all = [...this.#transactions, ...this.#waiting.values()];
    this.#abandon();
    this.#waiting.clear();
    this.#waitingBytes = 0;
    return all;
  }

  /** The same for transactions that are to be forgotten, because the chain goes back to an earlier block. */
  dropAll(): void {
    const reason = refusalOf(() => refuse.head_reverted());
    for (const transaction of this.take()) this.#listener.dropped(transaction, reason);
  }

  /**
   * Fills the next block: with these transactions, then with waiting ones. Those that are no longer valid when their turn comes are
   * dropped.
   */
  refill(transactions: readonly VerifiedTransaction[]): void {
    if (transactions.length + this.#waiting.size === 0) return;
    this.open();
    this.#addAll(transactions);
    for (const transaction of this.#waiting.values()) {
      if (!this.#hasPlace(transaction)) continue;
      this.#waiting.delete(transaction.id);
      this.#waitingBytes -= transaction.packed.length;
      this.#addAgain(transaction);
    }
  }

  #abandon(): void {
    if (this.#isOpen) this.#state.rows.discardBlock();
    this.close();
  }

  #begin(timestamp: Seconds): void {
    this.#state.rows.beginBlock();
    this.#state.journal.clear();
    this.#isOpen = true;
    this.#timestamp = timestamp;
    this.#hardforks = hardforksDue(timestamp);
    beginBlock(this.#state, headOf(this.#state).head_block_number + 1, timestamp);
  }

  #addAll(transactions: readonly VerifiedTransaction[]): void {
    for (const transaction of transactions) this.#addAgain(transaction);
  }

  /**
   * Takes a transaction that was accepted before. Only transactions with a place are applied: a slot must not cost more when more are
   * waiting.
   */
  #addAgain(transaction: VerifiedTransaction): void {
    try {
      this.#requireTime(transaction);
      if (this.#hasPlace(transaction)) {
        this.#keep(transaction, this.#apply(transaction));
      } else {
        this.#requireRoom(transaction);
        this.#wait(transaction);
      }
    } catch (error) {
      if (isBeyondItem(error)) throw error;
      // It is dropped, without affecting those after it.
      this.#drop(transaction, error);
    }
  }

  #drop(transaction: VerifiedTransaction, error: unknown): void {
    if (!(error instanceof Refusal)) this.#listener.report(error);
    // One that another branch has in a block, or that waits already, is not gone.
    if (this.#waiting.has(transaction.id) || this.#state.rows.get(transactionLocations, transaction.id) !== undefined) return;
    this.#listener.dropped(transaction, error instanceof Refusal ? error : undefined);
  }

  /** Applies even a transaction that is not for the next block, to check that it is valid; its changes are then reverted. */
  #add(transaction: VerifiedTransaction): Acceptance {
    const { rows, journal } = this.#state;
    const isForNextBlock = this.#isForNextBlock(transaction);
    if (!isForNextBlock) this.#requireRoom(transaction);
    const before = this.#apply(transaction);
    if (isForNextBlock) return this.#keep(transaction, before);
    rows.discardTransaction();
    journal.cutBack(before);
    return this.#wait(transaction);
  }

  #requireAcceptable({ id, packed }: VerifiedTransaction): void {
    requireTransactionSize(packed, this.#state.parameters);
    if (this.#waiting.has(id)) refuse.duplicate_transaction({ id });
  }

  #isForNextBlock(transaction: VerifiedTransaction): boolean {
    return this.#hasPlace(transaction) && this.#outlivesSlot(transaction);
  }

  #hasPlace({ packed }: VerifiedTransaction): boolean {
    return LARGEST_HEADER_BYTES + this.#bytes + packed.length < headOf(this.#state).maximum_block_size;
  }

  /**
   * A transaction that expires before the block is left out. Otherwise it would have to be removed at the slot, and all later ones applied
   * again.
   */
  #outlivesSlot({ transaction }: VerifiedTransaction): boolean {
    return transaction.expiration >= this.#timestamp;
  }

  #requireTime(transaction: VerifiedTransaction): void {
    if (this.#outlivesSlot(transaction)) return;
    refuse.expires_too_soon({ expiration: timeText(transaction.transaction.expiration), block_time: timeText(this.#timestamp) });
  }

  /** Applies it in a session of the rows that stays open; returns the journal's mark before it. A refused transaction leaves no trace. */
  #apply(transaction: VerifiedTransaction): JournalMark {
    const { rows, journal } = this.#state;
    const mark = journal.mark();
    rows.beginTransaction();
    try {
      const block = headOf(this.#state).head_block_number + 1;
      applyTransaction(this.#state, transaction, { block, index: this.#transactions.length, isTrusted: false });
    } catch (error) {
      rows.discardTransaction();
      journal.cutBack(mark);
      throw error;
    }
    return mark;
  }

  #keep(transaction: VerifiedTransaction, before: JournalMark): Acceptance {
    const { rows, journal, sequences } = this.#state;
    rows.mergeTransaction();
    for (const account of journal.accountsSince(before)) sequences.prefetch(account);
    this.#transactions.push(transaction);
    this.#bytes += transaction.packed.length;
    this.#earliestExpiration = Math.min(this.#earliestExpiration, transaction.transaction.expiration);
    return 'pending';
  }

  #wait(transaction: VerifiedTransaction): Acceptance {
    if (this.#waiting.has(transaction.id)) refuse.duplicate_transaction({ id: transaction.id });
    this.#waiting.set(transaction.id, transaction);
    this.#waitingBytes += transaction.packed.length;
    return 'waiting';
  }

  #requireRoom({ packed }: VerifiedTransaction): void {
    const room = Math.min(WAITING_BLOCKS * headOf(this.#state).maximum_block_size, LARGEST_WAITING_BYTES);
    if (this.#waitingBytes + packed.length > room) refuse.too_many_pending({ bytes: this.#waitingBytes });
  }
}
