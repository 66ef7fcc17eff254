import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownProcess, type RequestSource } from '../../src/jsonrpc/limits/request_source.ts';
import { refuseCall } from '../../src/jsonrpc/envelope/errors.ts';
import type { Heads } from '../../src/jsonrpc/envelope/heads.ts';
import type { Limits } from '../../src/jsonrpc/limits/limits.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { sampleDispatcher } from './sample_methods.ts';

/** A head that the test moves; two more may be waited for. */
class HandHeads implements Heads {
  #number = 10;
  readonly #moved: (() => void)[] = [];
  standings = 0;

  json(): string {
    return `{"number":${this.#number}}`;
  }

  line(): string {
    return String(this.#number);
  }

  number(): number {
    return this.#number;
  }

  standing(asked: string): 'here' | 'soon' {
    this.standings++;
    if (!/^\d+$/.test(asked)) refuseCall.bad_min_head();
    if (Number(asked) > this.#number + 2) refuseCall.head_out_of_reach({ asked, head: this.#number });
    return Number(asked) > this.#number ? 'soon' : 'here';
  }

  onMove(run: () => void): void {
    this.#moved.push(run);
  }

  moveTo(number: number): void {
    this.#number = number;
    for (const run of this.#moved) run();
  }
}

interface Said {
  readonly id: unknown;
  readonly result?: unknown;
  readonly head?: unknown;
  readonly error?: { readonly message: string; readonly data: { readonly name: string } };
}

function setUp(limits: Partial<Limits> = {}) {
  const [heads, clock] = [new HandHeads(), new HandClock(1000)];
  const { dispatcher, times } = sampleDispatcher(limits, { clock }, 'never', heads);
  const ask = (body: object, requestSource: Partial<RequestSource> = {}): Promise<Said & readonly Said[]> => {
    const text = Buffer.from(JSON.stringify(body));
    return Promise.resolve(dispatcher.dispatch(text, { ...ownProcess, ...requestSource })).then((said) =>
      JSON.parse(String(said ?? 'null')),
    );
  };
  return { heads, clock, dispatcher, times, ask };
}

const call = (id: number, more: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'test_api.add',
  params: { left: 1 },
  ...more,
});
const sum = { sum: '2' };

async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(() => resolve('open')))])) === 'open';
}

test('who asks for a head is told it beside the result, and nobody else is', async () => {
  const { ask } = setUp();
  assert.deepEqual(await ask(call(1, { min_head: 10 })), { jsonrpc: '2.0', result: sum, id: 1, head: { number: 10 } });
  assert.deepEqual(await ask(call(1, { min_head: '0' })), { jsonrpc: '2.0', result: sum, id: 1, head: { number: 10 } });
  assert.deepEqual(await ask(call(1)), { jsonrpc: '2.0', result: sum, id: 1 });
  assert.deepEqual(await ask(call(1), { minHead: '10' }), { jsonrpc: '2.0', result: sum, id: 1 });
});

test('a call waits until its head is here, by member or by header, and no longer', async () => {
  for (const [body, requestSource] of [
    [call(1, { min_head: 12 }), {}],
    [call(1), { minHead: '12' }],
    [call(1, { min_head: 12 }), { minHead: '99' }],
  ] as const) {
    const { ask, heads, times } = setUp();
    const answer = ask(body, requestSource);
    heads.moveTo(11);
    assert.ok(await isOpen(answer));
    assert.equal(times.inFlight, 1);
    heads.moveTo(12);
    assert.deepEqual((await answer).result, sum);
    assert.equal(times.inFlight, 0);
  }
});

/** Says of the head what it was at the last look, as a server that writes it into a header. */
function lookingSource(heads: HandHeads): Partial<RequestSource> & { seen: number } {
  const looking = { minHead: '11', seen: heads.number(), lookAtHead: (): void => void (looking.seen = heads.number()) };
  return looking;
}

test('an answer tells of no head below the one that was asked for, however its call has waited', async () => {
  for (const comes of ['before its turn', 'while it waits']) {
    for (const isQueued of [false, true]) {
      const { ask, heads, clock } = setUp();
      if (isQueued) {
        // The slice of this turn is used up, so the next body waits for another one.
        await ask(call(1));
        clock.stall(50);
      }
      const requestSource = lookingSource(heads);
      const isAheadOfIt = comes === 'before its turn' && isQueued;
      if (comes === 'before its turn' && !isQueued) heads.moveTo(11);
      const answer = ask(call(2), requestSource);
      if (isAheadOfIt) heads.moveTo(11);
      clock.pass(1);
      if (comes === 'while it waits') heads.moveTo(11);
      assert.deepEqual((await answer).result, sum);
      assert.equal(requestSource.seen, 11, `the head comes ${comes}, queued: ${isQueued}`);
    }
  }
});

test('a call that waits keeps no other of its batch waiting, and its answer has its place', async () => {
  const { ask, heads } = setUp();
  const batch = ask([
    call(1),
    call(2, { min_head: 11 }),
    call(3, { min_head: 99 }),
    { ...call(4), method: 'test_api.wait', params: {} },
  ]);
  assert.ok(await isOpen(batch));
  heads.moveTo(11);
  const answers = await batch;
  assert.deepEqual(
    answers.map(({ id, result, error }) => [id, result ?? error?.data.name]),
    [
      [1, sum],
      [2, sum],
      [3, 'head_out_of_reach'],
      [4, { waited: true }],
    ],
  );
  assert.deepEqual(answers[1]?.head, { number: 11 });
});

