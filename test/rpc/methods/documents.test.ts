import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../src/codec/json.ts';
import { produce, transactionOn } from '../../builders/chain.ts';
import { NodeOfMethods } from './node_of_methods.ts';

const node = new NodeOfMethods();
for (let n = 1; n <= 6; n++) {
  const document: Json = [
    'custom_json',
    { fee: '0.010000 COIN', sender: 'dave', recipients: ['alice', 'bob', 'erin'], app_id: 9, json: `{"n":${n}}` },
  ];
  node.chain.accept(transactionOn(node.chain, node.parameters, [document], ['dave']));
  produce(node.chain);
}

async function numbers(search_type: string, start: string | number, count: number, account_name = 'erin'): Promise<number[]> {
  const params = { app_id: 9, account_name, search_type, start, count };
  const found = await node.result('custom_api.list_received_documents', params);
  const { received_documents } = Object(await node.result('alexandria_api.get_received_documents', params));
  assert.deepEqual(received_documents, found);
  assert.ok(Array.isArray(found));
  return found.map(([number, { data }]) => {
    assert.equal(data, `{"n":${number}}`);
    return Number(number);
  });
}

test('documents are found by number, downwards or upwards from the start', async () => {
  assert.deepEqual(await numbers('by_recipient', '5', 3), [3, 4, 5]);
  assert.deepEqual(await numbers('by_recipient', 100, 100), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await numbers('by_recipient_reverse', '2', 3), [2, 3, 4]);
  assert.deepEqual(await numbers('by_recipient_reverse', '7', 3), []);
});

test('a sender sees each document once, however many received it', async () => {
  assert.deepEqual(await numbers('by_sender', '6', 6, 'dave'), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await numbers('by_sender', '6', 2, 'dave'), [5, 6]);
  assert.deepEqual(await numbers('by_sender_reverse', '1', 4, 'dave'), [1, 2, 3, 4]);
  const messages = await node.result('custom_api.get_app_custom_messages', { app_id: 9, start: 5, limit: 2 });
  assert.ok(Array.isArray(messages));
  assert.deepEqual(
    messages.map(([number]) => number),
    [4, 5],
  );
});

test('documents are found by time', async () => {
  const [, [, third]] = Object(
    await node.result('custom_api.list_received_documents', {
      app_id: 9,
      account_name: 'erin',
      search_type: 'by_recipient_reverse',
      start: '2',
      count: 2,
    }),
  );
  assert.deepEqual(await numbers('by_recipient_datetime', third.received, 2), [2, 3]);
  assert.deepEqual(await numbers('by_recipient_datetime_reverse', third.received, 2), [3, 4]);
  assert.deepEqual(await numbers('by_sender_datetime_reverse', third.received, 10, 'dave'), [3, 4, 5, 6]);
});

test('bytes are shown in base64, JSON as it was sent', async () => {
  const [[, document]] = Object(
    await node.result('custom_api.list_received_documents', {
      app_id: 1,
      account_name: 'alice',
      search_type: 'by_recipient_reverse',
      start: '1',
      count: 1,
    }),
  );
  assert.equal(document.binary, true);
  assert.equal(document.data, Buffer.from('hello').toString('base64'));
  assert.deepEqual(await node.result('custom_api.get_received_document', { id: document.id }), document);
});

test('a search that means nothing is refused', async () => {
  const search = (changes: { [member: string]: string | number }) =>
    node.call('custom_api.list_received_documents', {
      app_id: 9,
      account_name: 'erin',
      search_type: 'by_recipient',
      start: '5',
      count: 3,
      ...changes,
    });
  const { error: magic } = await search({ search_type: 'by_magic' });
  assert.match(magic?.message ?? '', /^there is no search_type by_magic; there are by_sender, /);
  assert.equal(magic?.data?.['lineage'], 'Assert Exception:false: Unknown search type argument');
  const { error: large } = await search({ count: 10_001 });
  assert.equal(large?.message, 'at most 10000 at once, got 10001; ask for the rest in further calls');
  assert.match(String(large.data?.['lineage']), /limit of 10001 is greater than maxmimum allowed/);
  assert.equal((await search({ start: 'abc' })).error?.data?.['member'], 'start');
  assert.equal((await search({ start: 'abc', search_type: 'by_recipient_datetime' })).error?.data?.['member'], 'start');
  assert.equal((await node.call('custom_api.get_received_document', { id: 4711 })).error?.data?.['name'], 'unknown_document');
});
