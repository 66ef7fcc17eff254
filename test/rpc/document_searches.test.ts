import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import type { Json } from '../../src/codec/json.ts';
import { applicationDocuments, documentsPage, searchDocuments } from '../builders/found_documents.ts';
import type { NumberedDocument } from '../../src/queries/document_pages.ts';
import { findDocument } from '../../src/queries/documents.ts';
import type { DocumentRecord } from '../../src/queries/records/document.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { View } from '../../src/storage/view.ts';
import { compareNames } from '../../src/values/account_name.ts';
import { timeText } from '../../src/values/time.ts';
import { encoding, openChain, people, produce, testParameters, makeTransaction } from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';

// The searches of chain_rules.md#searching-documents, written a second time over one row for each recipient: as the
// lineage orders documents, and by (time, number).

interface Copy {
  readonly record: DocumentRecord;
  readonly recipient: string;
  readonly numbers: { readonly sender: bigint; readonly recipient: bigint; readonly application: bigint };
}

interface Search {
  readonly app_id: bigint;
  readonly account_name: string;
  readonly search_type: string;
  readonly start: string | null;
  readonly count: number;
}

/** Behind every number and every time. */
const BEHIND_ALL = 2n ** 64n - 1n;

/** All copies, in the order of their creation. */
class Naive {
  readonly copies: Copy[] = [];

  /** chain_rules.md#storing-documents. */
  add(message: Omit<DocumentRecord, 'id' | 'binary'>): void {
    const { app_id, sender } = message;
    const next = (side: keyof Copy['numbers'], of: (copy: Copy) => boolean): bigint =>
      this.copies.filter(of).reduce((most, { numbers }) => (numbers[side] > most ? numbers[side] : most), 0n) + 1n;
    const sent = next('sender', ({ record }) => record.app_id === app_id && record.sender === sender);
    const ofApplication = next('application', ({ record }) => record.app_id === app_id);
    for (const recipient of message.recipients) {
      const received = next('recipient', (copy) => copy.record.app_id === app_id && copy.recipient === recipient);
      const record = { ...message, id: BigInt(this.copies.length), binary: false };
      this.copies.push({
        record,
        recipient,
        numbers: { sender: sent, recipient: received, application: ofApplication },
      });
    }
  }

  /** As the lineage orders documents. */
  search({ app_id, account_name, search_type, start, count }: Search): NumberedDocument[] {
    const side = searchSide(search_type);
    const own = this.#ownCopies(app_id, account_name, side);
    const byTime = search_type.includes('_datetime');
    const key = ({ record, numbers }: Copy): bigint => (byTime ? BigInt(record.received) : numbers[side]);
    const reverse = search_type.endsWith('_reverse') && start !== '-1';
    const from = start === null || start === '-1' ? BEHIND_ALL : byTime ? parseSeconds(start) : BigInt(start);
    return walk(own, { key, from, count, side, reverse });
  }

  /** All documents from the start on, in the order of the walk: by (time, number), `_reverse` the other way. */
  walkList({ app_id, account_name, search_type, start }: Omit<Search, 'count'>): NumberedDocument[] {
    const side = searchSide(search_type);
    const all = new Map<bigint, DocumentRecord>();
    for (const { record, numbers } of this.#ownCopies(app_id, account_name, side)) {
      if (!all.has(numbers[side])) all.set(numbers[side], record);
    }
    const down = [...all].toSorted(([a, { received: s }], [b, { received: t }]) => t - s || Number(b - a));
    if (start === null || start === '-1') return down;
    const sortKey = ([number, { received }]: NumberedDocument): bigint =>
      search_type.includes('_datetime') ? BigInt(received) : number;
    const from = search_type.includes('_datetime') ? parseSeconds(start) : BigInt(start);
    return search_type.endsWith('_reverse')
      ? down.toReversed().filter((document) => sortKey(document) >= from)
      : down.filter((document) => sortKey(document) <= from);
  }

  #ownCopies(app_id: bigint, account_name: string, side: 'sender' | 'recipient'): Copy[] {
    return this.copies.filter(
      ({ record, recipient }) =>
        record.app_id === app_id && (side === 'sender' ? record.sender : recipient) === account_name,
    );
  }

  application(app_id: bigint, from: bigint, count: number): NumberedDocument[] {
    const own = this.copies.filter(({ record }) => record.app_id === app_id);
    return walk(own, { key: ({ numbers }) => numbers.application, from, count, side: 'application', reverse: false });
  }
}

function searchSide(searchType: string): 'sender' | 'recipient' {
  return searchType.startsWith('by_sender') ? 'sender' : 'recipient';
}

function parseSeconds(time: string): bigint {
  return BigInt(Date.parse(`${time}Z`) / 1000);
}

interface NaiveWalk {
  readonly key: (copy: Copy) => bigint;
  readonly from: bigint;
  readonly count: number;
  readonly side: keyof Copy['numbers'];
  readonly reverse: boolean;
}

/**
 * The index descends, equal keys in the order of their creation; a walk stops when it has so many numbers, later copies
 * replace earlier ones.
 */
