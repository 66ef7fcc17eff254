import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Client, listen, post, sendRaw, servers } from './servers.ts';

for (const [name, open] of servers) {
  test(`${name}: each open connection is counted once, silent ones and WebSockets among them`, async (t) => {
    const { server, port } = await listen(t, open);
    const counted = async (count: number): Promise<void> => {
      while ((await server.connections()) !== count) await setTimeout(5);
    };
    const silent = [1, 2, 3].map(() => connect({ port, host: '127.0.0.1' }));
    t.after(() => silent.forEach((socket) => socket.destroy()));
    await counted(3);
    const clients = [await Client.open(t, port), await Client.open(t, port)];
    await counted(5);
    assert.match(await sendRaw(port, post('{}')), /200 OK/);
    await counted(5);
    clients[0]?.socket.close();
    clients[1]?.socket.terminate();
    await counted(3);
    for (const socket of silent) socket.destroy();
    await counted(0);
  });
}
