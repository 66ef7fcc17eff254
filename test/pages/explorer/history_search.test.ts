import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockTimes } from '../../../src/client/block_times.ts';
import { NodeRefusal, type Client, type Operation } from '../../../src/client/index.ts';
import {
  isAfter,
  isBefore,
  isFiltered,
  matchesFilter,
  NO_FILTER,
  readFilter,
  type HistoryFilter,
} from '../../../src/pages/explorer/history_filter.ts';
import { newestEntries, searchHistory, type FoundEntries } from '../../../src/pages/explorer/history_search.ts';
import { operationNames } from '../../../src/pages/explorer/sentences.ts';

const fee = '0.010000 COIN';

function transfer(to: string, amount: string): Operation {
  return ['transfer', { fee, from: 'alice', to, amount, memo: 'for carol' }];
}

const vote: Operation = ['account_witness_vote', { fee, account: 'alice', witness: 'wit', approve: true }];

test('choices that none can have count as none', () => {
  const read = readFilter(
    { kind: 'transfer', partner: ' @bob ', least: '1.5', most: 'much', from: '2026-11-01', until: 'now' },
    operationNames,
  );
  assert.deepEqual(read, { kind: 'transfer', partner: 'bob', least: '1.5', most: '', from: '2026-11-01', until: '' });
  assert.ok(isFiltered(read));
  assert.ok(!isFiltered(readFilter({ kind: 'constructor' }, operationNames)));
});

test('an entry matches by its kind, by an account that it names and by one of its amounts', () => {
  const entry = { timestamp: '2026-11-02T00:00:00', op: transfer('bob', '5.000000 COIN') };
  const matches = (some: object): boolean => matchesFilter({ ...NO_FILTER, ...some }, entry);
  assert.ok(matches({}) && matches({ kind: 'transfer' }) && !matches({ kind: 'interest' }));
  assert.ok(matches({ partner: 'bob' }) && !matches({ partner: 'carol' }), 'a memo names nobody');
  assert.ok(
    matches({ least: '5' }) && matches({ most: '5' }) && !matches({ least: '5.000001' }) && !matches({ most: '4' }),
  );
  assert.ok(!matches({ partner: 'bob', least: '6' }));
  assert.ok(!matchesFilter({ ...NO_FILTER, least: '0' }, { ...entry, op: vote }), 'a vote has no amount');
});

test('days include their whole length in UTC', () => {
  const filter = { ...NO_FILTER, from: '2026-11-02', until: '2026-11-03' };
  assert.ok(isBefore(filter, { timestamp: '2026-11-01T23:59:59' }));
  for (const timestamp of ['2026-11-02T00:00:00', '2026-11-03T23:59:59'])
    assert.ok(!isBefore(filter, { timestamp }) && !isAfter(filter, { timestamp }), timestamp);
  assert.ok(isAfter(filter, { timestamp: '2026-11-04T00:00:00' }));
});

/**
 * A node with a history: entry n is of the n-th hour, each tenth a payment to bob. Its block has the same number. Until
 * the block was made nothing had happened for an hour, so the history has the time of the hour before.
 */
class HistoryNode {
  calls = 0;
  /** Calls with a kind. */
  searches = 0;
  /** Calls for the times of blocks. */
  headers = 0;
  readonly #count: number;
  /** The first entry that it still has. */
  readonly #kept: number;

  constructor(count: number, kept = 0) {
    this.#count = count;
    this.#kept = kept;
  }

  get client(): Client {
    const call = async (name: string, params: { readonly block_num?: number }): Promise<object> =>
      await Promise.resolve(
        name === 'block_api.get_block_header' ? this.#header(params.block_num ?? 0) : this.#answer(params),
      );
    // Nothing but calls of one method is made of it.
    return Object.assign(Object.create(null), { call });
  }

  #header(number: number): object {
    this.headers++;
    return { timestamp: hour(number) };
  }

  #answer(params: object): object {
    const {
      start = -1,
      limit = 0,
      filter = [],
    } = params as {
      readonly start?: number;
      readonly limit?: number;
      readonly filter?: readonly string[];
    };
    this.calls++;
    if (filter.length > 0) this.searches++;
    const history = [];
    let number = start === -1 ? this.#count - 1 : Math.min(start, this.#count - 1);
    if (number < this.#kept) throw new NodeRefusal('pruned', `entry ${number} is not kept`);
    const before = this.#kept - 1;
    const end = filter.length === 0 ? before : Math.max(before, number - EXAMINED);
    for (; number > end && history.length <= limit; number--) {
      const op = number % 10 === 0 ? transfer('bob', `${number}.000000 COIN`) : vote;
      if (filter.length === 0 || filter.includes(op[0]))
        history.unshift([number, { op, block: number, timestamp: hour(number - 1) }]);
    }
    return { history, cursor: number < 0 ? null : number };
  }
}

/** Entries that the node examines in a call. */
const EXAMINED = 1000;

function hour(number: number): string {
  return new Date(Date.UTC(2026, 0, 1) + number * 3_600_000).toISOString().slice(0, 19);
}

async function search(client: Client, account: string, filter: HistoryFilter, start: number): Promise<FoundEntries> {
  return await searchHistory(client, account, filter, { start, times: new BlockTimes(() => 0) });
}

