import { NodeRefusal, type Client, type Result } from '../../client/index.ts';
import { isAfter, isBefore, matchesFilter, type HistoryFilter } from './history_filter.ts';

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
}

/** The entries of a page. */
export const PAGE = 25;
/** Entries that one call brings, and calls that one page makes: the node's price of a page has a bound. */
const AT_ONCE = 50;
const MOST_CALLS = 4;
/** With a kind, a call searches up to a thousand entries; a page that has searched as many makes no other. */
const ENOUGH_SEARCHED = 500;
const NEWEST = -1;

/**
 * Looks through the history from an entry down, −1 for the newest. The node selects by kind; amounts, partners and days
 * are compared here.
 */
export async function searchHistory(
  client: Client,
  account: string,
  filter: HistoryFilter,
  start: number,
): Promise<FoundEntries> {
  const first = start === NEWEST ? await firstWithin(client, account, filter) : start;
  if (first === undefined) return { entries: [], searched: undefined, since: undefined, next: undefined };
  let next: number | undefined = first;
  const entries: NumberedEntry[] = [];
  for (let calls = 0; next !== undefined && calls < MOST_CALLS && entries.length < PAGE; calls++) {
    if (first - next >= ENOUGH_SEARCHED) break;
    const page = await readPage(client, account, filter, next);
    const tooOld = page.entries.findIndex(([, entry]) => isBefore(filter, entry));
    const inTime = tooOld === -1 ? page.entries : page.entries.slice(0, tooOld);
    entries.push(...inTime.filter(([, entry]) => !isAfter(filter, entry) && matchesFilter(filter, entry)));
    next = tooOld === -1 ? page.next : undefined;
  }
  const shown = entries.slice(0, PAGE);
  if (entries.length > PAGE) next = (shown.at(-1)?.[0] ?? 0) - 1;
  const last = next === undefined ? undefined : await entryAt(client, account, next + 1);
  return { entries: shown, searched: [first, next === undefined ? 0 : next + 1], since: last?.[1].timestamp, next };
}

type Page = Pick<FoundEntries, 'entries' | 'next'>;

async function readPage(client: Client, account: string, { kind }: HistoryFilter, start: number): Promise<Page> {
  const limit = Math.min(AT_ONCE - 1, start);
  const params = { account, start, limit, ...(kind === '' ? {} : { filter: [kind] }) };
  const { history, cursor = null } = await client.call('account_history_api.get_account_history', params);
  return { entries: history.toReversed(), next: cursor ?? undefined };
}

/** The number of the newest entry, or of the newest one of the last day, which is found by halves. */
async function firstWithin(client: Client, account: string, filter: HistoryFilter): Promise<number | undefined> {
  const newest = await entryAt(client, account, NEWEST);
  if (newest === undefined || !isAfter(filter, newest[1])) return newest?.[0];
  let [low, high] = [-1, newest[0]];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const entry = await entryAt(client, account, middle);
    if (entry === undefined || !isAfter(filter, entry[1])) low = middle;
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
