import type { Client } from '../../client/index.ts';
import { secondsText, toSeconds } from '../../client/chain_time.ts';
import { isObject, optionalNodePage } from './node_page.ts';
import { unlessRefused } from './unless_refused.ts';

/** Missed slots of each witness since a time, as the node has counted them. */
export interface MissedWeek {
  readonly since: string;
  readonly missed: ReadonlyMap<string, number>;
}

/** Reads the node's answer; undefined for what is no such answer. */
export function readMissedWeek(json: unknown): MissedWeek | undefined {
  if (!isObject(json)) return undefined;
  const { since, missed } = json;
  if (typeof since !== 'string' || !isObject(missed)) return undefined;
  const counts = Object.entries(missed).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return { since, missed: new Map(counts) };
}

/** Reads the misses of a week. Without them the view says that they are missing. */
export async function fetchMissedWeek(): Promise<MissedWeek | undefined> {
  return await optionalNodePage('Slots missed in a week', 'chain/missed_week.json', readMissedWeek);
}

/** The slots of a day and those of them that were missed, by the times of blocks. */
export interface MissedDay {
  /** The time that the day ends with. */
  readonly until: string;
  readonly slots: number;
  readonly missed: number;
}

/** The head of the chain. */
interface Head {
  readonly number: number;
  readonly time: string;
}

const DAY = 86_400;
const DAYS = 7;

/**
 * Missed slots of all witnesses together on each of the last seven days, newest first. The blocks at the ends of the
 * days are found by their headers; a day before the first block, or before those that are kept, is left out.
 */
export async function missedDays(client: Client, head: Head, intervalSeconds: number): Promise<readonly MissedDay[]> {
  const now = toSeconds(head.time);
  const ends = Array.from({ length: DAYS }, (_, back) => now - (back + 1) * DAY);
  const known = new Map([[head.number, now]]);
  const before = await Promise.all(
    ends.map(async (end) => await lastBlockUntil(end, { head, known, intervalSeconds, client })),
  );
  return before.flatMap((begin, back): MissedDay[] => {
    const end = back === 0 ? head : before[back - 1];
    if (begin === undefined || end === undefined) return [];
    const slots = Math.round(DAY / intervalSeconds);
    const missed = Math.max(0, slots - (end.number - begin.number));
    return [{ until: secondsText(now - back * DAY), slots, missed }];
  });
}

interface Search {
  readonly client: Client;
  readonly head: Head;
  readonly intervalSeconds: number;
  /** Times of blocks by their numbers. */
  readonly known: Map<number, number>;
}

interface Found {
  readonly number: number;
  readonly seconds: number;
}

/** Guesses by the distance first, which is right while few slots are missed, and halves what is left. */
const GUESSES = 3;

async function lastBlockUntil(end: number, search: Search): Promise<Found | undefined> {
  const { head, intervalSeconds } = search;
  let low: Found | undefined;
  let high: Found = { number: head.number, seconds: toSeconds(head.time) };
  for (let turn = 0; high.number - (low?.number ?? 0) > 1; turn++) {
    const floor = (low?.number ?? 0) + 1;
    const guess =
      turn < GUESSES
        ? high.number - Math.ceil((high.seconds - end) / intervalSeconds)
        : Math.floor((floor + high.number) / 2);
    const number = Math.min(high.number - 1, Math.max(floor, guess));
    const seconds = await blockSeconds(number, search);
    // Blocks that are no longer kept are older.
    if (seconds === undefined) low = { number, seconds: -Infinity };
    else if (seconds <= end) low = { number, seconds };
    else high = { number, seconds };
    // A guess that is right is the last one before the end: its successor is later.
    if (low !== undefined && turn < GUESSES && low.number < high.number - 1) {
      const next = await blockSeconds(low.number + 1, search);
      if (next !== undefined && next > end) high = { number: low.number + 1, seconds: next };
    }
  }
  return low === undefined || low.seconds === -Infinity ? undefined : low;
}

async function blockSeconds(number: number, { client, known }: Search): Promise<number | undefined> {
  const before = known.get(number);
  if (before !== undefined) return before;
  const header = await unlessRefused(
    async () => await client.call('block_api.get_block_header', { block_num: number }),
  );
  const seconds = header === undefined || header === null ? undefined : toSeconds(header.timestamp);
  if (seconds !== undefined) known.set(number, seconds);
  return seconds;
}
