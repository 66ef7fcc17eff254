import { present } from '../../base/assert.ts';
import { followingHistory, findLaterHistory } from '../account_history.ts';
import { BlockOperations } from '../history_entry.ts';
import type { AccountHistory, OperationPointer } from '../../state/tables/account_history.ts';
import type { CommittedRows } from '../../storage/rows.ts';
import type { AccountName } from '../../values/account_name.ts';
import { pointerPlace, type OperationChunk } from './later_operations.ts';
import { comparePlaces, positionNumber, WHOLE_BLOCK, type Position } from './position.ts';

/** Histories looked into at once: each is a search by halves, some 20 reads. */
const SEARCHES_AT_ONCE = 16;
/** Operations read at once. */
const PAGE = 100;

/** A walk's next history row of an account, or `nothing`. */
type Found = AccountHistory | 'nothing';
/** A step's findings, by account. */
export type FoundRows = readonly (readonly [AccountName, Found])[];

/**
 * Walks through what has concerned some accounts, up to one block: from one of their operations to the next, however
 * many blocks of others lie between. Each step reads little. Steps only read; what they find is noted by `note`.
 */
export class HistoryWalk {
  /** The last block of this walk. It is of no use any more once another branch has replaced that. */
  readonly end: Position;
  readonly #accounts: readonly AccountName[];
  readonly #next = new Map<AccountName, Found>();

  constructor(accounts: Iterable<AccountName>, end: Position) {
    this.#accounts = [...accounts];
    this.end = end;
  }

  /** The first rows, from that block on, of some of the accounts whose histories have not been looked into yet. */
  search(rows: CommittedRows, first: number): FoundRows {
    const due = this.#accounts.filter((account) => !this.#next.has(account)).slice(0, SEARCHES_AT_ONCE);
    return due.map((account) => [account, findLaterHistory(rows, account, first) ?? 'nothing']);
  }

  note(found: FoundRows): void {
    for (const [account, row] of found) this.#next.set(account, row);
  }

  /** The next block with operations of the accounts, from that one on; undefined when there is none up to the last. */
  nextBlock(first: number): number | undefined {
    const blocks = [...this.#rows()]
      .map(({ block }) => block)
      .filter((block) => block >= first && block <= positionNumber(this.end));
    return blocks.length === 0 ? undefined : blocks.reduce((a, b) => Math.min(a, b));
  }

  /** Operations of the accounts in that block, in order, behind a place or from the beginning. */
  readOperations(rows: CommittedRows, number: number, after: OperationPointer | undefined): OperationChunk {
    const pointers = [...this.#rows()]
      .filter(({ block }) => block === number)
      .flatMap(({ entries }) => entries.filter((entry) => after === undefined || comparePlaces(entry, after) > 0));
    const ordered = pointers.toSorted(comparePlaces).filter((pointer, k, all) => !isSame(pointer, all[k - 1]));
    const page = ordered.slice(0, PAGE);
    const operations = new BlockOperations(rows, number);
    const entries = page.map((pointer) => operations.at(pointer));
    return {
      entries,
      end: ordered.length > PAGE ? pointerPlace(present(page.at(-1), 'the last of a page')) : WHOLE_BLOCK,
    };
  }

  /** The rows behind those of a block. */
  behind(rows: CommittedRows, number: number): FoundRows {
    const left = [...this.#rows()].filter(({ block }) => block === number);
    return left.map((row) => [row.account, followingHistory(rows, row) ?? 'nothing']);
  }

  *#rows(): Generator<AccountHistory> {
    for (const row of this.#next.values()) if (row !== 'nothing') yield row;
  }
}

function isSame(a: OperationPointer, b: OperationPointer | undefined): boolean {
  return b !== undefined && comparePlaces(a, b) === 0;
}