function walk(copies: readonly Copy[], { key, from, count, side, reverse }: NaiveWalk): NumberedDocument[] {
  const index = copies.toSorted((a, b) => Number(key(b) - key(a)));
  const path = reverse
    ? index.toReversed().filter((copy) => key(copy) >= from)
    : index.filter((copy) => key(copy) <= from);
  const found = new Map<bigint, DocumentRecord>();
  for (const copy of path) {
    if (found.size === count) break;
    found.set(copy.numbers[side], copy.record);
  }
  return [...found].toSorted(([a], [b]) => Number(a - b));
}

// A chain with random messages, and the same in rows.

const parameters = testParameters();
const store = new MemoryStore();
const view = new View(store, 100);
const asking = { rows: view, encoding };
const lineage = { rows: view, encoding: { ...encoding, dialect: 'legacy' } } as const;
const naive = new Naive();
const apps = [0n, 7n, 2n ** 64n - 1n];
const randomSource = new RandomSource(20_261_121);
const strangers = ['b', 'B9', 'zz', 'ab', 'a-_', 'x'.repeat(32)];

{
  const chain = openChain(parameters, store);
  produce(chain);
  for (let block = 0; block < 45; block++) {
    const received = chain.head.time;
    for (let sent = randomSource.roll(7); sent > 0; sent--) {
      const [sender, app_id] = [randomSource.pick(people.slice(0, 3)), randomSource.pick(apps)];
      const among = [...people, ...strangers];
      const recipients = randomSource
        .shuffle(among)
        .slice(0, randomSource.chance(30) ? randomSource.roll(among.length + 1) : randomSource.roll(4));
      const data = JSON.stringify(`${block}/${sent}`);
      const body: Json = { fee: '0.010000 COIN', sender, recipients, app_id: String(app_id), json: data };
      chain.accept(makeTransaction(chain, parameters, [['custom_json', body]], [sender]));
      naive.add({ sender, recipients: recipients.toSorted(compareNames), app_id, data, received });
    }
    produce(chain);
  }
}

const times = [...new Set(naive.copies.map(({ record }) => record.received))];

const aMessageToMany = present(
  naive.copies.find(({ record }) => record.recipients.length > 2),
  'a message to many',
);

const everyType = ['sender', 'recipient'].flatMap((side) =>
  ['', '_datetime'].flatMap((by) => [`by_${side}${by}`, `by_${side}${by}_reverse`]),
);

/** A search that finds something more often than not. */
function anySearch(): Omit<Search, 'count'> {
  const search_type = randomSource.pick(everyType);
  const time = timeText(randomSource.pick(times) + randomSource.pick([0, 0, -1, 1, -100_000, 100_000]));
  const start = randomSource.chance(10)
    ? '-1'
    : search_type.includes('_datetime')
      ? time
      : String(randomSource.pick([randomSource.roll(60), 10_000]));
  return {
    app_id: randomSource.pick(apps),
    account_name: randomSource.pick([...people, ...strangers, 'nobody']),
    search_type,
    start,
  };
}

