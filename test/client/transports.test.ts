import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { WebSocketServer } from 'ws';
import { systemClock } from '../../src/base/clock.ts';
import { Fault } from '../../src/base/fault.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { ConnectionClosed, NodeSilent, NodeTimeout } from '../../src/client/answer.ts';
import type { Json } from '../../src/codec/json.ts';
import {
  connect,
  custom,
  fallback,
  http,
  NodeRefusal,
  unixSocket,
  webSocket,
  withMiddleware,
  type Transport,
} from '../../src/client/index.ts';
import { closeFakeNodes, fakeNode, resultText, type FakeCall, type FakeNode } from '../builders/fake_node.ts';
import { HandClock } from '../builders/hand_clock.ts';

after(closeFakeNodes);

const CHAIN = '5'.repeat(64);
const LIMITS = { timeoutMs: 5000, repeatable: true };
const INFO = 'alexandria_api.info';

const echoedResult = (method: string): Json =>
  method.endsWith('get_version') ? { version_info: { chain_id: CHAIN } } : method;

/** A node that answers every call with its method, but for `silence`, and refuses `no`. */
async function echo(): Promise<FakeNode> {
  return await fakeNode(({ method, id }: FakeCall) => {
    if (method === 'silence') return undefined;
    if (method !== 'no') return resultText(id, echoedResult(method));
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'no', data: { name: 'poor' } } });
  });
}

test('an address and its transport reach the same node', async () => {
  const node = await echo();
  for (const transport of [http(node.url), webSocket(`ws://127.0.0.1:${node.port}`)]) {
    const client = await connect({ transport });
    assert.equal(client.chainId, CHAIN);
    assert.equal(await client.call(INFO, {}).then(String), INFO);
    client.close();
  }
});

test('requests over HTTP carry the headers that were given, and the type stays JSON', async () => {
  const node = await echo();
  const headers = { 'x-key': 'secret', 'Content-Type': 'text/plain' };
  for (const options of [{ headers }, { headers, fetch }]) {
    const connection = http(node.url, options).open(systemClock);
    assert.equal(await connection.call('hello', {}, LIMITS), 'hello');
    const { 'x-key': key, 'content-type': type } = node.headers.at(-1) ?? {};
    assert.deepEqual([key, type], ['secret', 'application/json']);
  }
});

test('a fetch of the program makes the requests, and its errors are a silent node', async () => {
  const node = await echo();
  const asked: string[] = [];
  const counting = http(node.url, {
    fetch: async (url, request) => {
      asked.push(request.body);
      return await fetch(url, request);
    },
  }).open(systemClock);
  assert.equal(await counting.call('hello', { a: 1 }, LIMITS), 'hello');
  assert.match(asked.join(), /"method":"hello","params":\{"a":1\}/);
  const failing = http(node.url, { fetch: async () => await Promise.reject(new TypeError('no net')) });
  await assert.rejects(failing.open(systemClock).call('hello', {}, LIMITS), NodeSilent);
});

test('reads of one turn share a request, and each gets its own answer', async () => {
  const node = await echo();
  const connection = http(node.url, { batch: { waitMs: 0 } }).open(systemClock);
  const calls = ['one', 'no', 'two'].map(async (method) => await connection.call(method, {}, LIMITS));
  const [one, no, two] = await Promise.allSettled(calls);
  assert.deepEqual(
    [one, two],
    [
      { status: 'fulfilled', value: 'one' },
      { status: 'fulfilled', value: 'two' },
    ],
  );
  assert.ok(no?.status === 'rejected' && no.reason instanceof NodeRefusal && no.reason.code === 'poor');
  assert.deepEqual(node.bodies, [['one', 'no', 'two']]);
  await connection.call('alone', {}, LIMITS);
  assert.deepEqual(node.bodies.at(-1), 'alone');
});

test('a batch waits as long as it says, and a call that changes something waits for none', async () => {
  const node = await echo();
  const clock = new HandClock(0);
  const connection = http(node.url, { batch: { waitMs: 20 } }).open(clock);
  const first = connection.call('first', {}, LIMITS);
  await connection.call('change', {}, { timeoutMs: 5000, repeatable: false });
  clock.pass(19);
  const second = connection.call('second', {}, LIMITS);
  assert.deepEqual(node.bodies, ['change']);
  clock.pass(1);
  assert.deepEqual(await Promise.all([first, second]), ['first', 'second']);
  assert.deepEqual(node.bodies, ['change', ['first', 'second']]);
  // A broadcast may be sent again, and waits for its block: reads would wait with it.
  await connection.call('network_broadcast_api.broadcast_transaction_synchronous', {}, LIMITS);
  assert.equal(node.bodies.at(-1), 'network_broadcast_api.broadcast_transaction_synchronous');
});

test('a batch has at most as many calls as nodes take', async () => {
  const node = await echo();
  const connection = http(node.url, { batch: { waitMs: 0 } }).open(systemClock);
  await Promise.all(Array.from({ length: 101 }, async (_, k) => await connection.call(`m${k}`, {}, LIMITS)));
  assert.deepEqual(
    node.bodies.map((each) => (typeof each === 'string' ? 1 : each.length)).toSorted((a, b) => b - a),
    [100, 1],
  );
});

