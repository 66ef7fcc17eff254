import {
  historyEntries,
  walkHistoryForward,
  walkHistoryBackward,
  isNewest,
  newestSequence,
  type HistoryOf,
  type Sequences,
} from '../queries/account_history.ts';
import type { NumberedEntry } from '../queries/history_entry.ts';
import type { OperationKind } from '../operations/operation.ts';
import type { AccountName } from '../values/account_name.ts';
import { coded } from '../jsonrpc/envelope/params.ts';
import { Type } from '../jsonrpc/envelope/typebox.ts';
import { kindName } from './kind_name.ts';
import type { Call } from './services.ts';
import { AfterList, Chunks, inPages } from './chunks.ts';

/** Selects entries by the kinds of their operations. */
export const filterParam = Type.Optional(
  Type.Array(coded(kindName), {
    minItems: 1,
    maxItems: 100,
    description: 'only operations of these kinds, such as transfer',
  }),
);

/**
 * Entries that one call examines: there is no index by kind, so a page ends here, empty if need be, and its cursor goes
 * on.
 */
const MOST_EXAMINED = 1000;
/** Examined at once: about a millisecond. */
const EXAMINED_AT_ONCE = 32;

/**
 * An examination costs as much as that many small reads, counted for each kind of the filter because calls without one
 * cost little.
 */
export const filterWeight = { item: 50 };

/** Explains the filter in the doc of a method. */
export const filterDoc = `With \`filter\` only operations of these kinds; a call examines at most ${MOST_EXAMINED} entries, so a page may be short or empty, and its \`cursor\` goes on.`;

/** A page of an account's history; the members are those of the methods. */
export interface HistorySearch {
  readonly account: AccountName;
  readonly start: number;
  readonly limit: number;
  readonly reverse_order: boolean;
  /** Only operations of these kinds; all by default. */
  readonly filter?: readonly OperationKind[] | undefined;
  /** The sequence with which this page begins, from the page before; null on the first page. */
  readonly cursor: number | null;
}

/** A page, and the sequence with which the next one begins; null on the last page. */
export interface HistoryPage {
  readonly entries: Chunks<NumberedEntry>;
  readonly cursor: AfterList<number | null>;
}

type HistoryCall = Pick<Call, 'rows' | 'parameters'>;

/**
 * A page of an account's history, ascending. A walk from the newest entry goes down, and so does one without
 * `reverse_order`.
 */
export function historyPage(call: HistoryCall, search: HistorySearch): HistoryPage {
  const { account, start, limit, reverse_order: isReverse, filter, cursor } = search;
  const of = { account, firstSequence: call.parameters.rules.first_history_sequence };
  const from = cursor ?? start;
  const goesDown = !isReverse || isNewest(start);
  // Without reverse_order the page has the entries from start − limit to start, which are one more than the limit.
  const most = isReverse ? limit : limit + 1;
  if (filter !== undefined) return filteredPage(call, { of, from, most, goesDown, kinds: new Set(filter) });
  if (goesDown) return pageDown(call, of, from, most);
  const sequences = walkHistoryForward(call.rows, of, from, limit);
  return {
    entries: readEntries(call, account, sequences),
    cursor: new AfterList(() => nextUp(call, of, Math.max(from, sequences.last + 1))),
  };
}

function pageDown(call: HistoryCall, of: HistoryOf, from: number, most: number): HistoryPage {
  const sequences = most === 0 ? { first: 0, last: -1 } : walkHistoryBackward(call.rows, of, from, most - 1);
  const isEmpty = sequences.last < sequences.first;
  return {
    entries: readEntries(call, of.account, sequences),
    cursor: new AfterList(() => (isEmpty ? null : nextDown(of, sequences.first - 1))),
  };
}

/** Entries that are no longer kept count: a request for them is refused and says so. */
function nextDown({ firstSequence }: HistoryOf, next: number): number | null {
  return next < firstSequence ? null : next;
}

function nextUp({ rows }: HistoryCall, { account }: HistoryOf, next: number): number | null {
  return next > (newestSequence(rows, account) ?? -1) ? null : next;
}

