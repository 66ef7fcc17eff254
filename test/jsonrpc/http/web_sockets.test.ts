import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestSource } from '../../../src/jsonrpc/limits/request_source.ts';
import type { Subscriber } from '../../../src/jsonrpc/limits/subscriber.ts';
import { echo, echoed, until, wait, waited } from './sample_calls.ts';
import { Client, listen, servers } from './servers.ts';

for (const [name, open] of servers) {
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

  test(`${name}: a reader that falls too far behind is let go`, async (t) => {
    const callers: Subscriber[] = [];
    const answer = (_: Buffer, { subscriber }: RequestSource): undefined =>
      void (subscriber !== undefined && callers.push(subscriber));
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
}
