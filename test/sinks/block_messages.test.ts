import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryEntry } from '../../src/queries/history_entry.ts';
import { operationCodec } from '../../src/operations/index.ts';
import { BlockMessages, type BlockMessage } from '../../src/sinks/block_messages.ts';
import { eventForms } from '../../src/sinks/event_form.ts';
import { eventType, type EventRecord, type OperationRecord } from '../../src/sinks/event_schema.ts';
import { encoding } from '../builders/chain.ts';

const MOST_BYTES = 512 * 1024;
const id = `00000007${'ab'.repeat(16)}`;
const head = {
  ...{ number: 7, id, previous: `00000006${'cd'.repeat(16)}`, timestamp: '2026-11-21T00:00:21', witness: 'initminer' },
  ...{ missed_slots: 2, transaction_count: 3 },
};

function makeDocument(recipients: readonly string[], text: string, trx_in_block: number): HistoryEntry {
  const body = {
    fee: '0.010000 COIN',
    sender: 'alice',
    recipients: [...recipients],
    app_id: 1,
    json: JSON.stringify({ text }),
  };
  const op = operationCodec.fromJson(['custom_json', body], encoding);
  return {
    trx_id: 'ef'.repeat(20),
    block: 7,
    trx_in_block,
    op_in_trx: 0,
    virtual_op: 0,
    timestamp: 1_795_219_218,
    op,
    fee_payer: 'alice',
  };
}

function decodeRecord(form: 'avro' | 'json', { payload }: BlockMessage): EventRecord;
function decodeRecord(form: 'avro' | 'json', { payload }: BlockMessage): unknown {
  const bytes = Buffer.from(payload);
  return form === 'json' ? JSON.parse(bytes.toString()) : eventType.fromBuffer(bytes);
}

function makeMessages(form: 'avro' | 'json', entries: readonly HistoryEntry[], withOperations = true): BlockMessage[] {
  return [...new BlockMessages({ form: eventForms[form], encoding, withOperations }).of(head, [entries])];
}

/** Values joined where they were cut. */
function joined(
  operations: readonly OperationRecord[],
): { readonly value: unknown; readonly accounts: readonly string[] }[] {
  const all: { value: unknown; accounts: string[]; isOpen: boolean }[] = [];
  for (const { value, accounts, continued } of operations) {
    const last = all.at(-1);
    if (last?.isOpen !== true) all.push({ value, accounts: [...accounts], isOpen: continued });
    else {
      last.value = `${String(last.value)}${value}`;
      last.isOpen = continued;
    }
  }
  return all.map(({ value, accounts }) => ({ value: typeof value === 'string' ? JSON.parse(value) : value, accounts }));
}

for (const form of ['avro', 'json'] as const) {
  test(`in ${form}, a block of any size comes in parts of at most 512 KiB, and nothing of it is lost`, () => {
    const many = Array.from({ length: 5000 }, (_, k) => `a${'bcdefghij'.charAt(k % 9)}${k.toString(36)}`);
    const texts = [
      '',
      'short',
      '"\\\u0001'.repeat(20_000),
      '😀'.repeat(200_000),
      'x'.repeat(1_000_000),
      ...Array.from({ length: 400 }, () => 'y'.repeat(3000)),
    ];
    const entries = texts.map((text, k) => makeDocument(k === 1 ? many : ['bob'], text, k));
    const messages = makeMessages(form, entries);
    for (const { payload } of messages) assert.ok(payload.length <= MOST_BYTES, `${payload.length} bytes`);
    const records = messages.map((message) => decodeRecord(form, message));
    const parts = records.flatMap(({ Block: block }) => (block === undefined ? [] : [block]));
    assert.ok(parts.length > 3);
    assert.deepEqual(
      parts.map(({ part }) => part),
      parts.map((_, k) => k),
    );
    assert.deepEqual(
      parts.filter(({ is_last_part }) => is_last_part),
      [parts.at(-1)],
    );
    assert.deepEqual(
      messages.filter(({ isEnd }) => isEnd),
      [messages.at(-1)],
    );
    const operations = joined(parts.flatMap((part) => part.operations));
    assert.deepEqual(
      operations.map(({ value }) => value),
      entries.map(({ op }) => op.bodyToJson(encoding)),
    );
    assert.ok(operations.every(({ accounts }) => accounts.join() === 'alice'));
    const alone = records.flatMap(({ OperationEvent: event }) => (event === undefined ? [] : [event]));
    assert.deepEqual(
      alone.map(({ operation }) => operation),
      parts.flatMap((part) => part.operations),
    );
    assert.ok(alone.every((event) => event.number === 7 && event.id === id));
  });
}

test('what is put together of pieces is what the library writes', () => {
  const entries = Array.from({ length: 200 }, (_, k) => makeDocument(['bob'], `${k}`, k));
  for (const given of [[], entries.slice(0, 1), entries.slice(0, 63), entries.slice(0, 64), entries]) {
    const [message] = makeMessages('avro', given, false);
    assert.ok(message !== undefined);
    const record = decodeRecord('avro', message);
    assert.deepEqual(Buffer.from(message.payload), eventType.toBuffer(record));
    assert.equal(record.Block?.missed_slots, 2);
  }
});

test('the same operations in other chunks give the same messages', () => {
  const entries = Array.from({ length: 500 }, (_, k) => makeDocument(['bob'], 'z'.repeat(2000), k));
  const messages = new BlockMessages({ form: eventForms.avro, encoding, withOperations: true });
  const inOne = [...messages.of(head, [entries])];
  const chunks = entries.map((entry) => [entry]);
  // Of a block that nobody has read to its end nothing is left.
  messages.of(head, chunks).next();
  const each = [...messages.of(head, chunks)];
  assert.deepEqual(each, inOne);
});
