import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { listenWithNode } from '../../../src/jsonrpc/http/node_http_server.ts';
import { listen, post, sendRaw } from './servers.ts';

const echo = '{"jsonrpc":"2.0","id":1,"method":"test_api.echo"}';

test('connections of one address that ask for nothing count among those that it may have, and one too many is told so', async (t) => {
  const { port } = await listen(t, listenWithNode, {}, { connectionsPerAddress: 3 });
  const silent = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const socket = connect({ port, host: '127.0.0.1' });
      t.after(() => socket.destroy());
      await once(socket, 'connect');
      return socket;
    }),
  );
  assert.match(await sendRaw(port, post(echo)), /^HTTP\/1\.1 429 .*retry-after: 1/is);
  const oneMore = connect({ port, host: '127.0.0.1' });
  await once(oneMore.resume(), 'close');
  for (const socket of silent) socket.destroy();
  let answer = '';
  while (!answer.includes('200 OK')) answer = await sendRaw(port, post(echo));
});
