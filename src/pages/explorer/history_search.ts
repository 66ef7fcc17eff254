import type { BlockTimes } from '../../client/block_times.ts';
import { NodeRefusal, type Client, type Result } from '../../client/index.ts';
import { unlessRefused } from './unless_refused.ts';
import { isAfter, isBefore, matchesFilter, NO_FILTER, type HistoryFilter } from './history_filter.ts';

/** An entry of a history with its number. */
export type NumberedEntry = Result<'account_history_api.get_account_history'>['history'][number];

/** A page of a filtered history. */
export interface FoundEntries {
  /** Newest first. */
  readonly entries: readonly NumberedEntry[];
  /** The numbers of the newest and the oldest entry that this page searched; undefined where there is none. */
  readonly searched: readonly [number, number] | undefined;
  /** The time of the oldest of them while there are older ones. */
  readonly since: string | undefined;
  /** The number of the entry to go on with; undefined at the end. */
  readonly next: number | undefined;
  /** True if there are older entries that the node no longer keeps. */
  readonly isCut: boolean;
}

/** The newest entries of a history. */
export interface NewestEntries extends Pick<FoundEntries, 'isCut'> {
  /** Oldest first. */
  readonly entries: readonly NumberedEntry[];
  /** True if the node has older ones. */
  readonly hasOlder: boolean;
}

/** The entry that a search begins with, −1 for the newest, and the times of blocks. */
interface SearchBeginning {
  readonly start: number;
  readonly times: BlockTimes;
}

/** The entries of a page. */
export const PAGE = 25;
/** Entries that one call brings, and calls that one page makes: the node's price of a page has a bound. */
const AT_ONCE = 50;
const MOST_CALLS = 4;
/** With a kind, a call searches up to a thousand entries; a page that has searched as many makes no other. */
const ENOUGH_SEARCHED = 500;
const NEWEST = -1;
/** The node's refusal of entries that it no longer keeps. */
const PRUNED = 'pruned';

/**
 * Looks through the history from an entry down. The node selects by kind; amounts, partners and days
 * are compared here.
 */
export async function searchHistory(
  client: Client,
  account: string,
  filter: HistoryFilter,
  { start, times }: SearchBeginning,
): Promise<FoundEntries> {
  const days = new Days(client, filter, times);
  const first = start === NEWEST ? await firstWithin(client, account, days) : start;
  if (first === undefined) return { entries: [], searched: undefined, since: undefined, next: undefined, isCut: false };
  let next: number | undefined = first;
  let end = 0;
  let isCut = false;
  const entries: NumberedEntry[] = [];
  for (let calls = 0; next !== undefined && calls < MOST_CALLS && entries.length < PAGE; calls++) {
    if (first - next >= ENOUGH_SEARCHED) break;
    const from: number = next;
    const read = async (): Promise<Page> => await readPage(client, account, filter, from);
    const page = calls === 0 ? await read() : await unlessRefused(read, PRUNED);
    if (page === undefined) {
      [isCut, end, next] = [true, from + 1, undefined];
      break;
    }
    const inTime = await days.select(page.entries);
    entries.push(...inTime.entries.filter(([, entry]) => matchesFilter(filter, entry)));
    next = inTime.isOver ? undefined : page.next;
  }
  const shown = await datedEntries(client, entries.slice(0, PAGE), times);
  if (entries.length > PAGE) next = (shown.at(-1)?.[0] ?? 0) - 1;
  const last = next === undefined ? undefined : await entryAt(client, account, next + 1);
  const since = last && (await times.find(client, last[1]));
  return { entries: shown, searched: [first, next === undefined ? end : next + 1], since, next, isCut };
}

