import type { CommittedState } from '../../../src/queries/committed_state.ts';
import assert from 'node:assert/strict';
import { makeHost } from '../../../src/rpc/host.ts';
import { test } from 'node:test';
import { Type } from '../../../src/jsonrpc/envelope/typebox.ts';
import { Dispatcher } from '../../../src/jsonrpc/dispatcher.ts';
import { defaultLimits, type Limits } from '../../../src/jsonrpc/limits/limits.ts';
import { method, registerMethods } from '../../../src/rpc/method.ts';
import { MethodTimes } from '../../../src/jsonrpc/limits/method_times.ts';
import type { Call, VerifierCall } from '../../../src/rpc/services.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { emptyChain } from '../../rpc/empty_chain.ts';

/** A dispatcher whose reads count how often they are carried out. */
class Counter {
  runs = 0;
  version = 1;
  readonly clock = new HandClock(1);
  readonly times = new MethodTimes();
  readonly #dispatcher: Dispatcher<VerifierCall>;

  constructor(limits: Partial<Limits> = {}) {
    const read = (
      name: string,
      answer: (text: string, call: Call) => string,
      needsPrivateKey = false,
    ): ReturnType<typeof method> =>
      method({
        name: `alexandria_api.${name}`,
        doc: 'Counts.',
        params: { text: Type.String({ default: '' }) },
        result: Type.Object({ answer: Type.String() }),
        example: { params: {} },
        stability: 'stable',
        needsPrivateKey,
        thread: 'read',
        handler: ({ text }, call) => {
          this.runs++;
          return { answer: answer(text, call) };
        },
      });
    const chain = emptyChain();
    const rows: CommittedState = Object.create(chain.rows, {
      version: { value: () => this.version },
      consistentRead: { value: (run: () => unknown) => run() },
    });
    const methods = registerMethods([
      read('plain', (text) => `${text}${'.'.repeat(text === 'long' ? 100_000 : 0)}`),
      read('timed', (_, { clock }) => (clock.nowMs() > 0 ? 'now' : '')),
      read('random', (_, { randomBytes }) => String(randomBytes(1).length)),
      read('secret', () => 'secret', true),
    ]);
    const services = {
      ...chain,
      rows,
      clock: this.clock,
      report: () => undefined,
    };
    this.#dispatcher = new Dispatcher({
      methods,
      host: makeHost(services, 'always'),
      limits: { ...defaultLimits, ...limits },
      bareNamesOf: 'alexandria_api',
      times: this.times,
    });
  }

  ask(name: string, params: unknown, id: number | string = 1): string {
    return this.send({ jsonrpc: '2.0', id, method: name, params });
  }

  /** Returns the answer to a body that is known by its bytes. */
  again(name: string, params: unknown, id: number): string | undefined {
    const known = this.#dispatcher.fromCache(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method: name, params })));
    return known && Buffer.from(known).toString();
  }

  send(body: unknown): string {
    const answer = this.#dispatcher.dispatch(Buffer.from(JSON.stringify(body)));
    assert.ok(typeof answer === 'string');
    return answer;
  }
}

test('an answer is found out once for a block and given again with each asker’s id', () => {
  const counter = new Counter();
  assert.equal(
    counter.ask('alexandria_api.plain', { text: 'é' }, 1),
    '{"jsonrpc":"2.0","result":{"answer":"é"},"id":1}',
  );
  assert.equal(
    counter.ask('alexandria_api.plain', { text: 'é' }, 'two'),
    '{"jsonrpc":"2.0","result":{"answer":"é"},"id":"two"}',
  );
  assert.equal(counter.runs, 1);
  counter.ask('alexandria_api.plain', { text: 'e' });
  counter.ask('alexandria_api.plain', undefined);
  assert.equal(counter.runs, 3);
  counter.version++;
  counter.ask('alexandria_api.plain', { text: 'é' });
  assert.equal(counter.runs, 4);
});

