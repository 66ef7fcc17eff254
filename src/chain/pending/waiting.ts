import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import type { AccountName } from '../../values/account_name.ts';
import type { TransactionId } from '../../values/hash.ts';

/** Accepted transactions that wait for a place in a block, in the order of their arrival. */
export class Waiting {
  readonly #transactions = new Map<TransactionId, VerifiedTransaction>();
  /** The number of waiting transactions that concern each account. */
  readonly #concerned = new Map<AccountName, number>();
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
    this.#count(transaction, 1);
  }

  remove(transaction: VerifiedTransaction): void {
    if (!this.#transactions.delete(transaction.id)) return;
    this.#bytes -= transaction.packed.length;
    this.#count(transaction, -1);
  }

  clear(): void {
    this.#transactions.clear();
    this.#concerned.clear();
    this.#bytes = 0;
  }

  /** The accounts of this transaction that waiting ones concern too; each once. */
  shared(transaction: VerifiedTransaction): AccountName[] {
    return [...accountsOf(transaction)].filter((account) => this.#concerned.has(account));
  }

  #count(transaction: VerifiedTransaction, change: 1 | -1): void {
    for (const account of accountsOf(transaction)) {
      const count = (this.#concerned.get(account) ?? 0) + change;
      if (count === 0) this.#concerned.delete(account);
      else this.#concerned.set(account, count);
    }
  }
}

function accountsOf({ transaction }: VerifiedTransaction): Set<AccountName> {
  return new Set(transaction.operations.flatMap((operation) => operation.impacted()));
}
