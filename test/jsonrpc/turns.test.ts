import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../src/jsonrpc/answer_writer.ts';
import { ownProcess } from '../../src/jsonrpc/limits/request_source.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { sampleDispatcher } from './sample_methods.ts';

interface Spoken {
  readonly id: unknown;
  readonly result?: unknown;
}

async function ask(body: string, limits = {}): Promise<string | undefined> {
  return (await sampleDispatcher(limits).dispatcher.dispatch(Buffer.from(body)))?.toString();
}

const work = (number: number): string =>
  `{"jsonrpc":"2.0","id":${number},"method":"test_api.work","params":{"number":${number}}}`;

test('a batch that takes long leaves others their turn, and is answered whole and in order', async () => {
  const { dispatcher } = sampleDispatcher();
  const trx = '{"jsonrpc":"2.0","id":9,"method":"network_broadcast_api.broadcast_transaction","params":{"trx":{}}}';
  const body = Buffer.from(`[${work(1)},${trx},${work(2)},${work(3)}]`);
  const answered: string[] = [];
  const long = Promise.resolve(dispatcher.dispatch(body)).then((text) => (answered.push('long'), text));
  const next = Promise.resolve(dispatcher.dispatch(Buffer.from(`[${work(4)},${work(5)}]`))).then(
    (text) => (answered.push('next'), text),
  );
  // The server reads the next body into the same memory.
  body.fill(0);
  await new Promise(setImmediate);
  assert.deepEqual(answered, [], 'others have their turn before either is done');
  const results = (text = ''): unknown => JSON.parse(text).map(({ result }: { result: unknown }) => result);
  assert.deepEqual(results((await long)?.toString()), [1, { id: 'ab'.repeat(20) }, 2, 3]);
  assert.deepEqual(results((await next)?.toString()), [4, 5]);
  assert.deepEqual(answered, ['long', 'next']);
});

test('whoever has too much waiting is refused what is not begun, and others are not', async () => {
  const { dispatcher } = sampleDispatcher({ callsPerSocket: 3 });
  const send = async (body: string, sender: number): Promise<string> =>
    (await dispatcher.dispatch(Buffer.from(body), { ...ownProcess, senderIdOf: () => sender }))?.toString() ?? '';
  const batches = Array.from({ length: 5 }, async (_, k) => await send(`[${work(2 * k)},${work(2 * k + 1)}]`, 1));
  const other = send(work(10), 2);
  const texts = await Promise.all(batches);
  assert.match(texts[0] ?? '', /"result":0.*"result":1/);
  assert.deepEqual(
    texts.map((text) => text.includes('too_busy')),
    [false, false, false, true, true],
  );
  assert.match(texts[4] ?? '', /"error":.*"id":null/);
  assert.match(await other, /"result":10,"id":10/);
});

test('what comes when the turn is over waits for the next one, calls and mistakes alike, and each sender is served in turns', async () => {
  const { dispatcher } = sampleDispatcher();
  const done: string[] = [];
  const send = async (body: string, name: string, sender: number): Promise<string> => {
    const answer = await dispatcher.dispatch(Buffer.from(body), { ...ownProcess, senderIdOf: () => sender });
    done.push(name);
    return answer?.toString() ?? '';
  };
  const many = Array.from({ length: 5 }, async (_, k) => await send(work(k), 'many', 1));
  const [bad, empty, one] = [send('{', 'bad', 2), send('', 'empty', 3), send(work(9), 'one', 4)];
  assert.deepEqual(done, []);
  assert.match(await bad, /-32700/);
  assert.match(await empty, /-32700/);
  assert.match(await one, /"result":9/);
  await Promise.all(many);
  assert.equal(done.at(-1), 'many', 'who sends most is served last');
  assert.equal(done.filter((name) => name === 'many').length, 5);
});

test('what was answered before is repeated at once only while the turn lasts, of which sending takes a part', () => {
  const clock = new HandClock(0);
  const { dispatcher } = sampleDispatcher({}, { clock });
  const asked = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"test_api.long","params":{"length":10000}}');
  // It is kept when it is asked for again.
  for (let time = 1; time <= 2; time++) assert.notEqual(dispatcher.dispatch(asked), undefined);
  let repeated = 0;
  while (repeated < 100 && dispatcher.fromCache(asked) !== undefined) {
    repeated++;
    clock.stall(1);
  }
  assert.ok(repeated >= 10 && repeated <= 24, String(repeated));
  clock.pass(0);
  assert.notEqual(dispatcher.fromCache(asked), undefined, 'in the next turn');
});

test('sending an answer takes a part of the turn', async () => {
  const clock = new HandClock(0);
  const { dispatcher } = sampleDispatcher({}, { clock });
  const echo = '{"jsonrpc":"2.0","id":1,"method":"test_api.echo","params":{"any":1}}';
  const send = (sender: number): Answer | Promise<Answer> =>
    dispatcher.dispatch(Buffer.from(echo), { ...ownProcess, senderIdOf: () => sender });
  void send(1);
  clock.stall(10);
  const sent: number[] = [];
  const answered = [...Array.from({ length: 50 }, () => 1), 2].map(async (sender) => {
    await send(sender);
    sent.push(sender);
    clock.stall(1);
  });
  clock.pass(0);
  await new Promise(setImmediate);
  assert.ok(sent.length >= 10 && sent.length <= 12, String(sent.length));
  assert.ok(sent.includes(2), 'the other sender has had its turn');
  while (sent.length < answered.length) {
    clock.pass(0);
    await new Promise(setImmediate);
  }
});

