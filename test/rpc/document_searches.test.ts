import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import type { Json } from '../../src/codec/json.ts';
import { applicationDocuments, searchDocuments } from '../builders/found_documents.ts';
import { documentWith, type NumberedDocument } from '../../src/queries/documents.ts';
import type { DocumentRecord } from '../../src/queries/records/document.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { View } from '../../src/storage/view.ts';
import { compareNames } from '../../src/values/account_name.ts';
import { timeText } from '../../src/values/time.ts';
import { notation, openChain, people, produce, testParameters, transactionOn } from '../builders/chain.ts';
import { Dice } from '../builders/dice.ts';

// The searches of chain.md 13.2, written a second time over one row for each recipient.

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

  /** chain.md 13.1. */
  add(message: Omit<DocumentRecord, 'id' | 'binary'>): void {
    const { app_id, sender } = message;
    const next = (side: keyof Copy['numbers'], of: (copy: Copy) => boolean): bigint =>
      this.copies.filter(of).reduce((most, { numbers }) => (numbers[side] > most ? numbers[side] : most), 0n) + 1n;
    const sent = next('sender', ({ record }) => record.app_id === app_id && record.sender === sender);
    const ofApplication = next('application', ({ record }) => record.app_id === app_id);
    for (const recipient of message.recipients) {
      const received = next('recipient', (copy) => copy.record.app_id === app_id && copy.recipient === recipient);
      const record = { ...message, id: BigInt(this.copies.length), binary: false };
      this.copies.push({ record, recipient, numbers: { sender: sent, recipient: received, application: ofApplication } });
    }
  }

  search({ app_id, account_name, search_type, start, count }: Search): NumberedDocument[] {
    const side = search_type.startsWith('by_sender') ? 'sender' : 'recipient';
    const own = this.copies.filter(
      ({ record, recipient }) => record.app_id === app_id && (side === 'sender' ? record.sender : recipient) === account_name,
    );
    const byTime = search_type.includes('_datetime');
    const key = ({ record, numbers }: Copy): bigint => (byTime ? BigInt(record.received) : numbers[side]);
    const reverse = search_type.endsWith('_reverse') && start !== '-1';
    const beginning = reverse ? 0n : BEHIND_ALL;
    const from = start === null || start === '-1' ? beginning : byTime ? BigInt(Date.parse(`${start}Z`) / 1000) : BigInt(start);
    return walk(own, { key, from, count, side, reverse });
  }

  application(app_id: bigint, from: bigint, count: number): NumberedDocument[] {
    const own = this.copies.filter(({ record }) => record.app_id === app_id);
    return walk(own, { key: ({ numbers }) => numbers.application, from, count, side: 'application', reverse: false });
  }
}

interface NaiveWalk {
  readonly key: (copy: Copy) => bigint;
  readonly from: bigint;
  readonly count: number;
  readonly side: keyof Copy['numbers'];
  readonly reverse: boolean;
}

/** The index descends, equal keys in the order of their creation; a walk stops when it has so many numbers, later copies replace earlier ones. */
function walk(copies: readonly Copy[], { key, from, count, side, reverse }: NaiveWalk): NumberedDocument[] {
  const index = copies.toSorted((a, b) => Number(key(b) - key(a)));
  const path = reverse ? index.toReversed().filter((copy) => key(copy) >= from) : index.filter((copy) => key(copy) <= from);
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
const asking = { rows: view, notation };
const naive = new Naive();
const apps = [0n, 7n, 2n ** 64n - 1n];
const dice = new Dice(20_261_121);
const strangers = ['b', 'B9', 'zz', 'ab', 'a-_', 'x'.repeat(32)];

{
  const chain = openChain(parameters, store);
  produce(chain);
  for (let block = 0; block < 45; block++) {
    const received = chain.head.time;
    for (let sent = dice.roll(7); sent > 0; sent--) {
      const [sender, app_id] = [dice.pick(people.slice(0, 3)), dice.pick(apps)];
      const among = [...people, ...strangers];
      const recipients = dice.shuffle(among).slice(0, dice.chance(30) ? dice.roll(among.length + 1) : dice.roll(4));
      const data = JSON.stringify(`${block}/${sent}`);
      const body: Json = { fee: '0.010000 COIN', sender, recipients, app_id: String(app_id), json: data };
      chain.accept(transactionOn(chain, parameters, [['custom_json', body]], [sender]));
      naive.add({ sender, recipients: recipients.toSorted(compareNames), app_id, data, received });
    }
    produce(chain);
  }
}

const times = [...new Set(naive.copies.map(({ record }) => record.received))];

test('every search finds what the rows of all recipients say, whatever is sought', () => {
  for (let round = 0; round < 4000; round++) {
    const search_type = `by_${dice.pick(['sender', 'recipient'])}${dice.pick(['', '_datetime'])}${dice.pick(['', '_reverse'])}`;
    const count = dice.pick([0, 1, 2, 3, dice.roll(20), 1000]);
    const time = timeText(dice.pick(times) + dice.pick([0, 0, -1, 1, -100_000, 100_000]));
    const number = String(dice.pick([dice.roll(60), 10_000, -1]));
    const start = dice.chance(5) ? null : search_type.includes('_datetime') ? time : number;
    const search = { app_id: dice.pick(apps), account_name: dice.pick([...people, ...strangers, 'nobody']), search_type, start, count };
    assert.deepEqual(searchDocuments(asking, search), naive.search(search), JSON.stringify({ ...search, app_id: String(search.app_id) }));
  }
});

test('the messages of an application are found as the rows of all recipients say', () => {
  for (let round = 0; round < 500; round++) {
    const count = dice.pick([0, 1, 2, dice.roll(50), 500]);
    const [app_id, start] = [dice.pick(apps), dice.chance(10) ? null : BigInt(dice.roll(80))];
    const found = applicationDocuments(asking, { app_id, start, limit: count });
    assert.deepEqual(found, naive.application(app_id, start ?? BEHIND_ALL, count));
  }
});

test('each copy is found by its id, and none behind the last', () => {
  for (const { record } of naive.copies) assert.deepEqual(documentWith(view, record.id), record);
  assert.equal(documentWith(view, BigInt(naive.copies.length)), undefined);
  assert.equal(documentWith(view, 2n ** 64n - 1n), undefined);
});

test('a page shows the last copy of a message to many, but of the message that fills it the first; a page of _reverse the other way round', () => {
  const message = present(
    naive.copies.find(({ record }) => record.recipients.length > 2),
    'a message to many',
  );
  const { app_id, sender: account_name, recipients } = message.record;
  const number = message.numbers.sender;
  const [first, last] = [message.record.id, message.record.id + BigInt(recipients.length) - 1n];
  const ids = (search_type: string, start: bigint, count: number): (bigint | undefined)[] =>
    searchDocuments(asking, { app_id, account_name, search_type, start: String(start), count })
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
  const lineage = { rows: view, notation: { ...notation, dialect: 'legacy' } } as const;
  const search = { app_id: 7n, account_name: 'alice', search_type: 'by_sender', count: 5 };
  assert.throws(() => searchDocuments(lineage, { ...search, start: '4' }), { code: 'start_below_count' });
  assert.deepEqual(searchDocuments(lineage, { ...search, start: '-1' }), searchDocuments(asking, { ...search, start: '-1' }));
  assert.throws(() => applicationDocuments(lineage, { app_id: 7n, start: 4n, limit: 5 }), { code: 'start_below_count' });
});