const shown = (search: object): string =>
  JSON.stringify(search, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

test('a page has the first documents of a walk in the order of time and number, whatever is sought', () => {
  for (let round = 0; round < 4000; round++) {
    const search = { ...anySearch(), ...(randomSource.chance(5) ? { start: null } : {}) };
    const count = randomSource.pick([0, 1, 2, 3, randomSource.roll(20), 1000]);
    const expected = naive.walkList(search).slice(0, count);
    const ascending = expected.toSorted(([a], [b]) => Number(a - b));
    assert.deepEqual(searchDocuments(asking, { ...search, count }), ascending, shown({ ...search, count }));
  }
});

test('the cursor of each page begins the next one: all pages together are the walk, without gap or overlap', () => {
  for (const search_type of everyType) {
    for (let round = 0; round < 60; round++) {
      const search = { ...anySearch(), search_type: randomSource.pick([search_type]) };
      const start = search_type.includes('_datetime')
        ? timeText(randomSource.pick(times))
        : String(1 + randomSource.roll(40));
      const whole = { ...search, start: randomSource.pick([null, '-1', start]) };
      const walked: NumberedDocument[] = [];
      for (let cursor: bigint | null | undefined; cursor !== null;) {
        const count = 1 + randomSource.roll(6);
        const page = documentsPage(asking, { ...whole, count, ...(cursor === undefined ? {} : { cursor }) });
        const goesUp = search_type.endsWith('_reverse') && whole.start === start;
        walked.push(...(goesUp ? page.documents : page.documents.toReversed()));
        cursor = page.cursor;
        assert.ok(cursor === null || page.documents.length === count, 'only the last page is short');
      }
      assert.deepEqual(walked, naive.walkList(whole), shown(whole));
    }
  }
});

test('a cursor tells of documents that have come since, and of none where the list ends', () => {
  const search = { app_id: 7n, account_name: 'alice', search_type: 'by_recipient_reverse', start: '1', count: 1000 };
  const { documents } = documentsPage(asking, search);
  const behind = present(documents.at(-1), 'a document')[0] + 1n;
  assert.deepEqual(documentsPage(asking, { ...search, cursor: behind }), { documents: [], cursor: null });
  assert.deepEqual(documentsPage(asking, { ...search, cursor: behind - 1n }), {
    documents: documents.slice(-1),
    cursor: null,
  });
});

test('under the lineage every search finds what the rows of all recipients say, whatever is sought', () => {
  for (let round = 0; round < 4000; round++) {
    const count = randomSource.pick([0, 1, 2, 3, randomSource.roll(20), 1000]);
    const search = { ...anySearch(), count };
    if (search.search_type.includes('_datetime') && search.start === '-1') continue;
    const isDown = /^by_[a-z]+$/.test(search.search_type);
    if (isDown && search.start !== '-1' && BigInt(search.start ?? '') < BigInt(count)) continue;
    assert.deepEqual(
      documentsPage(lineage, search),
      { documents: naive.search(search), cursor: undefined },
      shown(search),
    );
  }
});

test('the messages of an application are found as the rows of all recipients say', () => {
  for (let round = 0; round < 500; round++) {
    const count = randomSource.pick([0, 1, 2, randomSource.roll(50), 500]);
    const [app_id, start] = [randomSource.pick(apps), randomSource.chance(10) ? null : BigInt(randomSource.roll(80))];
    const expected = naive.application(app_id, start ?? BEHIND_ALL, count);
    if (start === null || start >= BigInt(count))
      assert.deepEqual(applicationDocuments(lineage, { app_id, start, limit: count }), expected);
    const first = expected.map(([number, { recipients, data, received }]) => ({ number, recipients, data, received }));
    const found = applicationDocuments(asking, { app_id, start, limit: count });
    assert.deepEqual(
      found.map(([number, { recipients, data, received }]) => ({ number, recipients, data, received })),
      first,
    );
    assert.ok(found.every(([, { id, recipients }]) => naive.copies[Number(id)]?.recipient === recipients[0]));
  }
});

test('each copy is found by its id, and none behind the last', () => {
  for (const { record } of naive.copies) assert.deepEqual(findDocument(view, record.id), record);
  assert.equal(findDocument(view, BigInt(naive.copies.length)), undefined);
  assert.equal(findDocument(view, 2n ** 64n - 1n), undefined);
});

test('a message to many has the id of its first copy, whatever page it stands in', () => {
  const { app_id, sender: account_name, id } = aMessageToMany.record;
  const number = aMessageToMany.numbers.sender;
  for (const search_type of ['by_sender', 'by_sender_reverse']) {
    for (const [start, count] of [
      [number, 1],
      [number, 2],
      [search_type === 'by_sender' ? 10_000n : 1n, 1000],
    ] as const) {
      const found = searchDocuments(asking, { app_id, account_name, search_type, start: String(start), count });
      assert.equal(found.find(([listed]) => listed === number)?.[1].id, id);
    }
  }
});

test('under the lineage a page shows the last copy of a message to many, but of the message that fills it the first; a page of _reverse the other way round', () => {
  const message = aMessageToMany;
  const { app_id, sender: account_name, recipients } = message.record;
  const number = message.numbers.sender;
  const [first, last] = [message.record.id, message.record.id + BigInt(recipients.length) - 1n];
  const ids = (search_type: string, start: bigint, count: number): (bigint | undefined)[] =>
    searchDocuments(lineage, { app_id, account_name, search_type, start: String(start), count })
      .filter(([found]) => found === number)
      .map(([, { id }]) => id);
  assert.deepEqual(ids('by_sender', number, 1), [first]);
  assert.deepEqual(ids('by_sender', number + 1n, 2), [first]);
  assert.deepEqual(ids('by_sender', 10_000n, 1000), [last]);
  assert.deepEqual(ids('by_sender_reverse', number, 1), [last]);
  assert.deepEqual(ids('by_sender_reverse', number, 2), [first]);
});

test('a time at the end of the calendar finds everything before it and nothing behind', () => {
  const search = { app_id: 7n, account_name: 'alice', start: '2106-02-07T06:28:15', count: 1000 };
  for (const side of ['sender', 'recipient']) {
    assert.notDeepEqual(searchDocuments(asking, { ...search, search_type: `by_${side}_datetime` }), []);
    assert.deepEqual(searchDocuments(asking, { ...search, search_type: `by_${side}_datetime_reverse` }), []);
  }
});

test('as the lineage, a search down refuses a start below the count', () => {
  const search = { app_id: 7n, account_name: 'alice', search_type: 'by_sender', count: 5 };
  assert.throws(() => searchDocuments(lineage, { ...search, start: '4' }), { code: 'start_below_count' });
  const numbers = (asked: typeof asking): bigint[] =>
    searchDocuments(asked, { ...search, start: '-1' }).map(([number]) => number);
  assert.deepEqual(numbers(lineage), numbers(asking));
  assert.throws(() => applicationDocuments(lineage, { app_id: 7n, start: 4n, limit: 5 }), {
    code: 'start_below_count',
  });
});