const numbers = (found: { readonly entries: readonly (readonly [number, object])[] }): number[] =>
  found.entries.map(([number]) => number);

test('a search reads a bounded number of entries, and goes on where it ended', async () => {
  const node = new HistoryNode(1000);
  const partner = { ...NO_FILTER, partner: 'bob' };
  const first = await search(node.client, 'alice', partner, -1);
  assert.deepEqual([node.calls, first.searched, first.since, first.next], [6, [999, 800], hour(800), 799]);
  assert.deepEqual(
    numbers(first),
    Array.from({ length: 20 }, (_, k) => 990 - 10 * k),
  );
  const second = await search(node.client, 'alice', partner, first.next ?? -1);
  assert.equal(numbers(second)[0], 790);
});

test('a page of matches ends with its twenty-fifth, and the next begins behind it', async () => {
  const { client } = new HistoryNode(1000);
  const kind = { ...NO_FILTER, kind: 'transfer' };
  const first = await search(client, 'alice', kind, -1);
  assert.deepEqual([first.entries.length, numbers(first).at(-1), first.next], [25, 750, 749]);
  const second = await search(client, 'alice', kind, first.next ?? -1);
  assert.equal(numbers(second)[0], 740);
});

test('the last day is found by halves, and the search ends before the first', async () => {
  const node = new HistoryNode(1000);
  const days = { ...NO_FILTER, kind: 'transfer', from: '2026-01-03', until: '2026-01-04' };
  const found = await search(node.client, 'alice', days, -1);
  assert.deepEqual([numbers(found), found.next], [[90, 80, 70, 60, 50], undefined]);
  assert.ok(node.calls < 16 && node.headers < 16, `${node.calls} and ${node.headers}`);
  const early = await search(node.client, 'alice', { ...NO_FILTER, until: '2025-01-01' }, -1);
  assert.deepEqual([early.entries, early.next], [[], undefined]);
});

test('entries stand at the times of their blocks, and belong to the days of those', async () => {
  const { client } = new HistoryNode(1000);
  // The first block of the fourth of January is entry 72; the history has it an hour before, on the third.
  const fourth = await search(client, 'alice', { ...NO_FILTER, from: '2026-01-04' }, 75);
  assert.deepEqual(numbers(fourth), [75, 74, 73, 72]);
  assert.deepEqual(
    fourth.entries.map(([, { timestamp }]) => timestamp),
    [75, 74, 73, 72].map(hour),
  );
  const third = await search(client, 'alice', { ...NO_FILTER, from: '2026-01-03', until: '2026-01-03' }, -1);
  assert.deepEqual([numbers(third)[0], numbers(third).length, third.next], [71, 24, undefined]);
});

test('a kind that is rare costs one search, and the page tells how far it came', async () => {
  const node = new HistoryNode(5000);
  const rare = { ...NO_FILTER, kind: 'interest' };
  const first = await search(node.client, 'alice', rare, -1);
  assert.deepEqual(first, { entries: [], searched: [4999, 4000], since: hour(4000), next: 3999, isCut: false });
  assert.equal(node.searches, 1);
  const last = await search(node.client, 'alice', rare, 700);
  assert.deepEqual(last, { entries: [], searched: [700, 0], since: undefined, next: undefined, isCut: false });
});

test('a kind with a rare partner is searched in one call if that has come far', async () => {
  const node = new HistoryNode(5000);
  const found = await search(node.client, 'alice', { ...NO_FILTER, kind: 'transfer', partner: 'carol' }, -1);
  // Fifty payments of five hundred entries are none to carol.
  assert.deepEqual([node.searches, found.searched], [1, [4999, 4500]]);
});

test('a search ends with the oldest entry that the node keeps, and says so', async () => {
  const { client } = new HistoryNode(1000, 955);
  for (const some of [{ kind: 'transfer' }, { partner: 'bob' }]) {
    const found = await search(client, 'alice', { ...NO_FILTER, ...some }, -1);
    assert.deepEqual(
      [numbers(found), found.searched],
      [
        [990, 980, 970, 960],
        [999, 955],
      ],
    );
    assert.deepEqual([found.next, found.isCut], [undefined, true]);
  }
});

test('the newest entries end with the oldest that the node keeps, and say so', async () => {
  const newest = async (kept: number, wanted: number): Promise<readonly unknown[]> => {
    const { client } = new HistoryNode(100, kept);
    const { entries, hasOlder, isCut } = await newestEntries(client, 'alice', { wanted, atOnce: 10 });
    return [entries[0]?.[0], entries.at(-1)?.[0], entries.length, hasOlder, isCut];
  };
  assert.deepEqual(await newest(0, 20), [80, 99, 20, true, false]);
  assert.deepEqual(await newest(0, 500), [0, 99, 100, false, false]);
  assert.deepEqual(await newest(55, 20), [80, 99, 20, true, false]);
  assert.deepEqual(await newest(55, 500), [55, 99, 45, false, true]);
  await assert.rejects(newest(100, 20), { code: 'pruned' });
});

test('an empty history has nothing to find', async () => {
  const { client } = new HistoryNode(0);
  for (const filter of [NO_FILTER, { ...NO_FILTER, until: '2026-01-04' }])
    assert.deepEqual((await search(client, 'alice', filter, -1)).entries, []);
});