test('each call of a batch has a signal and a deadline of its own', async () => {
  const node = await echo();
  const connection = http(node.url, { batch: { waitMs: 0 } }).open(systemClock);
  const stop = new AbortController();
  const aborted = connection.call('aborted', {}, { ...LIMITS, signal: stop.signal });
  const kept = connection.call('kept', {}, LIMITS);
  stop.abort();
  await assert.rejects(aborted, { name: 'AbortError' });
  assert.equal(await kept, 'kept');
  assert.deepEqual(node.bodies, ['kept']);
  await assert.rejects(
    Promise.all([connection.call('silence', {}, { ...LIMITS, timeoutMs: 30 }), connection.call('silence', {}, LIMITS)]),
    NodeTimeout,
  );
  connection.close();
});

test('a batch that takes longer than its calls may is refused by name', () => {
  for (const waitMs of [-1, NaN, 10_001])
    assert.throws(
      () => http('http://127.0.0.1', { batch: { waitMs } }),
      (error) =>
        error instanceof Refusal && error.code === 'bad_batch_wait' && error.message.startsWith('batch.waitMs'),
    );
});

test('fallback asks the next node when one is silent, whatever its transport is', async () => {
  const [silent, other] = [await echo(), await echo()];
  silent.server.close();
  const connection = fallback([webSocket(`ws://127.0.0.1:${silent.port}`), http(other.url)]).open(systemClock);
  assert.equal(await connection.call('hello', {}, LIMITS), 'hello');
  connection.close();
  assert.equal(
    await fallback([http(other.url)])
      .open(systemClock)
      .call('one', {}, LIMITS),
    'one',
  );
});

test('custom makes each call by a function, whose refusals and errors arrive as they are', async () => {
  const mine = new Error('mine');
  const connection = custom(async ({ method, params }) => {
    if (method === 'mine') throw mine;
    return await Promise.resolve({ method, params });
  }).open(systemClock);
  assert.deepEqual(await connection.call('a.b', { c: 1 }, LIMITS), { method: 'a.b', params: { c: 1 } });
  await assert.rejects(connection.call('mine', {}, LIMITS), (error) => error === mine);
  const client = await connect({
    transport: custom(async ({ method }) => await Promise.resolve(echoedResult(method))),
  });
  assert.equal(client.chainId, CHAIN);
});

test('custom is told when nobody waits any more: at the deadline, after an abort, and when it is closed', async () => {
  const clock = new HandClock(0);
  const ended: unknown[] = [];
  const connection = custom(
    async ({ signal }) =>
      await new Promise(() => signal?.addEventListener('abort', () => void ended.push(signal.reason))),
  ).open(clock);
  const late = connection.call('late', {}, LIMITS);
  clock.pass(5000);
  await assert.rejects(late, NodeTimeout);
  const stop = new AbortController();
  const aborted = connection.call('aborted', {}, { ...LIMITS, signal: stop.signal });
  stop.abort('why');
  await assert.rejects(aborted, (reason) => reason === 'why');
  const open = connection.call('open', {}, LIMITS);
  connection.close();
  await assert.rejects(open, ConnectionClosed);
  await assert.rejects(connection.call('closed', {}, LIMITS), ConnectionClosed);
  assert.equal(ended.length, 3);
});

test('a middleware is around each call: it sees the result, may change the request, and may answer itself', async () => {
  const node = await echo();
  const seen: unknown[] = [];
  const transport = withMiddleware(http(node.url), async (request, next) => {
    if (request.method === 'kept') return 'from the cache';
    const result = await next({ ...request, method: request.method.toLowerCase() });
    seen.push([request.method, result]);
    return result;
  });
  const connection = transport.open(systemClock);
  assert.equal(await connection.call('kept', {}, LIMITS), 'from the cache');
  assert.equal(await connection.call('HELLO', {}, LIMITS), 'hello');
  assert.deepEqual([seen, node.asked], [[['HELLO', 'hello']], ['hello']]);
  assert.equal(connection.listen, undefined);
  assert.ok(
    withMiddleware(webSocket('ws://127.0.0.1:1'), async (request, next) => await next(request)).open(systemClock)
      .listen,
  );
});

test('a Unix socket is reached by its path', { skip: process.platform === 'win32' }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-unix-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) =>
    socket.on('message', (message: Buffer) => {
      const { id, method }: FakeCall = JSON.parse(message.toString());
      socket.send(resultText(id, method));
    }),
  );
  t.after(() => (sockets.clients.forEach((socket) => socket.terminate()), server.close()));
  const path = join(folder, 'rpc.sock');
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const connection = unixSocket(path).open(systemClock);
  assert.equal(await connection.call('hello', {}, LIMITS), 'hello');
  connection.close();
});

for (const [address, make] of [
  ['ws://127.0.0.1', http],
  ['nowhere', http],
  ['http://127.0.0.1', webSocket],
] as const satisfies readonly (readonly [string, (url: string) => Transport])[])
  test(`${make.name} refuses the address ${address}`, () => {
    assert.throws(() => make(address), Fault);
  });

test('a fallback of nothing is refused', () => {
  assert.throws(() => fallback([]), Fault);
});
