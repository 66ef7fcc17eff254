import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { Fault } from '../../src/base/fault.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { NEXT_NODE, WAIT } from '../../src/base/recovery.ts';
import { systemClock } from '../../src/base/clock.ts';
import { ConnectionClosed, NodeNonsense, NodeSilent, NodeTimeout } from '../../src/client/answer.ts';
import { NodeRefusal } from '../../src/client/node_refusal.ts';
import { Broadcast } from '../../src/client/broadcast.ts';
import { HttpConnection } from '../../src/client/http_connection.ts';
import type { ConnectionListener, NodeConnection } from '../../src/client/connection.ts';
import { SeveralNodes } from '../../src/client/several_nodes.ts';
import type { Json } from '../../src/codec/json.ts';
import { HandClock } from '../builders/hand_clock.ts';

/** A node that answers as told, and remembers what it was asked. */
class Told implements NodeConnection {
  readonly asked: string[] = [];
  answer: (method: string, params: Json) => Json;
  listener: ConnectionListener | undefined;

  constructor(answer: (method: string, params: Json) => Json) {
    this.answer = answer;
  }

  async call(method: string, params: Json): Promise<Json> {
    this.asked.push(method);
    return await Promise.resolve(this.answer(method, params));
  }

  listen(listener: ConnectionListener): void {
    this.listener = listener;
  }

  close(): void {}
}

const failing = (error: Error) => (): never => {
  throw error;
};
const lost = new NodeSilent('lost', true);
const absent = new NodeSilent('not there', false);
const makeSeveral = (...nodes: readonly NodeConnection[]): SeveralNodes =>
  new SeveralNodes(
    nodes.map((connection, k) => ({ connection, url: `ws://${k}` })),
    async () => await Promise.resolve(),
  );

test('a read goes to the next node when one is silent, and later ones stay there', async () => {
  const [first, second] = [new Told(failing(lost)), new Told(() => 'second')];
  const nodes = makeSeveral(first, second);
  assert.equal(await nodes.call('a', {}, { timeoutMs: 1000, repeatable: true }), 'second');
  assert.equal(await nodes.call('b', {}, { timeoutMs: 1000, repeatable: true }), 'second');
  assert.deepEqual([first.asked, second.asked], [['a'], ['a', 'b']]);
  first.answer = () => 'first';
  second.answer = failing(new NodeTimeout('slow'));
  assert.equal(await nodes.call('c', {}, { timeoutMs: 1000, repeatable: true }), 'first');
});

test('what may not be repeated goes on only where nobody has heard it; a refusal is an answer', async () => {
  const second = new Told(() => 'second');
  await assert.rejects(
    makeSeveral(new Told(failing(lost)), second).call('a', {}, { timeoutMs: 1000, repeatable: false }),
    NodeSilent,
  );
  assert.deepEqual(second.asked, []);
  assert.equal(
    await makeSeveral(new Told(failing(absent)), second).call('a', {}, { timeoutMs: 1000, repeatable: false }),
    'second',
  );
  await assert.rejects(
    makeSeveral(new Told(failing(new NodeRefusal('no', 'no'))), second).call(
      'b',
      {},
      { timeoutMs: 1000, repeatable: true },
    ),
    Refusal,
  );
  await assert.rejects(
    makeSeveral(new Told(failing(new NodeNonsense('?'))), second).call('b', {}, { timeoutMs: 1000, repeatable: false }),
    NodeNonsense,
  );
  assert.deepEqual(second.asked, ['a']);
});

test('when no node answers, what the one said that should have answered is thrown, and each was asked once', async () => {
  const nodes = [new Told(failing(lost)), new Told(failing(absent)), new Told(failing(absent))];
  await assert.rejects(
    makeSeveral(...nodes).call('a', {}, { timeoutMs: 1000, repeatable: true }),
    (error) => error === lost,
  );
  assert.deepEqual(
    nodes.map(({ asked }) => asked.length),
    [1, 1, 1],
  );
});

