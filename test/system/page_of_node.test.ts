import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { pageOfNode } from '../../src/system/page_of_node.ts';

const servers: Server[] = [];
const sockets: Socket[] = [];

after(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

/** The address of a server that treats each connection so. */
async function serving(treat: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.push(socket);
    treat(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return `http://127.0.0.1:${address.port}`;
}

test('a node that hangs, hangs up, or is none is described in a line that people read', async () => {
  for (const [treat, message] of [
    [() => undefined, 'no answer within 0.2 s'],
    [(socket: Socket) => void socket.once('data', () => socket.destroy()), 'socket hang up'],
    [(socket: Socket) => void socket.write('nonsense\r\n\r\n'), /^Parse Error: /],
    [
      (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
      'no answer within 0.2 s',
    ],
  ] as const)
    await assert.rejects(pageOfNode(await serving(treat), '/health', 200), { code: 'runtime', message });
});
