import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newSenderId, senderIdOfAddress } from '../../../src/jsonrpc/http/sender_ids.ts';
import { Client, servers, listen } from './servers.ts';

const call = (id: number): object => ({
  jsonrpc: '2.0',
  id,
  method: 'network_broadcast_api.broadcast_transaction',
  params: {},
});

for (const [name, open] of servers) {
  test(`${name}: a broadcast carries the number of its WebSocket, or of its address when it was posted`, async (t) => {
    const { url, port, seen } = await listen(t, open);
    const post = (body: unknown): Promise<Response> =>
      fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { connection: 'close' } });
    const [first, second] = [await Client.open(t, port), await Client.open(t, port)];
    for (const client of [first, second, first]) await client.ask(JSON.stringify(call(1)));
    await post(call(1));
    await post([call(1), call(2)]);
    const [one, two, oneAgain, ...posted] = seen.senderIds;
    assert.equal(oneAgain, one);
    assert.equal(new Set([0, one, two, posted[0]]).size, 4);
    assert.deepEqual(posted, [posted[0], posted[0], posted[0]]);
  });
}

test('an address keeps its number, which no connection and no other address gets', () => {
  const [a, connection, b] = [senderIdOfAddress('1.2.3.4'), newSenderId(), senderIdOfAddress('1.2.3.5')];
  assert.equal(senderIdOfAddress('1.2.3.4'), a);
  assert.equal(new Set([0, a, connection, b]).size, 4);
});
