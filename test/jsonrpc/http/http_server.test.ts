import type { Asker } from '../../../src/jsonrpc/asker.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Fault } from '../../../src/base/fault.ts';
import type { Subscriber } from '../../../src/jsonrpc/subscriber.ts';
import { Client, servers, listen, post, sendAndLeave, sendRaw } from './servers.ts';

const MEBIBYTE = 1024 * 1024;
const echo = '{"jsonrpc":"2.0","id":1,"method":"test_api.echo"}';
const echoed = '{"jsonrpc":"2.0","result":{"list":[],"any":null},"id":1}';
const wait = '{"jsonrpc":"2.0","id":7,"method":"test_api.wait"}';
const waited = '{"jsonrpc":"2.0","result":{"waited":true},"id":7}';

interface Heard {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

async function ask(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  method = 'POST',
): Promise<Heard> {
  const response = await fetch(url, { method, body, headers: { connection: 'close', ...headers } });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

async function show(url: string, method = 'GET'): Promise<Heard> {
  const response = await fetch(url, { method, headers: { connection: 'close' } });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

/** Reads a connection to the end; whether an answer of more than nine mebibytes came whole. */
async function bytesOf(socket: Socket): Promise<boolean> {
  let bytes = 0;
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > 9 * MEBIBYTE) socket.destroy();
  });
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
  return bytes > 9 * MEBIBYTE;
}

