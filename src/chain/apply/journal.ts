import { ByteWriter } from '../../codec/bytes.ts';
import { writeOperation } from '../../operations/index.ts';
import type { ChainEvent } from '../../state/chain_state.ts';
import type { BlockReceipt } from '../../state/stored_blocks.ts';
import type { OperationPointer } from '../../state/tables/account_history.ts';
import {
  OUTSIDE_TRANSACTIONS,
  type SponsoredOperation,
  type VirtualOperationRecord,
} from '../../state/tables/block_part.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { Seconds } from '../../values/time.ts';

/** The size of a journal, to truncate it to when a transaction fails. */
export interface JournalMark {
  readonly virtualOperations: number;
  readonly sponsored: number;
  readonly entries: number;
}

const scratch = new ByteWriter(256);

/** Collects the effects of an open block besides changed rows: virtual operations, sponsored fees, history entries. */
export class Journal {
  #virtualOperations: VirtualOperationRecord[] = [];
  #sponsored: SponsoredOperation[] = [];
  /** Two parallel arrays: the account of the history, and the entry. */
  #accounts: AccountName[] = [];
  #pointers: OperationPointer[] = [];
  #transaction = 0;
  #operation = 0;
  #virtualOperation = 0;

  /** Clears everything: another block begins. */
  clear(): void {
    this.#virtualOperations = [];
    this.#sponsored = [];
    this.#accounts = [];
    this.#pointers = [];
    this.#transaction = 0;
    this.#operation = 0;
    this.#virtualOperation = 0;
  }

  /** Later entries belong to the transaction with that index. */
  enterTransaction(index: number): void {
    this.#transaction = index;
    this.#operation = 0;
    this.#virtualOperation = 0;
  }

  /** Later entries belong to the block itself. */
  leaveTransactions(): void {
    this.enterTransaction(OUTSIDE_TRANSACTIONS);
  }

  /** Adds an operation of a transaction to the histories of all accounts that it concerns. */
  noteOperation(index: number, impacted: readonly AccountName[], feeAccount: AccountName, payer: AccountName): void {
    this.#operation = index;
    this.#enter(impacted, { trx_in_block: this.#transaction, op_in_trx: index, virtual_op: 0 }, payer);
    if (payer !== feeAccount)
      this.#sponsored.push({ trx_in_block: this.#transaction, op_in_trx: index, fee_payer: payer });
  }

  /** Records an automatic event of the chain, at head time `timestamp`. */
  noteEvent(event: ChainEvent, timestamp: Seconds): void {
    const [trx_in_block, op_in_trx, virtual_op] = [this.#transaction, this.#operation, ++this.#virtualOperation];
    scratch.reset();
    writeOperation(scratch, event);
    this.#virtualOperations.push({ trx_in_block, op_in_trx, virtual_op, timestamp, packed: scratch.copy() });
    // The lineage also adds virtual operations to the history of the account with the empty name, a recorded defect.
    this.#enter(event.impacted(), { trx_in_block, op_in_trx, virtual_op }, '');
  }

  mark(): JournalMark {
    return {
      virtualOperations: this.#virtualOperations.length,
      sponsored: this.#sponsored.length,
      entries: this.#accounts.length,
    };
  }

  /** The accounts whose histories grew since the mark; some more than once. */
  changedAccounts({ entries }: JournalMark): readonly AccountName[] {
    return this.#accounts.slice(entries);
  }

  /** Drops what was recorded since the mark. */
  cutBack({ virtualOperations, sponsored, entries }: JournalMark): void {
    this.#virtualOperations.length = virtualOperations;
    this.#sponsored.length = sponsored;
    this.#accounts.length = entries;
    this.#pointers.length = entries;
  }

  receipt(timeBefore: Seconds): BlockReceipt {
    return { timeBefore, sponsored: this.#sponsored, virtualOperations: this.#virtualOperations };
  }

  /** The new entries of each history, oldest first. */
  histories(): Map<AccountName, OperationPointer[]> {
    const histories = new Map<AccountName, OperationPointer[]>();
    for (let index = 0; index < this.#accounts.length; index++) {
      const [account, pointer] = [this.#accounts[index], this.#pointers[index]];
      if (account === undefined || pointer === undefined) continue;
      const entries = histories.get(account);
      if (entries === undefined) histories.set(account, [pointer]);
      else entries.push(pointer);
    }
    return histories;
  }

  #enter(impacted: readonly AccountName[], pointer: OperationPointer, payer: AccountName): void {
    for (let at = 0; at < impacted.length; at++) {
      const account = impacted[at];
      if (account !== undefined && account !== payer && impacted.indexOf(account) === at) this.#push(account, pointer);
    }
    if (payer !== '' || impacted.includes('')) this.#push(payer, pointer);
  }

  #push(account: AccountName, pointer: OperationPointer): void {
    this.#accounts.push(account);
    this.#pointers.push(pointer);
  }
}
