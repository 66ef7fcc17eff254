import { isBeyondItem } from '../base/fault.ts';
import { Refusal, refusals } from '../base/refusal.ts';
import { LARGEST_HEADER_BYTES } from '../blocks/header.ts';
import type { ProvedTransaction } from '../blocks/transaction.ts';
import { requireTransactionSize } from '../blocks/transaction_size.ts';
import { headOf } from '../state/chain_state.ts';
import type { TransactionId } from '../values/hash.ts';
import type { Seconds } from '../values/time.ts';
import { applyTransaction } from './apply_transaction.ts';
import { beginBlock } from './apply_block.ts';
import { hardforksDue } from './hardforks.ts';
import type { JournalMark } from './journal.ts';
import { slotTime } from './slots.ts';
import type { WorkingState } from './working_state.ts';

const refuse = refusals({
  duplicate_transaction: {
    text: 'transaction {id} was sent before and waits for its block',
    lineage: 'Duplicate transaction check failed',
  },
  too_many_pending: 'the transactions that wait for a block have {bytes} bytes, as many as this node keeps; try again in a minute',
});

/** In the next block, or still waiting for a place in one. */
export type Acceptance = 'pending' | 'waiting';

// Transactions that wait for a place: about a minute of full blocks, which is how long most of them stay valid.
const WAITING_BLOCKS = 20;
const LARGEST_WAITING_BYTES = 64 * 1024 * 1024;

/**
 * The next block in the making. While it is open, the head is still the block before, so a transaction that is applied here
 * is applied as it will be in the block, and is not applied again.
 */
export class Pending {
  readonly #state: WorkingState;
  readonly #report: (error: unknown) => void;
  #isOpen = false;
  /** The earliest time that the open block can have. */
  #timestamp = 0;
  #hardforks = 0;
  #earliestExpiration = Infinity;
  #bytes = 0;
  #transactions: ProvedTransaction[] = [];
  readonly #waiting = new Map<TransactionId, ProvedTransaction>();
  #waitingBytes = 0;

  /** `report` hears of what went wrong with a transaction that was accepted before, and that nobody foresaw. */
  constructor(state: WorkingState, report: (error: unknown) => void) {
    this.#state = state;
    this.#report = report;
  }

  /** In the order in which they will be in the block. */
  get transactions(): readonly ProvedTransaction[] {
    return this.#transactions;
  }