/** Whether the connection ends with the answer, and not when it has been idle for long. */
async function ends(port: number, request: string): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(request);
  await once(socket, 'data');
  socket.resume();
  const ended = await Promise.race([once(socket, 'end').then(() => true), setTimeout(4000, false, { ref: false })]);
  socket.destroy();
  return ended;
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setTimeout(10);
}

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
      ['{"jsonrpc":"2.0","id":1,"method":"test_api.echo","params":{"__proto__":{"list":[1]}}}', /unknown member \\"__proto__\\"/],
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
    const heard = await Promise.all(asked.map(async (id) => (await ask(url, echo.replace('"id":1,', `"id":${id},`))).text));
    assert.deepEqual(
      heard,
      asked.map((id) => echoed.replace('"id":1}', `"id":${id}}`)),
    );
  });

  test(`${name}: a body beyond the limit is 413, announced or not`, async (t) => {
    const { url, port } = await listen(t, open, {}, { bodyBytes: 1000, bodyDeadlineMs: 300 });
    assert.equal((await ask(url, echo.padEnd(1000))).text, echoed);
    assert.match(await sendRaw(port, post('').replace('Content-Length: 0', 'Content-Length: 1001')), /^HTTP\/1.1 413 /);
    const chunked = ['POST / HTTP/1.1', 'Host: localhost', 'Transfer-Encoding: chunked', '', '400', 'x'.repeat(1024), '0', '', ''].join(
      '\r\n',
    );
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
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH']) assert.equal((await show(url, method)).status, 405, method);
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
    assert.ok((await sendRaw(port, post(echo, 'Content-Type: application/json').replace('POST', 'GET'), echoed)).endsWith(echoed));
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

  test(`${name}: a stranger's Host is refused unless it is allowed`, async (t) => {
    const { port } = await listen(t, open, { allowedHosts: ['node.example'] });
    const hostIs = async (host: string): Promise<string> =>
      await sendRaw(port, post(echo).replace('Host: localhost', `Host: ${host}`), '\r\n\r\n');
    for (const host of ['evil.example', 'localhost.evil.example', '10.0.0.1', `evil.example:${port}`])
      assert.match(await hostIs(host), /^HTTP\/1.1 403 /, host);
    for (const host of ['localhost', `127.0.0.1:${port}`, '[::1]:80', 'Node.Example:8090'])
      assert.match(await hostIs(host), /^HTTP\/1.1 200 /, host);
    await assert.rejects(Client.open(t, port, { host: 'evil.example' }), /the server answers 403/);
  });

  test(`${name}: on a public bind an address is as good as a name, a stranger's name is not`, async (t) => {
    const { port } = await listen(t, open, { host: '0.0.0.0' });
    const hostIs = async (host: string): Promise<string> =>
      await sendRaw(port, post(echo).replace('Host: localhost', `Host: ${host}`), '\r\n\r\n');
    assert.match(await hostIs('192.0.2.7:8090'), /^HTTP\/1.1 200 /);
    assert.match(await hostIs('evil.example'), /^HTTP\/1.1 403 /);
  });

  test(`${name}: CORS is off unless set`, async (t) => {
    const off = await listen(t, open);
    assert.equal((await ask(off.url, echo)).headers.get('access-control-allow-origin'), null);
    await assert.rejects(Client.open(t, off.port, { origin: 'https://evil.example' }), /the server answers 403/);
    const on = await listen(t, open, { corsOrigins: ['*'] });
    const { status, headers } = await show(on.url, 'OPTIONS');
    assert.deepEqual(
      [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-headers')],
      [204, '*', 'Content-Type, X-Pharos-Min-Head'],
    );
    assert.equal(headers.get('access-control-expose-headers'), 'X-Pharos-Head');
    assert.equal((await ask(on.url, echo)).headers.get('access-control-allow-origin'), '*');
    const client = await Client.open(t, on.port, { origin: 'https://page.example' });
    assert.equal(await client.ask(echo), echoed);
  });

  test(`${name}: a page of a stranger reaches no method, in whatever form a browser sends it`, async (t) => {
    const asked: string[] = [];
    const answer = (body: Buffer): string => `${asked.push(body.toString())}`;
    const { url, port } = await listen(t, open, { answer, fromCache: () => undefined, corsOrigins: ['https://page.example'] });
    for (const origin of ['https://evil.example', 'null', 'http://localhost:3000', 'https://page.example.evil.example'])
      for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded']) {
        const { status, text, headers } = await ask(url, echo, { origin, 'content-type': type });
        assert.deepEqual([status, headers.get('access-control-allow-origin')], [403, null]);
        assert.match(text, /--http-cors/);
      }
    assert.deepEqual(asked, []);
    for (const origin of ['https://page.example', `http://127.0.0.1:${port}`]) assert.equal((await ask(url, echo, { origin })).status, 200);
    assert.equal(
      (await ask(url, echo, { origin: 'https://page.example' })).headers.get('access-control-allow-origin'),
      'https://page.example',
    );
    assert.equal((await ask(url, echo)).headers.get('access-control-allow-origin'), null);
  });

  test(`${name}: pages of this machine are served where that is set, by whatever port they came`, async (t) => {
    const { url, port } = await listen(t, open, { corsOrigins: ['localhost'] });
    for (const origin of ['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:5173']) {
      const { text, headers } = await ask(url, echo, { origin });
      assert.deepEqual([text, headers.get('access-control-allow-origin'), headers.get('vary')], [echoed, origin, 'Origin']);
      assert.equal((await ask(url, '', { origin }, 'OPTIONS')).headers.get('access-control-allow-origin'), origin);
      assert.equal(await (await Client.open(t, port, { origin })).ask(echo), echoed);
    }
    for (const origin of ['http://localhost.evil.example', 'http://evil.example/localhost', 'http://10.0.0.1:3000', 'ftp://localhost'])
      assert.equal((await ask(url, echo, { origin })).status, 403, origin);
  });

  test(`${name}: readers of large answers who take nothing are let go when one address has too many of them`, async (t) => {
    const limits = { unsentBytesPerAddress: 20 * MEBIBYTE, answerDeadlineMs: 60_000 };
    const { port, url } = await listen(t, open, {}, limits);
    const large = `{"jsonrpc":"2.0","id":1,"method":"test_api.long","params":{"length":${9 * MEBIBYTE}}}`;
    const silent = Array.from({ length: 6 }, () => connect({ port, host: '127.0.0.1' }));
    t.after(() => silent.forEach((socket) => socket.destroy()));
    for (const socket of silent) {
      socket.pause();
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(post(large).replace('Connection: close\r\n', ''));
    }
    // A paused socket doesn't hear of its end until it reads, so this one reads late: whole, or cut off.
    const whole = await Promise.all(silent.map(async (socket) => await bytesOf(socket)));
    assert.deepEqual([whole.includes(true), whole.includes(false)], [true, true], 'some are let go, others are not');
    assert.equal((await ask(url, echo)).text, echoed);
  });

  test(`${name}: a reader that takes too long for an answer is let go`, async (t) => {
    const { port } = await listen(t, open, {}, { answerDeadlineMs: 300 });
    const socket = connect({ port, host: '127.0.0.1' });
    t.after(() => socket.destroy());
    socket.pause();
    socket.write(post(`{"jsonrpc":"2.0","id":1,"method":"test_api.long","params":{"length":${9 * MEBIBYTE}}}`));
    await setTimeout(1500);
    assert.equal(await bytesOf(socket), false);
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

  test(`${name}: a WebSocket carries the same calls, errors and batches`, async (t) => {
    const { port } = await listen(t, open);
    const client = await Client.open(t, port);
    assert.equal(await client.ask(echo), echoed);
    assert.equal(await client.ask(wait), waited);
    assert.match(await client.ask('nonsense'), /-32700/);
    assert.equal(await client.ask(`[${echo}]`), `[${echoed}]`);
    assert.equal(await client.ask(Buffer.from(echo)), 'error: string payload expected');
    client.socket.send('{"jsonrpc":"2.0","method":"test_api.echo"}');
    assert.equal(await client.ask(wait), waited);
  });

  test(`${name}: over a WebSocket too, whoever asks the same again gets text with his own id`, async (t) => {
    const { port } = await listen(t, open);
    const client = await Client.open(t, port);
    client.socket.on('message', (_, isBinary) => assert.equal(isBinary, false));
    for (const id of ['1', '2', '"three"', '40000'])
      assert.equal(await client.ask(echo.replace('"id":1,', `"id":${id},`)), echoed.replace('"id":1}', `"id":${id}}`));
  });

  test(`${name}: a frame beyond the limit closes its connection only`, async (t) => {
    const { port } = await listen(t, open, {}, { bodyBytes: 1000 });
    const [big, other] = [await Client.open(t, port), await Client.open(t, port)];
    big.socket.send('x'.repeat(1001));
    assert.ok([1006, 1009].includes(await big.closed));
    assert.equal(await other.ask(echo), echoed);
  });

  test(`${name}: connections of one address are limited`, async (t) => {
    const { port } = await listen(t, open, {}, { connectionsPerAddress: 2 });
    const [first, second] = [await Client.open(t, port), await Client.open(t, port)];
    await assert.rejects(Client.open(t, port), /the server answers 429/);
    first.socket.close();
    await first.closed;
    assert.equal(await second.ask(echo), echoed);
    assert.equal(await (await Client.open(t, port)).ask(echo), echoed);
  });

  test(`${name}: connections that ask for nothing are counted, and room for the database is kept whatever they do`, async (t) => {
    let room = 10;
    const files = { room: () => room, isLow: () => room <= 0 };
    const { port, url } = await listen(t, open, { files });
    const silent = connect({ port, host: '127.0.0.1' });
    t.after(() => silent.destroy());
    await once(silent, 'connect');
    room = 0;
    // A connection is refused, or ended before it is heard.
    await until(async () => (await sendRaw(port, post(echo)).catch(() => '')) === '');
    room = 10;
    await until(async () => (await sendRaw(port, post(echo)).catch(() => '')).includes('200 OK'));
    assert.equal((await ask(url, echo)).text, echoed);
  });

  test(`${name}: all connections together are limited, and leaving makes room again`, async (t) => {
    const all = new Set<Socket>();
    // As the system counts them.
    const files = { room: () => 1000 - all.size, isLow: () => false };
    const { port } = await listen(t, open, { files }, { connections: 5 });
    for (let k = 0; k < 5; k++) {
      const socket = connect({ port, host: '127.0.0.1' });
      t.after(() => socket.destroy());
      await once(socket, 'connect');
      all.add(socket);
    }
    await until(async () => !(await sendRaw(port, post(echo)).catch(() => '')).includes('200 OK'));
    for (const socket of all) socket.destroy();
    all.clear();
    await until(async () => (await sendRaw(port, post(echo)).catch(() => '')).includes('200 OK'));
  });

  test(`${name}: a reader that falls too far behind is let go`, async (t) => {
    const callers: Subscriber[] = [];
    const answer = (_: Buffer, { subscriber }: Asker): undefined => void (subscriber !== undefined && callers.push(subscriber));
    const { port } = await listen(t, open, { answer }, { unsentBytes: 1_000_000 });
    const client = await Client.open(t, port);
    client.socket.send('hello');
    await until(() => callers.length === 1);
    const [caller] = callers;
    assert.ok(caller !== undefined);
    let closed = false;
    caller.onClose(() => void (closed = true));
    client.socket.pause();
    const notice = 'n'.repeat(100_000);
    let pushed = 0;
    while (caller.push(notice) && pushed < 1000) pushed++;
    assert.ok(pushed < 1000);
    assert.equal(caller.push('late'), false);
    client.socket.resume();
    await client.closed;
    await until(() => closed);
  });

  test(`${name}: a server that closes answers what is under way, takes nothing new, and may be closed again`, async (t) => {
    const finish: ((text: string) => void)[] = [];
    const { server, url, port } = await listen(t, open, { answer: () => new Promise((resolve) => finish.push(resolve)) });
    const idle = await Client.open(t, port);
    const underWay = ask(url, echo);
    await until(() => finish.length === 1);
    const [closing, again] = [server.close(), server.close()];
    finish[0]?.('"done"');
    assert.equal((await underWay).text, '"done"');
    await closing;
    await again;
    assert.equal(await idle.closed, 1001);
    await assert.rejects(ask(url, echo));
  });

  test(`${name}: a server that closes serves those who are connected, and tells them that it ends`, async (t) => {
    const finish: ((text: string) => void)[] = [];
    const waits = (body: Buffer): Promise<string> | string =>
      body.includes('wait') ? new Promise<string>((resolve) => finish.push(resolve)) : '"at once"';
    const { server, url, port } = await listen(t, open, { answer: waits });
    const kept = connect(port, '127.0.0.1');
    const request = post(echo).replace('Connection: close\r\n', '');
    kept.write(request);
    await once(kept, 'data');
    const webSocket = await Client.open(t, port);
    const underWay = ask(url, wait);
    await until(() => finish.length === 1);
    const closing = server.close();
    await assert.rejects(ask(url, echo), 'the port is closed');
    webSocket.socket.send(echo);
    assert.equal(await webSocket.next(), '"at once"');
    kept.write(request);
    const [answer] = await once(kept, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*connection: close\r\n(?:.*\r\n)*\r\n"at once"$/i);
    finish[0]?.('"done"');
    assert.equal((await underWay).text, '"done"');
    await closing;
    kept.destroy();
  });

  test(`${name}: what was answered before the server closed arrives whole`, async (t) => {
    const large = `"${'x'.repeat(8_000_000)}"`;
    const { server, url } = await listen(t, open, { answer: () => large });
    const response = await fetch(url, { method: 'POST', body: echo, headers: { connection: 'close' } });
    const [text] = await Promise.all([response.text(), server.close()]);
    assert.equal(text.length, large.length);
  });

  test(`${name}: whoever asks for the end of the connection is told of it in every answer`, async (t) => {
    const { port } = await listen(t, open);
    const requests = {
      'a call': post(echo),
      'the same once more': post(echo),
      'a call that waits': post(wait),
      'a notification': post('{"jsonrpc":"2.0","method":"test_api.echo"}'),
      'a page': 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      'no page': 'GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      'a strange host': post(echo).replace('Host: localhost', 'Host: evil.example'),
      'other options': post(echo).replace('Connection: close', 'Connection: TE, Close'),
    };
    for (const [what, request] of Object.entries(requests)) {
      const [head = ''] = (await sendRaw(port, request)).split('\r\n\r\n');
      assert.equal(head.match(/^connection: close\r?$/gim)?.length, 1, `${what}: ${head}`);
      assert.equal(await ends(port, request), true, what);
    }
  });

  test(`${name}: whoever keeps the connection is told for how long`, async (t) => {
    const { port } = await listen(t, open);
    const head = await sendRaw(port, post(echo).replace('Connection: close\r\n', ''), echoed);
    assert.match(head, /^keep-alive: timeout=\d+\r?$/im);
    assert.doesNotMatch(head, /^connection: close/im);
  });

  test(`${name}: a connection that keeps alive does not outlive its server`, async (t) => {
    const { server, port } = await listen(t, open);
    const socket = connect(port, '127.0.0.1');
    const gone = once(socket, 'close');
    socket.write(post(echo).replace('Connection: close', 'Connection: keep-alive'));
    await once(socket, 'data');
    await server.close();
    socket.resume();
    const patience = new AbortController();
    const [outcome] = await Promise.race([gone.then(() => ['closed']), setTimeout(4000, ['kept'], { signal: patience.signal })]);
    patience.abort();
    assert.equal(outcome, 'closed');
  });
}
