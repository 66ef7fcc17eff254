import { isBeyondItem } from '../../base/fault.ts';
import { findRecovery } from '../../base/recovery.ts';
import { Refusal, catchRefusal, expectRefusal, refusals } from '../../base/refusal.ts';
import { LARGEST_HEADER_BYTES } from '../../blocks/header.ts';
import { idOf, type VerifiedTransaction } from '../../blocks/transaction.ts';
import type { TransactionCheck } from '../../blocks/transaction_check.ts';
import { requireTransactionSize, transactionSizeRefusals } from '../../blocks/transaction_size.ts';
import { headProperties } from '../../state/chain_state.ts';
import { offeredFeeRefusals } from '../../state/fees.ts';
import { transactionLocations } from '../../state/tables/transaction_location.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { TransactionId } from '../../values/hash.ts';
import { timeText, type Seconds } from '../../values/time.ts';
import { applyTransaction, requireFormAndTime, requireSigned } from '../apply/apply_transaction.ts';
import { beginBlock } from '../apply/apply_block.ts';
import { checkTransaction } from '../apply/check_transaction.ts';
import { hardforksDue, ownFirstHeader, type FirstHeader } from '../apply/hardforks.ts';
import type { JournalMark } from '../apply/journal.ts';
import { slotTime } from '../apply/slots.ts';
import type { WorkingState } from '../apply/working_state.ts';
import { Waiting } from './waiting.ts';

const refuse = refusals({
  duplicate_transaction: {
    text: 'transaction {id} was sent before and waits for its block',
    lineage: 'Duplicate transaction check failed',
  },
  expires_too_soon: {
    text: 'the transaction expires at {expiration}, before the block of {block_time} could have it; sign it again with a later expiration',
    lineageCode: 4_030_100,
  },
  head_stands:
    'the transaction expires at {expiration}, and the newest block of this node is of {head_time} and has none behind it: no block to come takes the transaction, and one that this node lacks may have it; ask another node for it before you send anything in its place',
  depends_on_waiting:
    'accepted transactions of {waiting_accounts} wait for a block, and this one may depend on them; send it again when they are in one; without them: {refusal}',
  head_reverted:
    'the chain has gone back to an earlier block, and what waited for a block was dropped; send the transaction again',
  too_many_pending:
    'the transactions that wait for a block have {bytes} bytes, as many as this node keeps; try again in a minute',
});

/** In the next block, or still waiting for a place in one. */
export type Acceptance = 'pending' | 'waiting';

/** A transaction that was accepted and is neither pending nor in a block any more. */
export interface DroppedTransaction {
  readonly transaction: VerifiedTransaction;
  /** Undefined after an unexpected error. */
  readonly reason: Refusal | undefined;
}

/** Listens for the end of accepted transactions. */
export interface PendingListener {
  /** These are gone, once what the chain was told to do is done. */
  dropped(transactions: readonly DroppedTransaction[]): void;
  /** An unexpected error that cost a transaction. */
  report(error: unknown): void;
}

// Limits of the waiting transactions: about a minute of full blocks, which is how long most of them stay valid.
const WAITING_BLOCKS = 20;
const LARGEST_WAITING_BYTES = 64 * 1024 * 1024;