test('a node of another chain is asked for nothing', async () => {
  const [first, alien, third] = [new Told(failing(lost)), new Told(() => 'alien'), new Told(() => 'third')];
  const addresses = [first, alien, third].map((connection, k) => ({ connection, url: `ws://${k}` }));
  const nodes = new SeveralNodes(addresses, async (connection) => {
    await Promise.resolve();
    if (connection === alien) throw new Fault('configuration', 'another chain');
  });
  assert.equal(await nodes.call('a', {}, { timeoutMs: 1000, repeatable: true }), 'third');
  assert.deepEqual(alien.asked, []);
});

test('what is followed is told of a change of nodes, and hears the node that answers only', async () => {
  const [first, second] = [new Told(() => 'first'), new Told(() => 'second')];
  const nodes = makeSeveral(first, second);
  const heard: unknown[] = [];
  const unheard = { unreadable: () => assert.fail(), garbled: () => assert.fail() };
  nodes.listen?.({ ...unheard, notice: (id) => void heard.push(id), lost: () => void heard.push('lost') });
  first.listener?.notice(1, null);
  second.listener?.notice(2, null);
  second.listener?.lost();
  assert.deepEqual(heard, [1]);
  first.answer = failing(lost);
  await nodes.call('a', {}, { timeoutMs: 1000, repeatable: true });
  second.listener?.notice(3, null);
  first.listener?.notice(4, null);
  assert.deepEqual(heard, [1, 'lost', 3]);
  const silent: NodeConnection = { call: async () => await Promise.resolve(null), close: () => undefined };
  assert.equal(makeSeveral(first, silent).listen, undefined);
});

test('a broadcast that is known already is looked for until it is in a block, or has expired', async () => {
  const clock = new HandClock(0);
  let [found, time] = [false, '2026-01-31T12:00:00'];
  const node = new Told((method) => {
    if (method.startsWith('network')) throw new NodeRefusal('duplicate_transaction', 'known');
    if (method.endsWith('properties')) return { properties: { time } };
    if (!found) throw new NodeRefusal('unknown_transaction', 'not yet');
    return { tx: { block_num: 7, transaction_num: 2 } };
  });
  const broadcast = new Broadcast(node, clock, async () => await Promise.resolve('ab'));
  const until = async (asked: number): Promise<void> => {
    while (node.asked.length < asked) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  };
  const first = broadcast.send({}, '2026-01-31T12:05:00');
  await until(3);
  found = true;
  clock.pass(500);
  assert.deepEqual(await first, { id: 'ab', block_num: 7, trx_num: 2, expired: false });
  found = false;
  time = '2026-01-31T12:05:01';
  assert.deepEqual(await broadcast.send({}, '2026-01-31T12:05:00'), {
    id: 'ab',
    block_num: -1,
    trx_num: -1,
    expired: true,
  });
});

test('a broadcast that one node may have heard is not said to be unsent because the others are away', async () => {
  for (const order of [
    [lost, absent],
    [absent, lost],
  ]) {
    const nodes = makeSeveral(...order.map((error) => new Told(failing(error))));
    await assert.rejects(
      nodes.call('a', {}, { timeoutMs: 1000, repeatable: true }),
      (error) => error instanceof NodeSilent && error.wasSent,
    );
  }
});

/** Lets what has been asked be answered, and time pass, until the promise has its outcome. */
async function awaitOutcome(clock: HandClock, running: Promise<unknown>): Promise<{ readonly value: unknown }> {
  const ended: { value?: unknown; isOver?: boolean } = {};
  const end = (value: unknown): void => void Object.assign(ended, { value, isOver: true });
  running.then(end, end);
  for (let second = 0; second < 3600; second++) {
    if (ended.isOver === true) return { value: ended.value };
    for (let tick = 0; tick < 10; tick++) await new Promise((resolve) => setImmediate(resolve));
    clock.pass(1000);
  }
  return assert.fail('it never ends');
}

