import { accountHistories, type AccountHistory } from '../state/tables/account_history.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';

// Next numbers kept in memory, about 100 bytes each, twice as many at the most: accounts that act in many blocks should not be
// looked up in each.
const LARGEST_CACHE = 100_000;

/** Which number the next entry of an account's history gets. Histories lie on the disk; this remembers where they end. */
export class HistorySequences {
  readonly #committed: CommittedRows;
  readonly #first: number;
  readonly #capacity: number;
  #next = new Map<AccountName, number>();
  /** What has not been asked for since `#next` began. */
  #older = new Map<AccountName, number>();

  /** `first` is the number of an account's first entry, `capacity` of how many accounts numbers are kept between blocks. */
  constructor(committed: CommittedRows, first: number, capacity = LARGEST_CACHE) {
    this.#capacity = capacity;
    this.#committed = committed;
    this.#first = first;
  }

  /** Looks up where the history ends, which costs most of `take`, so that a slot need not wait for it. */
  foresee(account: AccountName): void {
    if (!this.#next.has(account)) this.#next.set(account, this.#known(account));
  }

  /** Hands out `count` numbers and answers the first of them. */
  take(account: AccountName, count: number): number {
    const next = this.#known(account);
    this.#next.set(account, next + count);
    return next;
  }

  /** Numbers that were handed out are on the disk now. */
  commit(): void {
    if (this.#next.size < this.#capacity) return;
    this.#older = this.#next;
    this.#next = new Map();
  }

  /** Numbers that were handed out since the last commit, or blocks on the disk, are taken back. */
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
