import { ownProcess, type RequestSource } from '../../../src/jsonrpc/limits/request_source.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJsonText } from '../../../src/codec/json_reader.ts';
import type { Json } from '../../../src/codec/json.ts';
import { RateLimiter, takeCall } from '../../../src/jsonrpc/limits/rate_limiter.ts';
import type { Limits } from '../../../src/jsonrpc/limits/limits.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { sampleDispatcher } from '../sample_methods.ts';

const perSecond = (callsPerSecond: number): Pick<Limits, 'callsPerSecond' | 'countsLocalCalls'> => ({
  callsPerSecond,
  countsLocalCalls: false,
});
const from = (address: string): Pick<RequestSource, 'address' | 'isLocal'> => ({ address, isLocal: false });

test('programs of this machine are not limited, unless the operator says so', () => {
  const local = { address: '127.0.0.1', isLocal: true };
  assert.equal(new RateLimiter(perSecond(1), new HandClock(0)).findBucket(local), undefined);
  const counted = new RateLimiter({ ...perSecond(1), countsLocalCalls: true }, new HandClock(0));
  assert.deepEqual(
    [1, 2, 3].map(() => takeCall(counted.findBucket(local))),
    [true, true, false],
  );
});

test('an address may make two seconds’ worth of calls at once, and earns more with time', () => {
  const clock = new HandClock(0);
  const limiter = new RateLimiter(perSecond(10), clock);
  const taken = (): number => {
    let count = 0;
    while (takeCall(limiter.findBucket(from('a')))) count++;
    return count;
  };
  assert.equal(taken(), 20);
  clock.pass(500);
  assert.equal(taken(), 5);
  clock.pass(1_000_000);
  assert.equal(taken(), 20);
});

test('addresses do not share what they may do', () => {
  const limiter = new RateLimiter(perSecond(1), new HandClock(0));
  assert.deepEqual(
    ['a', 'a', 'a', 'b', 'b', 'b'].map((address) => takeCall(limiter.findBucket(from(address)))),
    [true, true, false, true, true, false],
  );
});

test('a rate of 0 is none', () => {
  const limiter = new RateLimiter(perSecond(0), new HandClock(0));
  assert.equal(limiter.findBucket(from('a')), undefined);
  for (let k = 0; k < 10; k++) assert.equal(takeCall(undefined), true);
});

/** Sends bodies from one address; what the answers say. */
function sender(limits: Partial<Limits>): { clock: HandClock; send: (body: unknown) => Promise<Json> } {
  const clock = new HandClock(0);
  const { dispatcher } = sampleDispatcher(limits, { clock });
  const send = async (body: unknown): Promise<Json> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await dispatcher.dispatch(Buffer.from(text), { ...ownProcess, ...from('1.2.3.4') });
    return readJsonText(answer?.toString() ?? 'null');
  };
  return { clock, send };
}

const echo = (id: number): object => ({ jsonrpc: '2.0', id, method: 'test_api.echo' });

test('elements of a batch count, and the one that was the last is named', async () => {
  const { send } = sender({ callsPerSecond: 1 });
  const answers = await send([echo(5), echo(6), echo(7), echo(8)]);
  assert.ok(Array.isArray(answers));
  const result = { list: [], any: null };
  const late = {
    code: -32003,
    message:
      'this address makes more than 1 calls a second, heavy ones counted several times; call 2 of 4 was the last that was served, wait a second with the others',
    data: { limit: 1, served: 2, count: 4, code: 10, name: 'batch_rate_exceeded' },
  };
  assert.deepEqual(answers, [
    { jsonrpc: '2.0', result, id: 5 },
    { jsonrpc: '2.0', result, id: 6 },
    { jsonrpc: '2.0', error: late, id: 7 },
    { jsonrpc: '2.0', error: late, id: 8 },
  ]);
  assert.match(
    JSON.stringify(await send(echo(9))),
    /heavy ones counted several times; wait a second.*"rate_exceeded".*"id":9/,
  );
});

test('what is no call counts like one', async () => {
  for (const bad of ['', '{', 'null', '[]', '{"jsonrpc":"2.0","id":1,"method":"no.such"}']) {
    const { send } = sender({ callsPerSecond: 2 });
    for (let k = 0; k < 4; k++) assert.doesNotMatch(JSON.stringify(await send(bad)), /rate_exceeded/);
    assert.match(JSON.stringify(await send(echo(1))), /rate_exceeded/, bad);
  }
});

test('a call counts by its declared weight, by the items of its lists and by what it is answered, and is paid for afterwards', async () => {
  const weights: [object, number][] = [
    [echo(1), 1],
    [{ jsonrpc: '2.0', id: 1, method: 'test_api.list', params: { length: 1 } }, 2],
    [{ jsonrpc: '2.0', id: 1, method: 'test_api.list', params: { length: 1, names: ['a', 'b', 'c'] } }, 11],
    [{ jsonrpc: '2.0', id: 1, method: 'test_api.long', params: { length: 4096 * 30 } }, 31],
  ];
  for (const [call, weight] of weights) {
    const { clock, send } = sender({ callsPerSecond: 1 });
    assert.doesNotMatch(JSON.stringify(await send(call)), /rate_exceeded/);
    // Two are there at first; one more comes with each second.
    const seconds = Math.max(0, weight - 1);
    if (seconds > 0) {
      clock.pass((seconds - 1) * 1000 + 500);
      assert.match(JSON.stringify(await send(echo(1))), /rate_exceeded/, `${weight}`);
      clock.pass(500);
    }
    assert.doesNotMatch(JSON.stringify(await send(echo(1))), /rate_exceeded/, `${weight}`);
  }
});

test('the calls of a batch may weigh so much together, and the last one that was served is named', async () => {
  const { send } = sender({ batchWeight: 4 });
  const heavy = { jsonrpc: '2.0', id: 1, method: 'test_api.list', params: { length: 0 } };
  const text = JSON.stringify(await send([heavy, heavy, echo(2), echo(3), heavy]));
  assert.match(
    text,
    /"result".*"result".*"result".*weigh more than 4 together; call 3 of 5 was the last.*"served":3.*"id":3.*"id":1/,
  );
});
