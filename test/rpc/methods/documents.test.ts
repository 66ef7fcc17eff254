import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../src/codec/json.ts';
import { produce, makeTransaction } from '../../builders/chain.ts';
import { NodeOfMethods } from './node_of_methods.ts';

const node = new NodeOfMethods();
for (let n = 1; n <= 6; n++) {
  const document: Json = [
    'custom_json',
    { fee: '0.010000 COIN', sender: 'dave', recipients: ['alice', 'bob', 'erin'], app_id: 9, json: `{"n":${n}}` },
  ];
  node.chain.accept(makeTransaction(node.chain, node.parameters, [document], ['dave']));
  produce(node.chain);
}

async function numbers(
  search_type: string,
  start: string | number,
  count: number,
  account_name = 'erin',
): Promise<number[]> {
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

test('several documents of a block are read page by page, by every search type and in both directions', async () => {
  await sendInOneBlock([...Array(12).keys()].map((n) => n + 1));
  await sendInOneBlock([13, 14, 15]);
  const [early, late] = ['2000-01-01T00:00:00', '2100-01-01T00:00:00'];
  const down = [...Array(15).keys()].map((n) => 15 - n);
  for (const side of ['sender', 'recipient']) {
    for (const [search_type, start, expected] of [
      [`by_${side}`, '15', down],
      [`by_${side}`, '-1', down],
      [`by_${side}`, null, down],
      [`by_${side}_reverse`, '1', down.toReversed()],
      [`by_${side}_reverse`, -1, down],
      [`by_${side}_reverse`, null, down],
      [`by_${side}_datetime`, late, down],
      [`by_${side}_datetime`, null, down],
      [`by_${side}_datetime_reverse`, early, down.toReversed()],
      [`by_${side}_datetime_reverse`, null, down],
    ] as const) {
      for (const count of [1, 4, 5, 100]) {
        const params = { app_id: 10, account_name: side === 'sender' ? 'dave' : 'bob', search_type, start, count };
        assert.deepEqual(await pages(params, expected === down), expected, JSON.stringify(params));
      }
    }
  }
  const four = { app_id: 10, account_name: 'bob', count: 4 };
  const numbersFound = async (search_type: string, start: string): Promise<number[]> =>
    toPairs(await node.result('custom_api.list_received_documents', { ...four, search_type, start })).map(
      ([number]) => number,
    );
  assert.deepEqual(await numbersFound('by_recipient_datetime', late), [12, 13, 14, 15]);
  assert.deepEqual(await numbersFound('by_recipient_datetime_reverse', early), [1, 2, 3, 4]);
});

test('without a start there are the ten newest documents', async () => {
  for (const search_type of ['by_recipient', 'by_recipient_reverse', 'by_sender_datetime_reverse']) {
    const params = { app_id: 10, account_name: search_type.startsWith('by_sender') ? 'dave' : 'bob', search_type };
    const { received_documents, cursor } = Object(await node.result('alexandria_api.get_received_documents', params));
    assert.deepEqual(
      toPairs(received_documents).map(([number]) => number),
      [6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    );
    assert.equal(cursor, 5);
  }
});

test('the legacy dialect has neither cursor nor order within a block', async () => {
  const search = async (search_type: string, start: string): Promise<number[]> => {
    const { result } = await node.send({
      id: 1,
      method: 'get_received_documents',
      params: [10, 'bob', search_type, start, 4],
    });
    return toPairs(result).map(([number]) => number);
  };
  assert.deepEqual(await search('by_recipient_datetime', '2100-01-01T00:00:00'), [1, 13, 14, 15]);
  assert.deepEqual(await search('by_recipient_datetime_reverse', '2000-01-01T00:00:00'), [9, 10, 11, 12]);
});

async function sendInOneBlock(contents: readonly number[]): Promise<void> {
  const body = { fee: '0.010000 COIN', sender: 'dave', recipients: ['alice', 'bob'], app_id: 10 };
  const operations = contents.map((n): Json => ['custom_json', { ...body, json: `{"n":${n}}` }]);
  node.chain.accept(makeTransaction(node.chain, node.parameters, operations, ['dave']));
  produce(node.chain);
  await Promise.resolve();
}

/**
 * The numbers of all pages of a search in the order of its walk, read by the cursor and, where a list has none, by the
 * numbers of the page.
 */
async function pages(params: { readonly [member: string]: Json }, goesDown: boolean): Promise<number[]> {
  const walked: number[] = [];
  for (let cursor: Json = null; ;) {
    const listed = toPairs(await node.result('custom_api.list_received_documents', { ...params, cursor }));
    const page: { received_documents: unknown; cursor: number | null } = Object(
      await node.result('alexandria_api.get_received_documents', { ...params, cursor }),
    );
    assert.deepEqual(page.received_documents, listed);
    const found = listed.map(([number]) => number);
    walked.push(...(goesDown ? found.toReversed() : found));
    if (page.cursor === null) return walked;
    cursor = page.cursor;
    assert.equal(cursor, goesDown ? Math.min(...found) - 1 : Math.max(...found) + 1);
  }
}

function toPairs(value: unknown): (readonly [number, unknown])[] {
  assert.ok(Array.isArray(value));
  return value;
}

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
  assert.equal(
    (await node.call('custom_api.get_received_document', { id: 4711 })).error?.data?.['name'],
    'unknown_document',
  );
});
