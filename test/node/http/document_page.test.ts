import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { present } from '../../../src/base/assert.ts';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import { documentPage } from '../../../src/node/http/document_page.ts';

test('the document is put together once, a piece a turn, for all who ask meanwhile', async () => {
  const turns: number[] = [];
  let made = 0;
  const clock: Clock = {
    ...systemClock,
    after(delayMs, run) {
      turns.push(made);
      return systemClock.after(delayMs, run);
    },
  };
  function* pieces(): Generator<string> {
    for (const piece of ['{"a":1', ',"b":2', '}']) {
      made++;
      yield piece;
    }
  }
  const page = documentPage(pieces, clock);
  const reader = { acceptEncoding: '', ifNoneMatch: '' };
  assert.equal(page('/', reader), undefined);
  const [first, second] = await Promise.all([page('/openrpc.json', reader), page('/openrpc.json', reader)]);
  const third = await page('/openrpc.json', reader);
  for (const each of [first, second, third]) {
    assert.deepEqual([each?.status, each?.contentType, each?.body], [200, 'application/json', '{"a":1,"b":2}']);
  }
  assert.deepEqual(turns, [1, 2, 3]);
});

test('the document has a tag by which a client learns that it has it already, and is compressed where that is accepted', async () => {
  const text = JSON.stringify({ methods: Array.from({ length: 500 }, (_, k) => `method ${k}`) });
  const page = documentPage(() => [text], systemClock);
  const get = async (acceptEncoding: string, ifNoneMatch = '') => {
    const {
      status,
      body,
      headers = [],
    } = present(await page('/openrpc.json', { acceptEncoding, ifNoneMatch }), 'a page');
    return { status, body, headers: new Map(headers) };
  };
  const plain = await get('');
  const tag = present(plain.headers.get('ETag'), 'a tag');
  assert.match(tag, /^W\/"[0-9a-f]{32}"$/);
  for (const known of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
    const { status, body } = await get('gzip', known);
    assert.deepEqual([status, body], [304, '']);
  }
  assert.deepEqual((await get('', '"other"')).status, 200);
  for (const [coding, unpack] of [
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const) {
    const { body, headers } = await get(coding);
    assert.deepEqual([headers.get('Content-Encoding'), headers.get('ETag')], [coding, tag]);
    assert.ok(typeof body !== 'string');
    assert.equal(unpack(body).toString(), text);
  }
  const other = documentPage(() => ['{}'], systemClock);
  const { headers = [] } = present(await other('/openrpc.json', { acceptEncoding: '', ifNoneMatch: '' }), 'a page');
  assert.notEqual(new Map(headers).get('ETag'), tag);
});
