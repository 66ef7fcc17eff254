import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../src/base/fault.ts';
import { ask, echo, echoed, show, wait, waited } from './sample_calls.ts';
import { listen, post, sendAndLeave, sendRaw, servers } from './servers.ts';

for (const [name, open] of servers) {
  test(`${name}: a call is answered on any path, at once or later, as JSON`, async (t) => {
    const { url } = await listen(t, open);
    for (const path of ['', 'rpc', 'a/b?c=d']) {
      const { status, text, headers } = await ask(url + path, echo);
      assert.deepEqual([status, text, headers.get('content-type')], [200, echoed, 'application/json']);
    }
    assert.equal((await ask(url, wait)).text, waited);
  });

  test(`${name}: an error is status 200, a notification 204`, async (t) => {
    const { url, port } = await listen(t, open);
    const { status, text } = await ask(url, '{"jsonrpc":');
    assert.equal(status, 200);
    assert.match(text, /-32700/);
    assert.equal((await ask(url, '{"jsonrpc":"2.0","method":"test_api.echo"}')).status, 204);
    assert.equal((await ask(url, '[{"jsonrpc":"2.0","method":"test_api.wait"}]')).status, 204);
    // A 204 that announces a length would keep its client waiting.
    const silent = await sendRaw(port, post('{"jsonrpc":"2.0","method":"test_api.echo"}'), '\r\n\r\n');
    assert.match(silent, /^HTTP\/1.1 204 /);
    assert.doesNotMatch(silent, /content-length/i);
    assert.match((await ask(url, '')).text, /-32700/);
  });

  test(`${name}: malformed, deep, duplicate, unknown and non-UTF-8 bodies get a clear error and the server goes on`, async (t) => {
    const { url } = await listen(t, open);
    const bad: [string | Uint8Array<ArrayBuffer>, RegExp][] = [
      ['{{{{', /-32700.*at byte 1/],
      ['['.repeat(500_000), /json_too_deep/],
      [Uint8Array.from([0x7b, 0x22, 0xc3, 0x28, 0x22]), /json_invalid_utf8/],
      ['{"jsonrpc":"2.0","id":1,"id":1,"method":"test_api.echo"}', /stands twice/],
      ['{"jsonrpc":"2.0","id":1,"method":"test_api.echo","params":{"x":1}}', /unknown member \\"x\\"/],
      ['{"jsonrpc":"2.0","id":1,"method":"test_api.echo","params":{"list":"x"}}', /\\"list\\" must be array/],
      ['{"jsonrpc":"2.0","id":1,"method":"test_api.nothing"}', /-32601/],
      ['{"jsonrpc":"2.0","id":1,"method":"test_api.mistake"}', /-32603/],
      [
        '{"jsonrpc":"2.0","id":1,"method":"test_api.echo","params":{"__proto__":{"list":[1]}}}',
        /unknown member \\"__proto__\\"/,
      ],
    ];
    for (const [body, expected] of bad) {
      const { status, text } = await ask(url, body);
      assert.equal(status, 200);
      assert.match(text, expected);
      assert.equal((await ask(url, echo)).text, echoed);
    }
  });

  test(`${name}: several calls go over one connection, all sent at once`, async (t) => {
    const { port } = await listen(t, open);
    const one = (body: string, connection: string): string =>
      `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\nConnection: ${connection}\r\n\r\n${body}`;
    const heard = await sendRaw(
      port,
      one(echo, 'keep-alive') + one('nonsense', 'keep-alive') + one(echo.replace('1,', '99,'), 'close'),
      '"id":99}',
    );
    assert.match(heard, /"id":1}[^]*-32700[^]*"id":99}/);
  });

  test(`${name}: whoever asks the same again and again gets each answer with its own id`, async (t) => {
    const { url } = await listen(t, open);
    const asked = Array.from({ length: 30 }, (_, k) => (k % 3 === 0 ? `"${k}"` : String(k ** 4)));
    const heard = await Promise.all(
      asked.map(async (id) => (await ask(url, echo.replace('"id":1,', `"id":${id},`))).text),
    );
    assert.deepEqual(
      heard,
      asked.map((id) => echoed.replace('"id":1}', `"id":${id}}`)),
    );
  });

  test(`${name}: a body beyond the limit is 413, announced or not`, async (t) => {
    const { url, port } = await listen(t, open, {}, { bodyBytes: 1000, bodyDeadlineMs: 300 });
    assert.equal((await ask(url, echo.padEnd(1000))).text, echoed);
    assert.match(await sendRaw(port, post('').replace('Content-Length: 0', 'Content-Length: 1001')), /^HTTP\/1.1 413 /);
    const chunked = [
      'POST / HTTP/1.1',
      'Host: localhost',
      'Transfer-Encoding: chunked',
      '',
      '400',
      'x'.repeat(1024),
      '0',
      '',
      '',
    ].join('\r\n');
    assert.match(await sendRaw(port, chunked), /^HTTP\/1.1 413 /);
    assert.equal((await ask(url, echo)).text, echoed);
  });

  test(`${name}: a body in many pieces is put together`, async (t) => {
    const { port, url } = await listen(t, open);
    const body = `{"jsonrpc":"2.0","id":1,"method":"test_api.echo","params":{"any":"${'ab'.repeat(200_000)}"}}`;
    const { text } = await ask(url, body);
    assert.equal(text.length, 400_000 + '{"jsonrpc":"2.0","result":{"list":[],"any":""},"id":1}'.length);
    assert.ok((await sendRaw(port, post(body), '"id":1}')).endsWith('"},"id":1}'));
  });

  test(`${name}: a body that never comes is 408, and the others are served meanwhile`, async (t) => {
    const { port, url } = await listen(t, open, {}, { bodyDeadlineMs: 50 });
    const slow = sendRaw(port, `${post('').replace('Content-Length: 0', 'Content-Length: 100')}{"json`);
    assert.equal((await ask(url, echo)).text, echoed);
    assert.match(await slow, /^HTTP\/1.1 408 /);
  });

  test(`${name}: a client that leaves before its answer disturbs nobody`, async (t) => {
    const { port, url, seen } = await listen(t, open);
    await sendAndLeave(port, post(wait));
    await sendAndLeave(port, post('x'.repeat(100)).slice(0, -50));
    assert.equal((await ask(url, wait)).text, waited);
    assert.deepEqual(seen.reports, []);
  });

  test(`${name}: other methods are 405, other types 415, and what old clients send is taken`, async (t) => {
    const { url, port } = await listen(t, open);
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      assert.equal((await show(url, method)).status, 405, method);
    assert.equal((await show(url)).status, 405);
    assert.equal((await ask(url, echo, { 'content-type': 'multipart/form-data; boundary=x' })).status, 415);
    assert.equal((await ask(url, echo, { 'content-encoding': 'gzip' })).status, 415);
    for (const type of [
      'text/plain;charset=UTF-8',
      'application/json; charset=utf-8',
      'application/x-www-form-urlencoded',
      'Application/JSON',
    ]) {
      assert.equal((await ask(url, echo, { 'content-type': type })).text, echoed, type);
    }
    assert.ok(
      (await sendRaw(port, post(echo, 'Content-Type: application/json').replace('POST', 'GET'), echoed)).endsWith(
        echoed,
      ),
    );
  });

  test(`${name}: two lengths or two hosts are refused`, async (t) => {
    const { port, url } = await listen(t, open);
    const length = `Content-Length: ${echo.length}`;
    const refused = /^HTTP\/1.1 400 |^$/; // some are refused by the server's own parser, which may just hang up
    assert.match(await sendRaw(port, post(echo, 'Content-Length: 3')), refused);
    assert.match(await sendRaw(port, post(echo, length)), refused);
    assert.match(await sendRaw(port, post(echo, 'Host: 127.0.0.1')), refused);
    assert.match(await sendRaw(port, post(echo).replace(length, 'Content-Length: -1')), refused);
    assert.match(await sendRaw(port, post(echo).replace(length, 'Content-Length: 0x31')), refused);
    assert.match(await sendRaw(port, post(echo, 'Transfer-Encoding: chunked')), refused);
    assert.equal((await ask(url, echo)).text, echoed);
  });

  test(`${name}: a head beyond all measure is refused`, async (t) => {
    const { port, url } = await listen(t, open);
    assert.match(await sendRaw(port, post(echo, `X-Long: ${'x'.repeat(10_000)}`)), /^HTTP\/1.1 200 /);
    assert.match(await sendRaw(port, post(echo, `X-Long: ${'x'.repeat(17_000)}`)), /^HTTP\/1.1 431 /);
    assert.equal((await ask(url, echo)).text, echoed);
  });

  test(`${name}: health pages are shown, at once or later, others are 404`, async (t) => {
    const { url } = await listen(t, open);
    const health = await show(`${url}health`);
    assert.deepEqual([health.status, health.text], [200, 'well']);
    assert.equal((await show(`${url}readyz?x=1`)).status, 503);
    assert.equal((await show(`${url}nothing`)).status, 404);
  });

  test(`${name}: a port that is taken is a fault`, async (t) => {
    const { port } = await listen(t, open);
    await assert.rejects(listen(t, open, { port }), (error) => error instanceof Fault && error.code === 'port_in_use');
  });

  test(`${name}: an address that this machine lacks is called so, and not a port that is taken`, async (t) => {
    // An address for documentation, which no machine has.
    await assert.rejects(listen(t, open, { host: '192.0.2.1', port: 9193 }), {
      code: 'port_in_use',
      message: 'cannot listen on 192.0.2.1 port 9193: this machine has no such address',
    });
  });
}