test('among many calls of a block only those that were asked before are kept, whichever block that was in', () => {
  const counter = new Counter();
  const ask = (text: string): string => counter.ask('alexandria_api.plain', { text });
  const countRuns = (text: string): number => {
    const before = counter.runs;
    assert.equal(ask(text), `{"jsonrpc":"2.0","result":{"answer":"${text}"},"id":1}`);
    return counter.runs - before;
  };
  for (let k = 0; k < 1000; k++) ask(`once ${k}`);
  assert.deepEqual(
    [countRuns('once 3'), countRuns('late'), countRuns('late'), countRuns('late'), countRuns('late')],
    [0, 1, 1, 0, 0],
  );
  counter.version++;
  for (let k = 0; k < 300; k++) ask(`other ${k}`);
  assert.deepEqual([countRuns('late'), countRuns('late'), countRuns('late')], [1, 0, 0]);
});

test('a post that came twice is known by its bytes, counted, against its address too, and found out anew with each block', () => {
  const counter = new Counter({ callsPerSecond: 2, countsLocalCalls: true });
  assert.equal(counter.again('alexandria_api.plain', {}, 0), undefined);
  counter.ask('alexandria_api.plain', {}, 0);
  assert.equal(counter.again('alexandria_api.plain', {}, 1), undefined);
  counter.ask('alexandria_api.plain', {}, 1);
  for (let id = 2; id < 4; id++)
    assert.equal(counter.again('alexandria_api.plain', {}, id), `{"jsonrpc":"2.0","result":{"answer":""},"id":${id}}`);
  assert.equal(counter.again('alexandria_api.plain', {}, 4), undefined);
  assert.match(counter.ask('alexandria_api.plain', {}, 4), /"rate_exceeded".*"id":4/);
  assert.deepEqual([counter.runs, counter.times.of('alexandria_api.plain').repeated], [1, 3]);
  counter.clock.pass(2000);
  counter.version++;
  for (let id = 5; id < 7; id++) {
    assert.equal(counter.again('alexandria_api.plain', {}, id), undefined);
    counter.ask('alexandria_api.plain', {}, id);
  }
  assert.equal(counter.runs, 2);
  assert.notEqual(counter.again('alexandria_api.plain', {}, 7), undefined);
});

test('the dialects keep their answers apart', () => {
  const counter = new Counter();
  counter.ask('alexandria_api.plain', undefined);
  assert.equal(counter.ask('plain', []), '{"id":1,"result":""}');
  assert.equal(counter.ask('plain', [], 2), '{"id":2,"result":""}');
  assert.equal(counter.runs, 2);
});

test('what depends on time or chance, came with a private key or is long is found out each time', () => {
  for (const name of ['timed', 'random', 'secret']) {
    const counter = new Counter();
    for (let k = 0; k < 3; k++) counter.ask(`alexandria_api.${name}`, {});
    assert.equal(counter.again(`alexandria_api.${name}`, {}, 1), undefined);
    assert.equal(counter.runs, 3, name);
  }
  const counter = new Counter();
  for (const text of ['long', 'x'.repeat(300)])
    for (let k = 0; k < 2; k++) counter.ask('alexandria_api.plain', { text });
  assert.equal(counter.runs, 4);
});

test('refusals are not kept, and batches share what is', () => {
  const counter = new Counter();
  const wrong = { text: 1 };
  assert.equal(counter.ask('alexandria_api.plain', wrong), counter.ask('alexandria_api.plain', wrong));
  const batch = [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'alexandria_api.plain', params: {} }));
  assert.equal(
    counter.send(batch),
    `[${[1, 2, 3].map((id) => `{"jsonrpc":"2.0","result":{"answer":""},"id":${id}}`).join(',')}]`,
  );
  assert.equal(counter.runs, 1);
});

test('a full cache takes no more, and still answers', () => {
  const counter = new Counter();
  const count = 60_000;
  const text = (k: number): string => `${k}${'y'.repeat(120)}`;
  for (let k = 0; k < count; k++) counter.ask('alexandria_api.plain', { text: text(k) });
  assert.equal(counter.runs, count);
  counter.ask('alexandria_api.plain', { text: text(0) });
  assert.equal(counter.runs, count);
  counter.ask('alexandria_api.plain', { text: text(count - 1) });
  assert.equal(counter.runs, count + 1);
});