/**
 * The next block as it is built. While it is open, the head is still the previous block, so a transaction applied here
 * is applied as it will be in the block, and need not be applied again.
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
  readonly #waiting = new Waiting();
  /** Transactions that were taken out and have not come back, and why; some are in a block. */
  readonly #left = new Map<TransactionId, DroppedTransaction>();

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

  /** The number of transactions that wait for a place in a block. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** Returns an accepted transaction that still waits for its block. */
  find(id: TransactionId): VerifiedTransaction | undefined {
    const place = this.#isOpen ? this.#state.rows.get(transactionLocations, id) : undefined;
    return this.#waiting.get(id) ?? (place?.block === this.#number ? this.#transactions[place.index] : undefined);
  }

  /**
   * Applies a client's transaction, or queues it when the block is full. A refused transaction leaves no trace. With
   * `mayWaitInVain` it is accepted although it expires before the next block can be. No block to come is of an earlier
   * time than `earliestBlock`, where that is known.
   */
  accept(transaction: VerifiedTransaction, mayWaitInVain = false, earliestBlock: Seconds = 0): Acceptance {
    this.open();
    this.#state.isAccepting = true;
    try {
      this.#requireAcceptable(transaction);
      return this.#add(transaction, mayWaitInVain ? undefined : earliestBlock);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const reason = this.#explained(transaction, error);
      if (this.#left.has(transaction.id)) this.#left.set(transaction.id, { transaction, reason });
      throw reason;
    } finally {
      this.#state.isAccepting = false;
    }
  }

  /** Finds the verdict of `accept` and the effects of a transaction. Nothing of it is kept. */
  check(transaction: VerifiedTransaction, earliestBlock: Seconds = 0): TransactionCheck {
    const wasOpen = this.#isOpen;
    this.open();
    const { rows, journal } = this.#state;
    const mark = journal.mark();
    rows.beginTransaction();
    this.#state.isAccepting = true;
    try {
      const refusal = catchRefusal(() => {
        this.#requireAcceptable(transaction);
        if (!this.#isForNextBlock(transaction)) this.#requireRoom(transaction);
      });
      const place = { block: this.#number, index: this.#transactions.length };
      const check = checkTransaction(this.#state, transaction, {
        refusal,
        ...place,
        finish: () => this.#requireReachable(transaction, earliestBlock),
      });
      const explained = (reason: Refusal | undefined): Refusal | undefined =>
        reason && this.#explained(transaction, reason);
      return {
        ...check,
        refusal: explained(check.refusal),
        refusalWhenSigned: explained(check.refusalWhenSigned),
      };
    } finally {
      this.#state.isAccepting = false;
      rows.discardTransaction();
      journal.cutBack(mark);
      if (!wasOpen) this.#abandon();
    }
  }

  /** The same refusal, or one that says that transactions wait which may be what this one lacks. */
  #explained(transaction: VerifiedTransaction, refusal: Refusal): Refusal {
    if (isFinalInItself(refusal)) return refusal;
    const waiting_accounts = this.#suspects(transaction);
    if (waiting_accounts.length === 0) return refusal;
    const { code: refused_as, message, lineageCode, lineage } = refusal;
    const details = { ...refusal.details, waiting_accounts, refusal: message, refused_as };
    const explained = expectRefusal(() => refuse.depends_on_waiting(details));
    return new Refusal(explained.code, explained.message, explained.details, lineageCode, lineage);
  }

  /** The accounts by which a refused transaction may depend on waiting ones. */
  #suspects(transaction: VerifiedTransaction): AccountName[] {
    const { size } = this.#waiting;
    if (size === 0 || catchRefusal(() => requireFormAndTime(this.#state, transaction)) !== undefined) return [];
    // Only new authorities can make signatures suffice.
    const isSigned = catchRefusal(() => requireSigned(this.#state, transaction)) === undefined;
    return isSigned ? this.#waiting.sharedAccounts(transaction) : this.#waiting.changingAccounts(transaction);
  }

  /** Opens the next block unless it is open. */
  open(): void {
    if (!this.#isOpen) this.#begin(slotTime(this.#state.parameters, headProperties(this.#state), 1));
  }

  /**
   * Adapts the open block to this time: applies the hardforks that are due then, and drops transactions that expire
   * before.
   */
  prepare(timestamp: Seconds): void {
    this.open();
    if (this.hasHardforksOf(ownFirstHeader(this.#state.parameters, timestamp)) && this.#earliestExpiration >= timestamp)
      return;
    const before = this.take();
    this.#begin(timestamp);
    this.#addAll(before);
  }

  /**
   * Returns whether the open block applied the same hardforks as a block of this header would: the first block applies
   * past ones.
   */
  hasHardforksOf(header: FirstHeader): boolean {
    return (
      headProperties(this.#state).head_block_number > 0 ||
      this.#hardforks === hardforksDue(this.#state.parameters, header)
    );
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
    return this.#takeFor(undefined);
  }

  /** The same for transactions that are to be forgotten, because the chain goes back to an earlier block. */
  dropAll(): void {
    this.#takeFor(catchRefusal(() => refuse.head_reverted()));
  }

  /** Tells of the transactions that were taken out and are neither here nor in a block by now. */
  tellDropped(): void {
    this.#waiting.settle();
    if (this.#left.size === 0) return;
    const gone: DroppedTransaction[] = [];
    for (const left of this.#left.values()) if (!this.#isKnown(left.transaction.id)) gone.push(left);
    this.#left.clear();
    if (gone.length > 0) this.#listener.dropped(gone);
  }

  #isKnown(id: TransactionId): boolean {
    return this.#waiting.has(id) || this.#state.rows.get(transactionLocations, id) !== undefined;
  }

  #takeFor(reason: Refusal | undefined): VerifiedTransaction[] {
    const all = [...this.#transactions, ...this.#waiting.values()];
    this.#abandon();
    this.#waiting.takeAll();
    for (const transaction of all) this.#left.set(transaction.id, { transaction, reason });
    return all;
  }

  /** The number of the block that is being built. */
  get #number(): number {
    return headProperties(this.#state).head_block_number + 1;
  }

  /**
   * Fills the next block: with these transactions, then with waiting ones. Those that are no longer valid when their
   * turn comes are dropped.
   */
  refill(transactions: readonly VerifiedTransaction[]): void {
    if (transactions.length + this.#waiting.size === 0) return;
    this.open();
    this.#addAll(transactions);
    for (const transaction of this.#waiting.values()) {
      if (!this.#hasPlace(transaction)) continue;
      this.#waiting.remove(transaction);
      this.#addAgain(transaction);
    }
  }

  #abandon(): void {
    if (this.#isOpen) this.#state.rows.discardBlock();
    this.close();
  }

  #begin(timestamp: Seconds): void {
    this.#state.rows.beginBlock({ prepares: true });
    this.#state.journal.clear();
    this.#isOpen = true;
    this.#timestamp = timestamp;
    const header = ownFirstHeader(this.#state.parameters, timestamp);
    this.#hardforks = hardforksDue(this.#state.parameters, header);
    beginBlock(this.#state, headProperties(this.#state).head_block_number + 1, header);
  }

  #addAll(transactions: readonly VerifiedTransaction[]): void {
    for (const transaction of transactions) this.#addAgain(transaction);
  }

  /**
   * Takes a transaction that was accepted before. Only transactions with a place are applied: a slot must not cost more
   * when more are waiting.
   */
  #addAgain(transaction: VerifiedTransaction): void {
    try {
      this.#requireTime(transaction, this.#timestamp);
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
    const reason = error instanceof Refusal ? this.#explained(transaction, error) : undefined;
    this.#left.set(transaction.id, { transaction, reason });
  }

  /**
   * Applies even a transaction that is not for the next block, to check that it is valid; its changes are then
   * reverted. It may wait in vain where `earliestBlock` is undefined.
   */
  #add(transaction: VerifiedTransaction, earliestBlock: Seconds | undefined): Acceptance {
    const { rows, journal } = this.#state;
    const isReachable = earliestBlock === undefined || transaction.transaction.expiration >= earliestBlock;
    const isForNextBlock = isReachable && this.#isForNextBlock(transaction);
    if (!isForNextBlock) this.#requireRoom(transaction);
    const before = this.#apply(transaction);
    if (isForNextBlock) return this.#keep(transaction, before);
    rows.discardTransaction();
    journal.cutBack(before);
    // Behind all other checks: one that a block has already is a duplicate, however little time it has left.
    if (earliestBlock !== undefined) this.#requireReachable(transaction, earliestBlock);
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
    return LARGEST_HEADER_BYTES + this.#bytes + packed.length < headProperties(this.#state).maximum_block_size;
  }

  /**
   * A transaction that expires before the block is left out. Otherwise it would have to be removed at the slot, and all
   * later ones applied again.
   */
  #outlivesSlot({ transaction }: VerifiedTransaction): boolean {
    return transaction.expiration >= this.#timestamp;
  }

  /**
   * The time of the first block may be any, as far as the chain knows. While the head stands, blocks of earlier slots
   * may lie elsewhere.
   */
  #requireReachable(transaction: VerifiedTransaction, earliestBlock: Seconds): void {
    this.#requireTime(transaction, this.#number > 1 ? this.#timestamp : 0);
    const { expiration } = transaction.transaction;
    if (expiration < earliestBlock)
      refuse.head_stands({ expiration: timeText(expiration), head_time: timeText(headProperties(this.#state).time) });
  }

  #requireTime({ id, transaction: { expiration } }: VerifiedTransaction, blockTime: Seconds): void {
    if (expiration < blockTime)
      refuse.expires_too_soon({ id, expiration: timeText(expiration), block_time: timeText(blockTime) });
  }

  /**
   * Applies it in a session of the rows that stays open; returns the journal's mark before it. A refused transaction
   * leaves no trace.
   */
  #apply(transaction: VerifiedTransaction): JournalMark {
    const { rows, journal } = this.#state;
    const mark = journal.mark();
    rows.beginTransaction();
    try {
      applyTransaction(this.#state, transaction, {
        block: this.#number,
        index: this.#transactions.length,
        isTrusted: false,
      });
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
    this.#left.delete(transaction.id);
    for (const account of journal.changedAccounts(before)) sequences.prefetch(account);
    this.#transactions.push(transaction);
    this.#bytes += transaction.packed.length;
    this.#earliestExpiration = Math.min(this.#earliestExpiration, transaction.transaction.expiration);
    return 'pending';
  }

  #wait(transaction: VerifiedTransaction): Acceptance {
    if (this.#waiting.has(transaction.id)) refuse.duplicate_transaction({ id: transaction.id });
    this.#waiting.add(transaction);
    this.#left.delete(transaction.id);
    return 'waiting';
  }

  #requireRoom({ packed }: VerifiedTransaction): void {
    const room = Math.min(WAITING_BLOCKS * headProperties(this.#state).maximum_block_size, LARGEST_WAITING_BYTES);
    const { bytes } = this.#waiting;
    if (bytes + packed.length > room) refuse.too_many_pending({ bytes });
  }
}

const FINAL = { ...refuse.texts, ...transactionSizeRefusals, ...offeredFeeRefusals };

/** Returns whether no transaction before this one could cure the refusal, or it says by itself that time does. */
function isFinalInItself({ code }: Refusal): boolean {
  return Object.hasOwn(FINAL, code) || findRecovery(code) !== 'final';
}

/** Those of some pending transactions that a block does not have. */
export function without(
  pending: readonly VerifiedTransaction[],
  included: readonly VerifiedTransaction[],
): VerifiedTransaction[] {
  const ids = new Set(included.map(idOf));
  const left: VerifiedTransaction[] = [];
  for (const transaction of pending) if (!ids.has(transaction.id)) left.push(transaction);
  return left;
}
