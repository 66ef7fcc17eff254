import { accountHistories, type AccountHistory } from '../state/tables/account_history.ts';
import type { CommittedRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';

// Next numbers kept in memory, about 100 bytes each: accounts that act in many blocks should not be looked up in each.
const LARGEST_CACHE = 200_000;

/** Which number the next entry of an account's history gets. Histories lie on the disk; this remembers where they end. */
export class HistorySequences {
  readonly #committed: CommittedRows;
  readonly #first: number;
  readonly #next = new Map<AccountName, number>();

  /** `first` is the number of an account's first entry. */
  constructor(committed: CommittedRows, first: number) {
    this.#committed = committed;
    this.#first = first;
  }

  /** Hands out `count` numbers and answers the first of them. */
  take(account: AccountName, count: number): number {
    const next = this.#next.get(account) ?? this.#afterLast(account);
    this.#next.set(account, next + count);
    return next;
  }

  /** Numbers that were handed out are on the disk now. */
  commit(): void {
    if (this.#next.size > LARGEST_CACHE) this.#next.clear();
  }

  /** Numbers that were handed out since the last commit, or blocks on the disk, are taken back. */
  discard(): void {
    this.#next.clear();
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