/** The newest entries, some more than are wanted, `atOnce` in a call. */
export async function newestEntries(
  client: Client,
  account: string,
  { wanted, atOnce }: { readonly wanted: number; readonly atOnce: number },
): Promise<NewestEntries> {
  const pages: (readonly NumberedEntry[])[] = [];
  let count = 0;
  let next: number | undefined = NEWEST;
  while (next !== undefined && count < wanted) {
    const start: number = next;
    const read = async (): Promise<Page> => await readPage(client, account, NO_FILTER, start, atOnce);
    const page = start === NEWEST ? await read() : await unlessRefused(read, PRUNED);
    if (page === undefined) return { entries: pages.toReversed().flat(), hasOlder: false, isCut: true };
    pages.push(page.entries.toReversed());
    count += page.entries.length;
    next = page.entries.length === 0 ? undefined : page.next;
  }
  return { entries: pages.toReversed().flat(), hasOlder: next !== undefined, isCut: false };
}

/** The same entries with the times of their blocks. */
export async function datedEntries(
  client: Client,
  entries: readonly NumberedEntry[],
  times: BlockTimes,
): Promise<readonly NumberedEntry[]> {
  const found = await times.findAll(
    client,
    entries.map(([, entry]) => entry),
  );
  return entries.map(([number, entry], at) => [number, { ...entry, timestamp: found[at] ?? entry.timestamp }]);
}

/** The days of a filter. The time in a history is never later than that of the block, so few blocks are asked for. */
class Days {
  readonly #client: Client;
  readonly #filter: HistoryFilter;
  readonly #times: BlockTimes;

  constructor(client: Client, filter: HistoryFilter, times: BlockTimes) {
    [this.#client, this.#filter, this.#times] = [client, filter, times];
  }

  async isLater([, entry]: NumberedEntry): Promise<boolean> {
    if (this.#filter.until === '' || isAfter(this.#filter, entry)) return this.#filter.until !== '';
    return isAfter(this.#filter, { timestamp: await this.#times.find(this.#client, entry) });
  }

  async #isEarlier([, entry]: NumberedEntry): Promise<boolean> {
    return (
      isBefore(this.#filter, entry) &&
      isBefore(this.#filter, { timestamp: await this.#times.find(this.#client, entry) })
    );
  }

  /** Those of the entries, newest first, that are within the days, and whether all further ones are older. */
  async select(
    entries: readonly NumberedEntry[],
  ): Promise<Pick<FoundEntries, 'entries'> & { readonly isOver: boolean }> {
    const found: NumberedEntry[] = [];
    for (const entry of entries) {
      if (await this.#isEarlier(entry)) return { entries: found, isOver: true };
      if (found.length > 0 || !(await this.isLater(entry))) found.push(entry);
    }
    return { entries: found, isOver: false };
  }
}

type Page = Pick<FoundEntries, 'entries' | 'next'>;

async function readPage(
  client: Client,
  account: string,
  { kind }: Pick<HistoryFilter, 'kind'>,
  start: number,
  atOnce = AT_ONCE,
): Promise<Page> {
  // A page can't begin below what it asks for.
  const limit = start === NEWEST ? atOnce - 1 : Math.min(atOnce - 1, start);
  const params = { account, start, limit, ...(kind === '' ? {} : { filter: [kind] }) };
  const { history, cursor = null } = await client.call('account_history_api.get_account_history', params);
  return { entries: history.toReversed(), next: cursor ?? undefined };
}

/** The number of the newest entry, or of the newest one of the last day, which is found by halves. */
async function firstWithin(client: Client, account: string, days: Days): Promise<number | undefined> {
  const newest = await entryAt(client, account, NEWEST);
  if (newest === undefined || !(await days.isLater(newest))) return newest?.[0];
  let [low, high] = [-1, newest[0]];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const entry = await entryAt(client, account, middle);
    if (entry === undefined || !(await days.isLater(entry))) low = middle;
    else high = middle;
  }
  return low === -1 ? undefined : low;
}

/** Undefined for an entry that is no longer kept, which is older than those that are. */
async function entryAt(client: Client, account: string, start: number): Promise<NumberedEntry | undefined> {
  try {
    const { history } = await client.call('account_history_api.get_account_history', { account, start, limit: 0 });
    return history.at(-1);
  } catch (error) {
    if (error instanceof NodeRefusal) return undefined;
    throw error;
  }
}
