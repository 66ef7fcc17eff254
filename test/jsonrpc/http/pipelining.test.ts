import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { post } from './exchange.ts';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import { sampleDispatcher, workedMs } from '../sample_methods.ts';
import { listen, servers, type Open } from './servers.ts';

// Requests that are sent before the answers to those before them.

const HUNDRED = 100;
const LOADERS = 4;
/** Takes longer than a time slice each time, and is no answer that is known. */
const work = (number: number): string =>
  `{"jsonrpc":"2.0","id":${number},"method":"test_api.work","params":{"number":${number}}}`;
const read = (number: number): string =>
  `{"jsonrpc":"2.0","id":${number},"method":"test_api.add","params":{"left":${number}}}`;

for (const [name, open] of servers) {
  test(`${name}: a hundred reads in one packet are answered in order, beside the load of another address`, async (t) => {
    const { port } = await listenByWork(t, open);
    const loaders = Array.from({ length: LOADERS }, () => new Speaker(port, '127.0.0.2'));
    t.after(() => loaders.forEach((loader) => loader.leave()));
    const load = loaders.map(async (loader, k) => {
      for (let number = k * 1000; !loader.isOver; number++)
        if (!(await loader.hears(post(work(number)), `"id":${number}}`))) return;
    });
    await setTimeout(50);
    const numbers = Array.from({ length: HUNDRED }, (_, k) => k + 1);
    for (let round = 0; round < 3; round++) {
      const speaker = new Speaker(port);
      await speaker.hears(numbers.map((number) => post(read(number))).join(''), `"id":${HUNDRED}}`);
      assert.deepEqual(speaker.ids(), numbers, `round ${round}`);
      speaker.leave();
    }
    for (const loader of loaders) loader.leave();
    await Promise.all(load);
  });

  test(`${name}: what comes behind a call that waits is not read before its answer, and answered in order`, async (t) => {
    const held: (() => void)[] = [];
    const answer = (body: Buffer): string | Promise<string> => {
      const { id, method }: { id: number; method: string } = JSON.parse(body.toString());
      const text = `{"jsonrpc":"2.0","result":null,"id":${id}}`;
      return method === 'wait' ? new Promise((resolve) => held.push(() => resolve(text))) : text;
    };
    const { port } = await listen(t, open, { answer, fromCache: () => undefined });
    const request = (id: number, method: string): string => post(JSON.stringify({ jsonrpc: '2.0', id, method }));
    const speaker = new Speaker(port);
    const release = async (count: number): Promise<void> => {
      while (held.length < count) await setTimeout(1);
      held[count - 1]?.();
    };
    speaker.send(request(1, 'wait'));
    while (held.length < 1) await setTimeout(1);
    speaker.send(request(2, 'read') + request(3, 'read') + request(4, 'wait'));
    await release(1);
    while (held.length < 2) await setTimeout(1);
    const last = speaker.hears(request(5, 'read'), '"id":5}');
    await release(2);
    await last;
    assert.deepEqual(speaker.ids(), [1, 2, 3, 4, 5]);
    speaker.leave();
  });
}

for (const [name, open] of servers) {
  test(`${name}: a hundred broadcasts in one packet are answered in order, or nothing is done where the connection ends`, async (t) => {
    const { port, seen } = await listen(t, open);
    const speaker = new Speaker(port);
    const numbers = Array.from({ length: HUNDRED }, (_, k) => k + 1);
    const broadcast = (id: number): string =>
      post(`{"jsonrpc":"2.0","id":${id},"method":"network_broadcast_api.broadcast_transaction","params":{"trx":{}}}`);
    const isServed = await speaker.hears(numbers.map(broadcast).join(''), `"id":${HUNDRED}}`);
    assert.deepEqual(speaker.ids(), isServed ? numbers : []);
    assert.equal(isServed, name === 'node:http');
    // One behind the other, each has its answer.
    const patient = new Speaker(port);
    assert.equal(await patient.hears(broadcast(1), '"id":1}'), true);
    assert.equal(await patient.hears(broadcast(2), '"id":2}'), true);
    assert.equal(seen.broadcasts.length, isServed ? HUNDRED + 2 : 2);
    patient.leave();
  });
}

/** Time is what calls say that they worked: a busy machine makes no difference. */
async function listenByWork(t: TestContext, open: Open): ReturnType<typeof listen> {
  const clock: Clock = { ...systemClock, elapsedMs: workedMs };
  const { dispatcher } = sampleDispatcher({}, { clock });
  return await listen(t, open, {
    answer: (body, requestSource) => dispatcher.dispatch(body, requestSource),
    fromCache: () => undefined,
  });
}

/** A connection, and what it has heard. */
class Speaker {
  readonly #socket: Socket;
  #heard = '';
  isOver = false;

  constructor(port: number, localAddress = '127.0.0.1') {
    this.#socket = connect({ port, host: '127.0.0.1', localAddress });
    this.#socket.setNoDelay(true);
    this.#socket.setEncoding('latin1').on('data', (text: string) => void (this.#heard += text));
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => void (this.isOver = true));
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  /** Sends, and waits for these words; false when the connection ends before. */
  async hears(text: string, words: string): Promise<boolean> {
    this.send(text);
    while (!this.#heard.includes(words) && !this.isOver) await setTimeout(1);
    return !this.isOver;
  }

  /** The ids of the answers, in the order in which they came. */
  ids(): number[] {
    return [...this.#heard.matchAll(/"id":(\d+)\}/g)].map(([, id]) => Number(id));
  }

  leave(): void {
    this.#socket.destroy();
    this.isOver = true;
  }
}
