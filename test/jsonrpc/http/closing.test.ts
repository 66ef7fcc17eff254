import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { ask, echo, echoed, until, wait } from './sample_calls.ts';
import { Client, listen, post, sendRaw, servers } from './servers.ts';

/** True when the connection ends with the answer, and not after a long idle time. */
async function ends(port: number, request: string): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.write(request);
  await once(socket, 'data');
  socket.resume();
  const ended = await Promise.race([once(socket, 'end').then(() => true), setTimeout(4000, false, { ref: false })]);
  socket.destroy();
  return ended;
}

for (const [name, open] of servers) {
  test(`${name}: a server that closes answers what is under way, takes nothing new, and may be closed again`, async (t) => {
    const finish: ((text: string) => void)[] = [];
    const { server, url, port } = await listen(t, open, {
      answer: () => new Promise((resolve) => finish.push(resolve)),
    });
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
    const [outcome] = await Promise.race([
      gone.then(() => ['closed']),
      setTimeout(4000, ['kept'], { signal: patience.signal }),
    ]);
    patience.abort();
    assert.equal(outcome, 'closed');
  });
}