test('a WebSocket that has too much waiting is let go', async () => {
  const { dispatcher } = sampleDispatcher({ callsPerSocket: 2 });
  const reasons: string[] = [];
  const drop = (reason: string): void => void reasons.push(reason);
  const socket = {
    address: '192.0.2.1',
    push: () => true,
    isOpen: () => reasons.length === 0,
    unsentBytes: () => 0,
    drop,
    onClose: () => undefined,
  };
  const answers = [1, 2, 3, 4].map(
    async (k) => await dispatcher.dispatch(Buffer.from(work(k)), { ...ownProcess, subscriber: socket }),
  );
  assert.deepEqual(reasons, ['too many calls at once']);
  const texts = await Promise.all(answers);
  assert.match(texts[0]?.toString() ?? '', /"result":1/);
  assert.deepEqual(texts.slice(1), [undefined, undefined, undefined]);
});

test('nothing more is worked on for a WebSocket that is gone', async () => {
  const { dispatcher, seen } = sampleDispatcher();
  let isOpen = true;
  const socket = {
    address: '192.0.2.1',
    push: () => true,
    isOpen: () => isOpen,
    unsentBytes: () => 0,
    drop: () => undefined,
    onClose: () => undefined,
  };
  const mistake = '{"jsonrpc":"2.0","id":1,"method":"test_api.mistake"}';
  const answers = [work(1), mistake, `[${work(2)},${mistake}]`].map(
    async (body) => await dispatcher.dispatch(Buffer.from(body), { ...ownProcess, subscriber: socket }),
  );
  isOpen = false;
  await Promise.all(answers);
  assert.deepEqual(seen.reports, []);
});

const list = (id: number, length: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"test_api.list","params":{"length":${length}}}`;

test('a long list is made in turns, whole and in order, alone and in a batch, in both dialects', async () => {
  const { dispatcher } = sampleDispatcher();
  const numbers = (length: number): number[] => Array.from({ length }, (_, k) => k);
  for (const length of [0, 1, 2, 3, 30]) {
    const spoken: Spoken = JSON.parse((await dispatcher.dispatch(Buffer.from(list(1, length))))?.toString() ?? '');
    assert.deepEqual(spoken, { jsonrpc: '2.0', id: 1, result: { list: numbers(length) } });
  }
  const others: string[] = [];
  const batch = Promise.resolve(dispatcher.dispatch(Buffer.from(`[${list(1, 25)},${list(2, 0)},${list(3, 15)}]`)));
  void batch.then(() => others.push('the batch'));
  await new Promise((resolve) => void setTimeout(resolve, 0));
  const late = dispatcher.dispatch(Buffer.from(list(4, 1)), { ...ownProcess, senderIdOf: () => 4 });
  void Promise.resolve(late).then(() => others.push('another'));
  const spoken: Spoken[] = JSON.parse((await batch)?.toString() ?? '');
  assert.deepEqual(
    spoken.map(({ result }) => result),
    [{ list: numbers(25) }, { list: [] }, { list: numbers(15) }],
  );
  assert.deepEqual(others, ['another', 'the batch']);
  const legacy = await dispatcher.dispatch(Buffer.from('{"id":1,"method":"test_api_list","params":[3]}'));
  assert.match(legacy?.toString() ?? '', /no method/);
});

test('a long read goes on turn by turn, however many turns it takes', async () => {
  const { dispatcher } = sampleDispatcher();
  const [first, second] = [list(1, 100), list(2, 1)].map((body, k) =>
    Promise.resolve(dispatcher.dispatch(Buffer.from(body), { ...ownProcess, senderIdOf: () => k })),
  );
  // The short one, which comes behind ten turns of the long one, is not kept waiting for all of them.
  const order: string[] = [];
  await Promise.all([first?.then(() => order.push('long')), second?.then(() => order.push('short'))]);
  assert.deepEqual(order, ['short', 'long']);
});

test('a list that is too large is given up when it is, and a mistake in a later turn is reported', async () => {
  assert.match((await ask(list(1, 400), { answerBytes: 40 })) ?? '', /answer_too_large/);
});

test('a call that takes too long is answered with an error, a call too many is refused', async () => {
  const forever = '{"jsonrpc":"2.0","id":1,"method":"test_api.wait","params":{"forever":true}}';
  assert.match((await ask(forever, { callDeadlineMs: 1 })) ?? '', /"name":"no_answer_in_time"/);
  const long = '{"jsonrpc":"2.0","id":1,"method":"test_api.wait_long"}';
  assert.match((await ask(long, { callDeadlineMs: 1 })) ?? '', /"waited":true/);
  assert.match((await ask(forever, { requestsInFlight: 0 })) ?? '', /too_busy/);
  const { dispatcher, times } = sampleDispatcher({ callDeadlineMs: 1 });
  const answer = dispatcher.dispatch(Buffer.from(forever));
  assert.equal(times.inFlight, 1);
  await answer;
  assert.equal(times.inFlight, 0);
});