test('what can not be waited for is refused at once, and says what to do', async () => {
  const { ask } = setUp();
  for (const min_head of [null, '', 'abc', -1, 1.5, true, [], {}, '1 ', 'x'.repeat(1000)]) {
    const { error } = await ask(call(1, { min_head }));
    assert.equal(error?.data.name, 'bad_min_head', JSON.stringify(min_head));
    assert.match(error.message, /X-Pharos-Min-Head/);
  }
  assert.equal((await ask(call(1), { minHead: ' ' })).error?.data.name, 'bad_min_head');
  const { error } = await ask(call(1, { min_head: 13 }));
  assert.equal(error?.data.name, 'head_out_of_reach');
  assert.match(error.message, /block 10: 13 is too far ahead/);
  assert.equal(
    (await ask({ ...call(1, { min_head: 99 }), method: 'test_api.none' })).error?.data.name,
    'method_not_found',
  );
});

test('after three seconds a call is refused, and the head comes too late', async () => {
  const { ask, heads, clock, times } = setUp();
  const answer = ask(call(7, { min_head: 11 }));
  clock.pass(2999);
  assert.ok(await isOpen(answer));
  clock.pass(1);
  const { id, error } = await answer;
  assert.deepEqual([id, error?.data.name, times.inFlight], [7, 'head_not_reached', 0]);
  assert.match(error?.message ?? '', /block 10: 11 has not come within 3 seconds/);
  heads.moveTo(11);
  assert.equal(times.inFlight, 0);
});

test('nothing looks at calls that wait before the head has moved', async () => {
  const { ask, heads, clock } = setUp();
  const answers = Array.from({ length: 50 }, (_, id) => ask(call(id, { min_head: 11 })));
  const before = heads.standings;
  clock.pass(2000);
  assert.equal(heads.standings, before);
  heads.moveTo(11);
  for (const answer of answers) assert.deepEqual((await answer).result, sum);
});

test('one address may have so many waiting, all together so many, and so many bytes', async () => {
  const few = setUp({ requestsInFlightPerAddress: 2, requestsInFlight: 3 });
  const of = (number: number): Partial<RequestSource> => ({ address: `192.0.2.${number}`, senderIdOf: () => number });
  const waiting = [few.ask(call(1, { min_head: 11 }), of(1)), few.ask(call(2, { min_head: 11 }), of(1))];
  assert.equal((await few.ask(call(3, { min_head: 11 }), of(1))).error?.data.name, 'too_busy');
  waiting.push(few.ask(call(4, { min_head: 11 }), of(2)));
  assert.equal((await few.ask(call(5, { min_head: 11 }), of(3))).error?.data.name, 'too_busy');
  assert.deepEqual((await few.ask(call(6, { min_head: 10 }), of(1))).result, sum);
  few.heads.moveTo(11);
  for (const answer of waiting) assert.deepEqual((await answer).result, sum);
  // The places are free again.
  const again = few.ask(call(7, { min_head: 12 }), of(1));
  few.heads.moveTo(12);
  assert.deepEqual((await again).result, sum);

  const large = setUp();
  const long = { ...call(1, { min_head: 11 }), method: 'test_api.echo', params: { any: 'x'.repeat(900_000) } };
  const held = Array.from({ length: 18 }, () => large.ask(long, of(1)));
  assert.equal((await large.ask(long, of(1))).error?.data.name, 'too_busy');
  large.heads.moveTo(11);
  await Promise.all(held);
});

test('a cached response is no answer to who asks for a later head', async () => {
  const { dispatcher, heads, ask } = setUp();
  const text = Buffer.from(JSON.stringify(call(1)));
  for (let round = 0; round < 3; round++) await ask(call(1));
  assert.ok(dispatcher.fromCache(text) !== undefined);
  assert.ok(dispatcher.fromCache(text, { ...ownProcess, minHead: '10' }) !== undefined);
  for (const minHead of ['11', '99', 'abc'])
    assert.equal(dispatcher.fromCache(text, { ...ownProcess, minHead }), undefined);
  heads.moveTo(11);
  assert.ok(dispatcher.fromCache(text, { ...ownProcess, minHead: '11' }) !== undefined);
});

test('a notification that waits is done later, and a connection that has gone is answered nothing', async () => {
  const { ask, heads } = setUp();
  const notification = { ...call(1, { min_head: 11 }), id: undefined };
  const silent = ask(notification);
  const gone = {
    address: '192.0.2.1',
    push: () => true,
    unsentBytes: () => 0,
    isOpen: () => isThere,
    drop: () => undefined,
    onClose: () => undefined,
  };
  let isThere = true;
  const unheard = ask(call(2, { min_head: 11 }), { subscriber: gone });
  isThere = false;
  heads.moveTo(11);
  assert.equal(await silent, null);
  assert.equal(await unheard, null);
});

test('min_head stands once, and a member of that name in params is the method’s own', async () => {
  const { dispatcher, ask } = setUp();
  const twice = '{"jsonrpc":"2.0","id":1,"method":"test_api.echo","min_head":1,"min_head":2}';
  assert.match(String(await dispatcher.dispatch(Buffer.from(twice))), /\\"min_head\\" stands twice/);
  const inside = await ask({ ...call(1), method: 'test_api.echo', params: { any: { min_head: 99 } } });
  assert.deepEqual(inside.result, { list: [], any: { min_head: 99 } });
});
