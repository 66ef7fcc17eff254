import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { listen, sendRaw, servers, post } from './servers.ts';

const BODY = '{"jsonrpc":"2.0","id":1,"method":"test_api.echo"}'.padEnd(1000);
const CUT = 900;
const limits = { receivedBytesPerAddress: 2500, receivedBytesInAll: 100_000 };

for (const [name, open] of servers)
  test(`${name}: whoever has too much of requests that come in parts hears so, others are served, and what has come whole counts no more`, async (t) => {
    const { port } = await listen(t, open, {}, limits);
    /** Until the server has looked at all that was sent before. */
    const seen = async (): Promise<void> => {
      for (let k = 0; k < 2; k++) await sendRaw(port, post('{"jsonrpc":"2.0","id":1,"method":"test_api.echo"}'));
    };
    const begin = async (localAddress = '127.0.0.1'): Promise<Socket> => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      t.after(() => socket.destroy());
      socket.write(post(BODY).slice(0, -BODY.length) + BODY.slice(0, CUT));
      await once(socket, 'connect');
      await seen();
      return socket;
    };
    const end = async (socket: Socket): Promise<string> => {
      socket.write(BODY.slice(CUT));
      let heard = '';
      for await (const bytes of socket) heard += String(bytes);
      return heard;
    };
    for (let round = 0; round < 3; round++) {
      const [first, second, third, other] = [await begin(), await begin(), await begin(), await begin('127.0.0.2')];
      const gone = await begin('127.0.0.2');
      gone.destroy();
      assert.match(await end(third), /^HTTP\/1\.1 429 [^]*retry-after: 1[^]*send fewer of them at once$/i);
      for (const socket of [first, second, other]) assert.match(await end(socket), /^HTTP\/1\.1 200 /);
    }
  });
