import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { ask, echo, echoed, until } from './sample_calls.ts';
import { Client, listen, post, sendRaw, servers } from './servers.ts';

const MEBIBYTE = 1024 * 1024;

/** Reads a connection to the end; whether an answer of more than nine mebibytes came whole. */
async function receivesBytes(socket: Socket): Promise<boolean> {
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

for (const [name, open] of servers) {
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
    const whole = await Promise.all(silent.map(async (socket) => await receivesBytes(socket)));
    assert.deepEqual([whole.includes(true), whole.includes(false)], [true, true], 'some are let go, others are not');
    assert.equal((await ask(url, echo)).text, echoed);
  });

  test(`${name}: a reader that takes too long for an answer is let go`, async (t) => {
    const { port } = await listen(t, open, {}, { answerDeadlineMs: 300 });
    const socket = connect({ port, host: '127.0.0.1' });
    t.after(() => socket.destroy());
    socket.pause();
    socket.write(post(`{"jsonrpc":"2.0","id":1,"method":"test_api.long","params":{"length":${9 * MEBIBYTE}}}`));
    // The deadline is looked at each quarter of a second, and a busy machine takes its time to make the answer.
    await setTimeout(5000);
    assert.equal(await receivesBytes(socket), false);
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
    const files = { count: () => room, isLow: () => room <= 0 };
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

  test(`${name}: while nobody comes nobody looks at files`, async (t) => {
    let [counts, come] = [0, 0];
    const files = {
      count: () => ++counts,
      isLow: () => ++come < 0,
    };
    const { url } = await listen(t, open, { files });
    [counts, come] = [0, 0];
    await setTimeout(600);
    assert.deepEqual([counts, come], [0, 0]);
    assert.equal((await ask(url, echo)).text, echoed);
    assert.ok(come > 0);
  });

  test(`${name}: all connections together are limited, and leaving makes room again`, async (t) => {
    const all = new Set<Socket>();
    const { port } = await listen(t, open, {}, { connections: 5 });
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
}
