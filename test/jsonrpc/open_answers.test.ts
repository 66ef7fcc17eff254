import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleDispatcher } from './sample_methods.ts';

const broadcast = (id: number, trx: string): object => ({
  jsonrpc: '2.0',
  id,
  method: 'network_broadcast_api.broadcast_transaction',
  params: { trx },
});

test('a broadcast that is never answered is given up in time, and the others of its body keep their answers', async () => {
  const { dispatcher, times } = sampleDispatcher({ waitDeadlineMs: 1 });
  const read = { jsonrpc: '2.0', id: 4, method: 'test_api.echo' };
  const body = [
    broadcast(1, 'never answered'),
    broadcast(2, 'good'),
    broadcast(3, 'unsigned'),
    read,
    broadcast(5, 'never answered'),
  ];
  const answer = dispatcher.dispatch(Buffer.from(JSON.stringify(body)));
  // On a busy machine the later ones wait for the body's next turn.
  assert(times.inFlight > 0);
  const texts = (await answer)?.toString().split('},{"jsonrpc"') ?? [];
  const expected = [
    /after 0.001 seconds the transaction has not come as far as wait_for says.*find_transaction.*"id":1/,
    /"result".*"id":2/,
    /missing_active.*"id":3/,
    /"result".*"id":4/,
    /"still_waiting".*"id":5/,
  ];
  assert.equal(texts.length, expected.length);
  for (const [k, pattern] of expected.entries()) assert.match(texts[k] ?? '', pattern);
  assert.equal(times.inFlight, 0);
});

test('calls that wait are limited one by one, broadcasts too', async () => {
  const { dispatcher } = sampleDispatcher({ requestsInFlight: 1 });
  const answer = await dispatcher.dispatch(Buffer.from(JSON.stringify([broadcast(1, 'good'), broadcast(2, 'good')])));
  assert.match(answer?.toString() ?? '', /"result":.*"id":1.*too_busy.*"id":2/);
});