test('a broadcast that has arrived was sent, whatever keeps the nodes from saying what has become of it', async () => {
  for (const code of ['duplicate_transaction', 'still_waiting']) {
    let sent = 0;
    const clock = new HandClock(0);
    const node = new Told((method) => {
      if (method === 'alexandria_api.get_dynamic_global_properties' && sent === 0)
        return { properties: { time: '2026-01-01T00:00:00' } };
      if (sent++ === 0) throw new NodeRefusal(code, 'it has arrived');
      throw absent;
    });
    const broadcast = new Broadcast(node, clock, async () => await Promise.resolve('id'));
    const { value } = await awaitOutcome(clock, broadcast.send({}, '2026-01-01T00:00:30'));
    assert.ok(value instanceof NodeSilent && value.wasSent, code);
    assert.ok(clock.elapsedMs() > 80_000, 'until the transaction can be in no block any more, and a minute');
  }
});

test('a broadcast outlasts a node that is away for a while, whatever it waits for, and one that stops', async () => {
  for (const waitFor of ['accepted', 'block', 'final'] as const)
    for (const failure of [absent, lost, new NodeTimeout('slow'), new NodeRefusal('stopping', 'stopping')])
      for (const isKnown of [false, true]) {
        const clock = new HandClock(0);
        let calls = 0;
        const node = new Told((method) => {
          // Each second question meets a node that is away.
          if (calls++ % 2 === 1) throw failure;
          if (method === 'alexandria_api.get_dynamic_global_properties')
            return { properties: { time: '2026-01-01T00:00:00' } };
          if (method === 'transaction_status_api.find_transaction') return { status: 'final' };
          if (method === 'alexandria_api.get_transaction') return { tx: { block_num: 7, transaction_num: 2 } };
          if (isKnown) throw new NodeRefusal('duplicate_transaction', 'it is known');
          return { id: 'id', block_num: 7, trx_num: 2, expired: false };
        });
        const broadcast = new Broadcast(node, clock, async () => await Promise.resolve('id'));
        const { value } = await awaitOutcome(clock, broadcast.send({}, '2026-01-01T00:00:30', waitFor));
        const place = isKnown && waitFor === 'accepted' ? { block_num: -1, trx_num: -1 } : { block_num: 7, trx_num: 2 };
        assert.deepEqual(value, { id: 'id', ...place, expired: false }, `${waitFor} ${failure.message}`);
      }
});

test('a broadcast whose connection this side closes ends, and one whose node was never there does at once', async () => {
  const clock = new HandClock(0);
  let calls = 0;
  const closed = new Told(() => {
    if (calls++ === 0) return { properties: { time: '2026-01-01T00:00:00' } };
    throw calls === 2 ? lost : new ConnectionClosed('http://node');
  });
  const makeId = async (): Promise<string> => await Promise.resolve('id');
  const { value } = await awaitOutcome(
    clock,
    new Broadcast(closed, clock, makeId).send({}, '2026-01-01T00:00:30', 'final'),
  );
  assert.ok(value instanceof ConnectionClosed && value.wasSent);
  assert.equal(closed.asked.length, 3);
  const away = new Told(failing(absent));
  await assert.rejects(new Broadcast(away, clock, makeId).send({}, '2026-01-01T00:00:30', 'final'), NodeSilent);
  assert.equal(away.asked.length, 1);
});

/** A node that keeps no blocks but for the last ones: what it says of a transaction, whether it is on the chain or not. */
function toldNode(first: Error, next: () => Json, { isOnChain, keepsBlock = true }: OnChain): Told {
  let attempts = 0;
  let questions = 0;
  return new Told((method) => {
    if (method === 'network_broadcast_api.broadcast_transaction_synchronous') {
      if (attempts++ === 0) throw first;
      return next();
    }
    const passed = questions++ < 5 ? '00:00:10' : '00:01:00';
    if (method === 'alexandria_api.get_dynamic_global_properties')
      return { properties: { time: `2026-01-01T${passed}` } };
    // Questions are refused by the way, which says nothing of the transaction.
    if (questions % 3 === 0) throw new NodeRefusal('too_busy', 'later');
    if (method === 'transaction_status_api.find_transaction')
      return isOnChain ? { status: 'final', block_num: 7 } : { status: 'expired' };
    if (!keepsBlock) throw new NodeRefusal('pruned', 'not kept');
    if (!isOnChain) throw new NodeRefusal('unknown_transaction', 'in no block');
    return { tx: { block_num: 7, transaction_num: 2 } };
  });
}

