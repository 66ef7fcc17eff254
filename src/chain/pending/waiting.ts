import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import { actingAccounts } from '../../operations/operation.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { TransactionId } from '../../values/hash.ts';

/** Accepted transactions that wait for a place in a block, in the order of their arrival. */
export class Waiting {
  #transactions = new Map<TransactionId, VerifiedTransaction>();
  /** Those that were taken out, most of which come back: their accounts still count. */
  #taken = new Map<TransactionId, VerifiedTransaction>();
  readonly #concerned = new AccountCounts();
  /** Accounts that get other authorities, new accounts among them. */
  readonly #changing = new AccountCounts();
  #bytes = 0;

  get size(): number {
    return this.#transactions.size;
  }

  /** The bytes of all. */
  get bytes(): number {
    return this.#bytes;
  }

  get(id: TransactionId): VerifiedTransaction | undefined {
    return this.#transactions.get(id);
  }

  has(id: TransactionId): boolean {
    return this.#transactions.has(id);
  }

  /** They may be removed meanwhile. */
  values(): IterableIterator<VerifiedTransaction> {
    return this.#transactions.values();
  }

  add(transaction: VerifiedTransaction): void {
    this.#transactions.set(transaction.id, transaction);
    this.#bytes += transaction.packed.length;
    if (!this.#taken.delete(transaction.id)) this.#count(transaction, 1);
  }

  remove(transaction: VerifiedTransaction): void {
    if (!this.#transactions.delete(transaction.id)) return;
    this.#bytes -= transaction.packed.length;
    this.#count(transaction, -1);
  }

  /** Takes all of them out; `settle` must follow, behind those that come back. */
  takeAll(): void {
    this.settle();
    [this.#transactions, this.#taken] = [this.#taken, this.#transactions];
    this.#bytes = 0;
  }

  /** Stops counting transactions that were taken out and have not come back. */
  settle(): void {
    for (const transaction of this.#taken.values()) this.#count(transaction, -1);
    this.#taken.clear();
  }

  /** The accounts of this transaction that waiting ones concern too; each once. */
  sharedAccounts(transaction: VerifiedTransaction): AccountName[] {
    return [...concernedAccounts(transaction)].filter((account) => this.#concerned.has(account));
  }

  /** Those of them whose authorities waiting ones set. */
  changingAccounts(transaction: VerifiedTransaction): AccountName[] {
    return [...concernedAccounts(transaction)].filter((account) => this.#changing.has(account));
  }

  #count(transaction: VerifiedTransaction, change: 1 | -1): void {
    this.#concerned.count(concernedAccounts(transaction), change);
    this.#changing.count(changedAccounts(transaction), change);
  }
}

/** Counts transactions by account. */
class AccountCounts {
  readonly #counts = new Map<AccountName, number>();

  has(account: AccountName): boolean {
    return this.#counts.has(account);
  }

  count(accounts: Iterable<AccountName>, change: 1 | -1): void {
    for (const account of accounts) {
      const count = (this.#counts.get(account) ?? 0) + change;
      if (count === 0) this.#counts.delete(account);
      else this.#counts.set(account, count);
    }
  }
}

/** Those in whose histories it will be, and those that have to sign it. */
function concernedAccounts({ transaction }: VerifiedTransaction): Set<AccountName> {
  return new Set(
    transaction.operations.flatMap((operation) => [...operation.impacted(), ...actingAccounts(operation)]),
  );
}

function changedAccounts({ transaction }: VerifiedTransaction): Set<AccountName> {
  return new Set(
    transaction.operations.flatMap((operation) => operation.setAuthorities().map(({ account }) => account)),
  );
}