  /** How many wait for a place in a block. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Applies a transaction from a client, or lets it wait when the block is full. Refused, it leaves no trace. */
  accept(transaction: ProvedTransaction): Acceptance {
    this.open();
    requireTransactionSize(transaction.packed, this.#state.parameters);
    if (this.#waiting.has(transaction.id)) refuse.duplicate_transaction({ id: transaction.id });
    this.#state.isAccepting = true;
    try {
      return this.#add(transaction);
    } finally {
      this.#state.isAccepting = false;
    }
  }

  /** Begins the next block, unless it is open. */
  open(): void {
    if (!this.#isOpen) this.#begin(slotTime(this.#state.parameters, headOf(this.#state), 1));
  }

  /** Makes the block one that can have this time: hardforks that are due then, and nothing that expires before. */
  prepare(timestamp: Seconds): void {
    this.open();
    if (this.hasHardforksOf(timestamp) && this.#earliestExpiration >= timestamp) return;
    const kept = this.take().filter(({ transaction }) => transaction.expiration >= timestamp);
    this.#begin(timestamp);
    this.#addAll(kept);
  }

  /** Whether the open block began as a block of this time does: the first block applies the hardforks of the past. */
  hasHardforksOf(timestamp: Seconds): boolean {
    return headOf(this.#state).head_block_number > 0 || this.#hardforks === hardforksDue(timestamp);
  }

  /** The rows of the open block have been sealed: it is a block of the chain now. What waits is left. */
  close(): void {
    this.#isOpen = false;
    this.#transactions = [];
    this.#bytes = 0;
    this.#earliestExpiration = Infinity;
  }

  /** Undoes the open block and hands out everything that was in it or waited, in order. */
  take(): ProvedTransaction[] {
    const all = [...this.#transactions, ...this.#waiting.values()];
    if (this.#isOpen) this.#state.rows.discardBlock();
    this.close();
    this.#waiting.clear();
    this.#waitingBytes = 0;
    return all;
  }

  /** Fills the next block: with these, then with what waits. What is not valid any more when its turn comes is dropped. */
  refill(transactions: readonly ProvedTransaction[]): void {
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

  #begin(timestamp: Seconds): void {
    this.#state.rows.beginBlock();
    this.#state.journal.clear();
    this.#isOpen = true;
    this.#timestamp = timestamp;
    this.#hardforks = hardforksDue(timestamp);
    beginBlock(this.#state, headOf(this.#state).head_block_number + 1, timestamp);
  }

  #addAll(transactions: readonly ProvedTransaction[]): void {
    for (const transaction of transactions) this.#addAgain(transaction);
  }

  /** Takes what was accepted before. Only what has a place is applied: a slot must not cost more when more waits. */
  #addAgain(transaction: ProvedTransaction): void {
    try {
      if (!this.#hasPlace(transaction)) {
        this.#requireRoom(transaction);
        this.#wait(transaction);
      } else if (this.#outlivesSlot(transaction)) {
        this.#keep(transaction, this.#apply(transaction));
      }
    } catch (error) {
      if (isBeyondItem(error)) throw error;
      // It is dropped, and those behind it are none the worse for it.
      if (!(error instanceof Refusal)) this.#report(error);
    }
  }

  /** Even what is not for the next block is applied, to see that it could be; its trace is removed. */
  #add(transaction: ProvedTransaction): Acceptance {
    const { rows, journal } = this.#state;
    const isForNextBlock = this.#hasPlace(transaction) && this.#outlivesSlot(transaction);
    if (!isForNextBlock) this.#requireRoom(transaction);
    const before = this.#apply(transaction);
    if (isForNextBlock) return this.#keep(transaction, before);
    rows.discardTransaction();
    journal.cutBack(before);
    return this.#wait(transaction);
  }

  #hasPlace({ packed }: ProvedTransaction): boolean {
    return LARGEST_HEADER_BYTES + this.#bytes + packed.length < headOf(this.#state).maximum_block_size;
  }

  /** What expires before the block stays out of it. In it, it would have to be taken out at the slot, and all that follow applied again. */
  #outlivesSlot({ transaction }: ProvedTransaction): boolean {
    return transaction.expiration >= this.#timestamp;
  }

  /** Applies it in a transaction of the rows that is left open; answers where the journal stood. Refused, it leaves no trace. */
  #apply(transaction: ProvedTransaction): JournalMark {
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

  #keep(transaction: ProvedTransaction, before: JournalMark): Acceptance {
    const { rows, journal, sequences } = this.#state;
    rows.mergeTransaction();
    for (const account of journal.accountsSince(before)) sequences.foresee(account);
    this.#transactions.push(transaction);
    this.#bytes += transaction.packed.length;
    this.#earliestExpiration = Math.min(this.#earliestExpiration, transaction.transaction.expiration);
    return 'pending';
  }

  #wait(transaction: ProvedTransaction): Acceptance {
    if (this.#waiting.has(transaction.id)) refuse.duplicate_transaction({ id: transaction.id });
    this.#waiting.set(transaction.id, transaction);
    this.#waitingBytes += transaction.packed.length;
    return 'waiting';
  }

  #requireRoom({ packed }: ProvedTransaction): void {
    const room = Math.min(WAITING_BLOCKS * headOf(this.#state).maximum_block_size, LARGEST_WAITING_BYTES);
    if (this.#waitingBytes + packed.length > room) refuse.too_many_pending({ bytes: this.#waitingBytes });
  }
}
