import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../src/base/fault.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { NodeNonsense, NodeRefusal, NodeSilent, NodeTimeout } from '../../src/client/answer.ts';
import { Broadcast } from '../../src/client/broadcast.ts';
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
const severalOf = (...nodes: readonly NodeConnection[]): SeveralNodes =>
  new SeveralNodes(
    nodes.map((connection, k) => ({ connection, url: `ws://${k}` })),
    async () => await Promise.resolve(),
  );

test('a read goes to the next node when one is silent, and later ones stay there', async () => {
  const [first, second] = [new Told(failing(lost)), new Told(() => 'second')];
  const nodes = severalOf(first, second);
  assert.equal(await nodes.call('a', {}, 1000, true), 'second');
  assert.equal(await nodes.call('b', {}, 1000, true), 'second');
  assert.deepEqual([first.asked, second.asked], [['a'], ['a', 'b']]);
  first.answer = () => 'first';
  second.answer = failing(new NodeTimeout('slow'));
  assert.equal(await nodes.call('c', {}, 1000, true), 'first');
});

test('what may not be repeated goes on only where nobody has heard it; a refusal is an answer', async () => {
  const second = new Told(() => 'second');
  await assert.rejects(severalOf(new Told(failing(lost)), second).call('a', {}, 1000, false), NodeSilent);
  assert.deepEqual(second.asked, []);
  assert.equal(await severalOf(new Told(failing(absent)), second).call('a', {}, 1000, false), 'second');
  await assert.rejects(severalOf(new Told(failing(new NodeRefusal('no', 'no'))), second).call('b', {}, 1000, true), Refusal);
  await assert.rejects(severalOf(new Told(failing(new NodeNonsense('?'))), second).call('b', {}, 1000, false), NodeNonsense);
  assert.deepEqual(second.asked, ['a']);
});

test('when no node answers, what the one said that should have answered is thrown, and each was asked once', async () => {
  const nodes = [new Told(failing(lost)), new Told(failing(absent)), new Told(failing(absent))];
  await assert.rejects(severalOf(...nodes).call('a', {}, 1000, true), (error) => error === lost);
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
  assert.equal(await nodes.call('a', {}, 1000, true), 'third');
  assert.deepEqual(alien.asked, []);
});

test('what is followed is told of a change of nodes, and hears the node that answers only', async () => {
  const [first, second] = [new Told(() => 'first'), new Told(() => 'second')];
  const nodes = severalOf(first, second);
  const heard: unknown[] = [];
  const unheard = { unreadable: () => assert.fail(), garbled: () => assert.fail() };
  nodes.listen?.({ ...unheard, notice: (id) => void heard.push(id), lost: () => void heard.push('lost') });
  first.listener?.notice(1, null);
  second.listener?.notice(2, null);
  second.listener?.lost();
  assert.deepEqual(heard, [1]);
  first.answer = failing(lost);
  await nodes.call('a', {}, 1000, true);
  second.listener?.notice(3, null);
  first.listener?.notice(4, null);
  assert.deepEqual(heard, [1, 'lost', 3]);
  const silent: NodeConnection = { call: async () => await Promise.resolve(null), close: () => undefined };
  assert.equal(severalOf(first, silent).listen, undefined);
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
  assert.deepEqual(await broadcast.send({}, '2026-01-31T12:05:00'), { id: 'ab', block_num: -1, trx_num: -1, expired: true });
});