function readEntries(call: HistoryCall, account: AccountName, { first, last }: Sequences): Chunks<NumberedEntry> {
  return inPages<NumberedEntry>(call, Math.max(0, last - first + 1), (before, limit) => {
    const from = before === undefined ? first : before[0] + 1;
    return historyEntries(call.rows, account, { first: from, last: Math.min(from + limit - 1, last) });
  });
}

/** More than a history has. */
const ALL = 0xffff_ffff;

interface FilteredWalk {
  readonly of: HistoryOf;
  readonly from: number;
  readonly most: number;
  readonly goesDown: boolean;
  readonly kinds: ReadonlySet<OperationKind>;
}

function filteredPage(call: HistoryCall, walk: FilteredWalk): HistoryPage {
  const examination = new Examination(call, walk);
  const { of, goesDown } = walk;
  const cursor = new AfterList(() => (goesDown ? nextDown(of, examination.next) : nextUp(call, of, examination.next)));
  if (!goesDown) return { entries: new Chunks(() => examination.step()), cursor };
  // The entries are found from the newest to the oldest, and shown the other way round: only their sequences are
  // remembered.
  const found: number[] = [];
  let isOver = false;
  const entries = new Chunks(() => {
    if (isOver) return examination.numberedEntries(found.splice(-EXAMINED_AT_ONCE).toReversed());
    const some = examination.step();
    isOver = some === undefined;
    found.push(...(some ?? []).map(([sequence]) => sequence).toReversed());
    return [];
  });
  return { entries, cursor };
}

/** Looks through a history for operations of certain kinds, a few entries at a time. */
class Examination {
  readonly #call: HistoryCall;
  readonly #walk: FilteredWalk;
  readonly #first: number;
  readonly #last: number;
  #examined = 0;
  #found = 0;
  /** The sequence that is examined next. */
  next: number;

  constructor(call: HistoryCall, walk: FilteredWalk) {
    const { of, from, goesDown } = walk;
    const { first, last } = goesDown
      ? walkHistoryBackward(call.rows, of, from, ALL)
      : walkHistoryForward(call.rows, of, from, ALL);
    this.#call = call;
    this.#walk = walk;
    this.#first = first;
    this.#last = last;
    this.next = goesDown ? (last < first ? of.firstSequence - 1 : last) : Math.max(first, from);
  }

  /** The entries of the wanted kinds among the next few, ascending; undefined when the page ends. */
  step(): readonly NumberedEntry[] | undefined {
    const { goesDown, most } = this.#walk;
    const isOver =
      this.next < this.#first || this.next > this.#last || this.#found >= most || this.#examined >= MOST_EXAMINED;
    if (isOver) return undefined;
    const entries = this.#read(goesDown ? this.next - EXAMINED_AT_ONCE + 1 : this.next);
    const wanted = entries.filter((entry) => this.#isWanted(entry));
    const taken = goesDown ? wanted.slice(-(most - this.#found)) : wanted.slice(0, most - this.#found);
    this.#examined += EXAMINED_AT_ONCE;
    this.#found += taken.length;
    const isFull = this.#found >= most;
    if (goesDown)
      this.next = isFull ? (taken[0]?.[0] ?? 0) - 1 : Math.max(this.next - EXAMINED_AT_ONCE, this.#first - 1);
    else this.next = isFull ? (taken.at(-1)?.[0] ?? 0) + 1 : this.next + EXAMINED_AT_ONCE;
    return taken;
  }

  /** The entries with these sequences, ascending; without those that another branch has replaced by others. */
  numberedEntries(sequences: readonly number[]): readonly NumberedEntry[] | undefined {
    if (sequences.length === 0) return undefined;
    const { rows } = this.#call;
    const { account } = this.#walk.of;
    return rows.consistentRead(() =>
      sequences.flatMap((sequence) =>
        historyEntries(rows, account, { first: sequence, last: sequence }).filter((entry) => this.#isWanted(entry)),
      ),
    );
  }

  #isWanted([, { op }]: NumberedEntry): boolean {
    return this.#walk.kinds.has(op.kind);
  }

  #read(first: number): readonly NumberedEntry[] {
    const { rows } = this.#call;
    const [from, to] = [Math.max(first, this.#first), Math.min(first + EXAMINED_AT_ONCE - 1, this.#last)];
    return rows.consistentRead(() => historyEntries(rows, this.#walk.of.account, { first: from, last: to }));
  }
}