interface OnChain {
  readonly isOnChain: boolean;
  readonly keepsBlock?: boolean;
}

/** Failures behind which an attempt may be on the chain. */
const arrived: readonly Error[] = [
  lost,
  new NodeTimeout('slow'),
  new NodeNonsense('what a proxy says'),
  ...['internal_error', 'still_waiting', 'stopping'].map((code) => new NodeRefusal(code, code)),
];

/** The state of the chain of a node that knows one transaction or not. */
const chains: readonly Required<OnChain>[] = [
  { isOnChain: true, keepsBlock: true },
  { isOnChain: true, keepsBlock: false },
  { isOnChain: false, keepsBlock: true },
];

test('what a later attempt is refused for is no answer to one that may be on the chain', async () => {
  const codes = [...WAIT, ...NEXT_NODE, 'missing_authority', 'expires_too_soon', 'duplicate_transaction', 'late'];
  const makeNext = (code: string) => (): Json => {
    if (code === 'late') return { id: 'id', block_num: -1, trx_num: -1, expired: true };
    throw new NodeRefusal(code, code);
  };
  for (const [turn, first] of arrived.entries())
    for (const [k, code] of codes.entries())
      for (const onChain of chains) {
        // The longer wait for each refusal once: what came first makes no difference to it.
        const waitFor = k % arrived.length === turn ? 'final' : 'block';
        const clock = new HandClock(0);
        const node = toldNode(first, makeNext(code), onChain);
        const broadcast = new Broadcast(node, clock, async () => await Promise.resolve('id'));
        const { value } = await awaitOutcome(clock, broadcast.send({}, '2026-01-01T00:00:30', waitFor));
        requireTrue(value, first.message === 'internal_error' ? first.message : code, onChain);
      }
});

/** Requires an outcome that is so: no attempt behind the first one is taken. */
function requireTrue(value: unknown, code: string, { isOnChain, keepsBlock = true }: OnChain): void {
  const isRepeated = (WAIT.has(code) && code !== 'not_final') || code === 'stopping';
  const place = { id: 'id', block_num: 7, trx_num: keepsBlock ? 2 : -1, expired: false };
  if (value instanceof NodeSilent) assert.ok(value.wasSent && isRepeated, code);
  else if (isOnChain) assert.deepEqual(value, place, code);
  else if (value instanceof Refusal) assert.equal(value.code, code);
  else assert.deepEqual(value, { id: 'id', block_num: -1, trx_num: -1, expired: true }, code);
}

test('a first attempt that is refused has done nothing, and is refused at once', async () => {
  for (const code of ['missing_authority', 'too_busy', 'too_many_broadcasts']) {
    const node = toldNode(new NodeRefusal(code, code), () => assert.fail('sent again'), { isOnChain: false });
    const broadcast = new Broadcast(node, new HandClock(0), async () => await Promise.resolve('id'));
    await assert.rejects(broadcast.send({}, '2026-01-01T00:00:30'), { code });
  }
});

