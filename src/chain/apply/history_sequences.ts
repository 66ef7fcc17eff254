import { accountHistories, type AccountHistory } from '../../state/tables/account_history.ts';
import type { CommittedRows } from '../../storage/rows.ts';
import type { AccountName } from '../../values/account_name.ts';

// Sequence numbers kept in memory, about 100 bytes each, at most twice as many: avoids looking up accounts that act in
// many blocks again for each block.
const LARGEST_CACHE = 100_000;

/**
 * The sequence number of the next entry of an account's history. Histories are on disk; this remembers where they end.
 */
export class HistorySequences {
  readonly #committed: CommittedRows;
  readonly #first: number;
  readonly #capacity: number;
  #next = new Map<AccountName, number>();
  /** Numbers that have not been used since `#next` was started. */
  #older = new Map<AccountName, number>();

  /**
   * `first` is the number of an account's first entry, `capacity` the number of accounts whose numbers are kept between
   * blocks.
   */
  constructor(committed: CommittedRows, first: number, capacity = LARGEST_CACHE) {
    this.#capacity = capacity;
    this.#committed = committed;
    this.#first = first;
  }

  /**
   * Looks up the end of the history, which is most of the cost of `take`, in advance so that a slot need not wait for
   * it.
   */
  prefetch(account: AccountName): void {
    if (!this.#next.has(account)) this.#next.set(account, this.#known(account));
  }

  /** Reserves `count` numbers and returns the first of them. */
  take(account: AccountName, count: number): number {
    const next = this.#known(account);
    this.#next.set(account, next + count);
    return next;
  }

  /** The reserved numbers are on disk now. */
  commit(): void {
    if (this.#next.size < this.#capacity) return;
    this.#older = this.#next;
    this.#next = new Map();
  }

  /** Numbers reserved since the last commit, or blocks on disk, are undone. */
  discard(): void {
    this.#next.clear();
    this.#older.clear();
  }

  #known(account: AccountName): number {
    return this.#next.get(account) ?? this.#older.get(account) ?? this.#afterLast(account);
  }

  #afterLast(account: AccountName): number {
    const [last]: (AccountHistory | undefined)[] = this.#committed.rows(accountHistories, {
      from: { account },
      to: { account },
      reverse: true,
      limit: 1,
    });
    return last === undefined ? this.#first : last.first_sequence + last.entries.length;
  }
}