test('over HTTP a broadcast outlasts a restart of its node, and ends when its connection is closed', async () => {
  let isUp = true;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const isFirst = isUp;
      isUp = false;
      response.end(
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          result: isFirst ? { properties: { time: '2026-01-01T00:00:00' } } : { id: 'id', block_num: 7 },
        }),
        () => isFirst && server.close(() => undefined),
      );
      if (isFirst) server.closeIdleConnections();
    });
  });
  const listen = async (port: number): Promise<number> => {
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const address = server.address();
    return address !== null && typeof address === 'object' ? address.port : assert.fail();
  };
  const port = await listen(0);
  const connection = new HttpConnection(`http://127.0.0.1:${port}`, systemClock);
  const broadcast = new Broadcast(connection, systemClock, async () => await Promise.resolve('id'));
  const sent = broadcast.send({}, '2026-01-01T00:00:30', 'final');
  await once(server, 'close');
  await new Promise((resolve) => setTimeout(resolve, 50));
  await listen(port);
  assert.deepEqual(await sent, { id: 'id', block_num: 7 });
  isUp = true;
  const given = broadcast.send({}, '2026-01-01T00:00:30', 'final');
  await once(server, 'close');
  connection.close();
  await assert.rejects(given, ConnectionClosed);
});

test('a broadcast that waits for finality follows the status of its transaction where the node answers before, and says what it found', async () => {
  for (const code of ['duplicate_transaction', 'not_final']) {
    const clock = new HandClock(0);
    let status = 'in_block';
    const params: Json[] = [];
    const node = new Told((method, given) => {
      if (method === 'alexandria_api.get_dynamic_global_properties')
        return { properties: { time: '2026-01-01T00:00:00' } };
      if (method === 'alexandria_api.get_transaction') return { tx: { block_num: 7, transaction_num: 2 } };
      params.push(given);
      if (method === 'transaction_status_api.find_transaction') return { status };
      throw new NodeRefusal(code, 'it is known');
    });
    const broadcast = new Broadcast(node, clock, async () => await Promise.resolve('id'));
    const ending = async (last: string): Promise<unknown> => {
      status = 'in_block';
      const sent = broadcast
        .send({}, '2026-01-01T00:00:30', 'final')
        .catch((error: unknown) => (error instanceof Error ? error.message : error));
      for (let tick = 0; tick < 20; tick++) await new Promise((resolve) => setImmediate(resolve));
      status = last;
      clock.pass(500);
      return await sent;
    };
    assert.deepEqual(await ending('final'), { id: 'id', block_num: 7, trx_num: 2, expired: false });
    assert.deepEqual(await ending('expired'), { id: 'id', block_num: -1, trx_num: -1, expired: true });
    assert.match(String(await ending('too_old')), /keeps no block that may have transaction id/);
    assert.deepEqual(params.slice(0, 2), [
      { trx: {}, max_block_age: -1, wait_for: 'final' },
      { transaction_id: 'id', expiration: '2026-01-01T00:00:30' },
    ]);
  }
});

test('a transaction that does not become final in time is not said to be lost, and one that is only to be accepted is not looked for', async () => {
  const clock = new HandClock(0);
  const node = new Told((method) => {
    if (method === 'alexandria_api.get_dynamic_global_properties')
      return { properties: { time: '2026-01-01T00:00:00' } };
    if (method === 'transaction_status_api.find_transaction') return { status: 'in_block' };
    throw new NodeRefusal('duplicate_transaction', 'it is known');
  });
  const broadcast = new Broadcast(node, clock, async () => await Promise.resolve('id'));
  const sent = broadcast.send({}, '2026-01-01T00:00:30', 'final').catch((error: unknown) => error);
  for (let minute = 0; minute < 30; minute++) {
    for (let tick = 0; tick < 20; tick++) await new Promise((resolve) => setImmediate(resolve));
    clock.pass(60_000);
  }
  const error = await sent;
  assert.ok(error instanceof NodeTimeout && error.wasSent);
  assert.match(
    error.message,
    /^transaction id is in_block and not final yet: ask transaction_status_api\.find_transaction/,
  );
  node.asked.length = 0;
  assert.deepEqual(await broadcast.send({}, '2026-01-01T00:00:30', 'accepted'), {
    id: 'id',
    block_num: -1,
    trx_num: -1,
    expired: false,
  });
  assert.ok(!node.asked.includes('transaction_status_api.find_transaction'));
});
