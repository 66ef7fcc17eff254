import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { RandomSource } from '../builders/random_source.ts';
import { at, listMember, optionalMember, numberMember, textMember, type Json } from './json.ts';
import { readRefusal, type Program } from './program.ts';
import { Shop } from './shop.ts';
import { signed, makeTransaction, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitUntil, within } from './wait_until.ts';

// Whoever subscribes and means no good, over real sockets. Beside each there is a shop that must not notice.

const BLOCKS = 3000;
const MEBIBYTE = 1024 * 1024;
/**
 * The memory of hundreds of subscriptions whose readers take nothing: 256 KiB a connection, and garbage that is not
 * collected yet.
 */
const MOST_MEMORY_BYTES = 150 * MEBIBYTE;

/** So many subscriptions to so many large documents are more than the system's buffers hold, which may be 32 MiB. */
const FOLLOWED_AT_ONCE = 100;
const LETTERS = 80;
const LETTER = 'a letter'.repeat(875);

const site = new Site();
let program: Program;
let shop: Shop | undefined;
let metricsUrl = '';
let payments = 0;
let written = 0;

before(async () => {
  const flags = [
    '--data-dir',
    site.path('data'),
    '--port',
    '0',
    '--block-interval-ms',
    '200',
    '--silent',
    '--metrics-port',
    '0',
  ];
  program = site.start(['dev', '--fresh', ...flags]);
  await program.ready();
  metricsUrl =
    /metrics +(\S+)/.exec(program.stdout)?.[1] ?? assert.fail('the program has printed where its figures are');
  for (let left = BLOCKS; left > 0; left -= 1000) await program.result('debug_api.produce_blocks', { count: 1000 });
  await letters();
  shop = new Shop(url(), 'bob', 'head');
  await paid();
});

after(async () => {
  shop?.crash();
  for (const { socket } of opened) socket.terminate();
  await site.clear();
});

/** Checks after each attack that blocks keep coming, and that the shop has been told of each payment. */
afterEach(async () => {
  await paid();
  assert.equal(shop?.failure, undefined);
  assert.equal(program.complaints, '');
});

function url(): string {
  return `ws://127.0.0.1:${program.port}`;
}

async function paid(): Promise<void> {
  const memo = `payment ${++payments}`;
  const trx = await signed(
    program,
    await makeTransaction(program, [transfer('alice', 'bob', '0.000001', memo)]),
    'alice',
  );
  await program.result('network_broadcast_api.broadcast_transaction', { trx });
  await waitUntil(`the shop to have ${memo}`, () => (shop?.books.payments.at(-1)?.memo === memo ? true : undefined));
  assert.deepEqual(
    shop?.books.payments.map((payment) => payment.memo),
    Array.from({ length: payments }, (_, k) => `payment ${k + 1}`),
  );
}

/** Documents that are told to whoever follows them. */
async function letters(): Promise<void> {
  for (let k = 0; k < LETTERS; k++) {
    const body = {
      fee: '0.000000 COIN',
      sender: 'alice',
      recipients: ['carol'],
      app_id: 1,
      json: JSON.stringify(`${++written} ${LETTER}`),
    };
    const trx = await signed(program, await makeTransaction(program, [['custom_json', body]]), 'alice');
    await program.result('network_broadcast_api.broadcast_transaction', { trx });
  }
}

async function figure(name: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `)) ?? assert.fail(`${name} is shown`);
  return Number(line.slice(name.length));
}

const OPERATIONS = 'subscribe_api.subscribe_operations';
const BLOCKS_METHOD = 'subscribe_api.subscribe_blocks';

function call(id: number, method: string, params: Json): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** One that is left unread would never notice that the node has ended. */
const opened: Raw[] = [];

/** A socket that counts what comes, and can be left unread. */
class Raw {
  readonly socket: WebSocket;
  readonly items: Json[] = [];
  readonly answers: Json[] = [];
  readonly #blocks = new Map<number, number[]>();
  readonly closed: Promise<number>;

  constructor() {
    this.socket = new WebSocket(url());
    this.socket.on('error', () => {}); // the close that follows says everything
    this.closed = new Promise((resolve) => void this.socket.once('close', resolve));
    this.socket.on('message', (data) => {
      const message: Json = JSON.parse(Buffer.isBuffer(data) ? data.toString() : assert.fail('a frame is one buffer'));
      if (optionalMember(message, 'method') === 'notice')
        this.#take(numberMember(message, 'params.0'), listMember(message, 'params.1'));
      else this.answers.push(message);
    });
  }

  static async open(): Promise<Raw> {
    const raw = new Raw();
    opened.push(raw);
    await within('a WebSocket', new Promise((resolve) => void raw.socket.once('open', resolve)));
    return raw;
  }

  /** The numbers of the blocks that a subscription was told of. */
  blocksOf(returnId: number): readonly number[] {
    return this.#blocks.get(returnId) ?? [];
  }

  #take(returnId: number, items: readonly Json[]): void {
    this.items.push(...items);
    const blocks = this.#blocks.get(returnId) ?? [];
    this.#blocks.set(returnId, blocks);
    for (const item of items) if (at(item, 'type') === 'block') blocks.push(numberMember(item, 'block.number'));
  }

  async answered(count: number): Promise<void> {
    await waitUntil(`${count} answers`, () => (this.answers.length >= count ? true : undefined));
  }
}

test('a connection has its limit of subscriptions, an account each, and takes the place of its own however often', async () => {
  const others = await figure('pharos_subscriptions');
  const greedy = await Raw.open();
  let asked = 0;
  const answer = async (params: Json): Promise<Json> => {
    greedy.socket.send(call(++asked, OPERATIONS, params));
    await greedy.answered(asked);
    return greedy.answers.at(-1) ?? null;
  };
  const many = Array.from({ length: 1000 }, (_, k) => `stranger-${k}`);
  assert.equal(readRefusal(await answer({ return_id: 1, accounts: many })).name, 'too_many_subscriptions');
  for (let k = 0; k < 256; k++) await answer({ return_id: k, accounts: [`stranger-${k}`] });
  assert.equal(readRefusal(await answer({ return_id: 256, accounts: ['bob'] })).name, 'too_many_subscriptions');
  assert.equal(
    readRefusal(await answer({ return_id: 255, accounts: ['bob', 'carol'] })).name,
    'too_many_subscriptions',
  );
  assert.equal(await figure('pharos_subscriptions'), others + 256);
  for (let k = 0; k < 3000; k++)
    greedy.socket.send(call(++asked, OPERATIONS, { return_id: k % 256, accounts: [`stranger-${k}`] }));
  await greedy.answered(asked);
  assert.ok(greedy.answers.slice(-3000).every((each) => optionalMember(each, 'error') === undefined));
  assert.equal(await figure('pharos_subscriptions'), others + 256);
  greedy.socket.terminate();
  await waitUntil('all to be given back', async () =>
    (await figure('pharos_subscriptions')) === others ? true : undefined,
  );
});

test('wrong positions are refused with a reason, or are those of this chain', async () => {
  const socket = await program.socket();
  const begun = await socket.call(BLOCKS_METHOD, { return_id: 1, start_block: 5 });
  const right = textMember(begun, 'result.position');
  const randomSource = new RandomSource(1);
  const wrong: Json[] = [
    '',
    'A',
    0,
    null,
    {},
    [right],
    right.repeat(50),
    `${right}A`,
    right.slice(1),
    'A'.repeat(46),
    'A'.repeat(1_000_000),
  ];
  for (let k = 0; k < 200; k++) {
    const bytes = Buffer.from(right, 'base64url');
    bytes[randomSource.roll(bytes.length)] = randomSource.roll(256);
    wrong.push(bytes.toString('base64url'));
  }
  for (let length = 0; length < 60; length++) wrong.push(randomBytes(length).toString('base64url'));
  for (const [k, resume] of wrong.entries()) {
    const answer = await socket.call(OPERATIONS, { return_id: 2, accounts: ['nobody'], resume }, k + 2);
    if (optionalMember(answer, 'error') === undefined) continue;
    const { name, message } = readRefusal(answer);
    assert.match(name, /^(?:bad_value|params_too_long|pruned|position_(?:in_future|of_another_chain|replaced))$/);
    assert.ok(message.length < 500, message);
  }
  socket.close();
});

test('nobody ends the subscription of somebody else', async () => {
  const [victim, stranger] = [await Raw.open(), await program.socket()];
  victim.socket.send(call(1, BLOCKS_METHOD, { return_id: 7 }));
  await victim.answered(1);
  for (const return_id of [7, '7', 0, -1, 2 ** 53, null, '18446744073709551615']) {
    const answer = await stranger.call('subscribe_api.unsubscribe', { return_id });
    if (optionalMember(answer, 'error') === undefined) assert.equal(numberMember(answer, 'result.ended'), 0);
  }
  stranger.drop();
  const { length } = victim.items;
  await waitUntil('one more block', () => (victim.items.length > length ? true : undefined));
  victim.socket.terminate();
});

test('who begins far back again and again is served in turn with everybody else', async () => {
  const greedy = await Raw.open();
  for (let k = 0; k < 2000; k++)
    greedy.socket.send(call(k, BLOCKS_METHOD, { return_id: k % 100, start_block: 1 + (k % 7) }));
  await greedy.answered(2000);
  await paid();
  greedy.socket.terminate();
});

test('frames that never end, and pieces whose end never comes, leave a subscriber what it is told', async () => {
  const strange = await Raw.open();
  strange.socket.send(call(1, BLOCKS_METHOD, { return_id: 1 }));
  await strange.answered(1);
  strange.socket.send('{"jsonrpc": "2.0", "id"', { fin: false });
  strange.socket.send(':', { fin: false });
  const { length } = strange.items;
  await waitUntil('blocks all the same', () => (strange.items.length > length + 3 ? true : undefined));
  strange.socket.terminate();
});

// The node waits half a minute for who takes nothing, so these wait together.
describe('a reader', { concurrency: true }, () => {
  test('that is too slow is told so, and has everything in the end, in order and once', async () => {
    const slow = await Raw.open();
    const first = (await program.health()).number;
    for (let k = 0; k < FOLLOWED_AT_ONCE; k++)
      slow.socket.send(call(k, BLOCKS_METHOD, { return_id: k, level: k % 2 === 0 ? 'head' : 'pending' }));
    for (let k = 0; k < FOLLOWED_AT_ONCE; k++)
      slow.socket.send(call(k, OPERATIONS, { return_id: FOLLOWED_AT_ONCE + k, kinds: ['custom_json'] }));
    await slow.answered(2 * FOLLOWED_AT_ONCE);
    const begun = slow.items.length;
    await waitUntil('live notices', () => (slow.items.length > begun + FOLLOWED_AT_ONCE ? true : undefined));
    slow.socket.pause();
    await letters();
    const { number } = await program.health();
    await waitUntil('more blocks', async () => ((await program.health()).number > number + 3 ? true : undefined));
    slow.socket.resume();
    await waitUntil('the head everywhere', () => {
      const lasts = Array.from({ length: FOLLOWED_AT_ONCE }, (_, k) => slow.blocksOf(k).at(-1) ?? 0);
      return Math.min(...lasts) > number || undefined;
    });
    await waitUntil(
      'word of being behind',
      () => slow.items.some((item) => at(item, 'type') === 'behind') || undefined,
    );
    for (let k = 0; k < FOLLOWED_AT_ONCE; k++) {
      const numbers = slow.blocksOf(k);
      const [begin = 0] = numbers;
      assert.ok(begin <= first + 50);
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => begin + index),
      );
    }
    slow.socket.terminate();
  });

  test('that takes nothing costs a bounded piece of memory and is let go', async () => {
    const memory = await figure('process_resident_memory_bytes');
    const idle = await Promise.all(Array.from({ length: 6 }, () => Raw.open()));
    // Where they begin there are letters: a way of small blocks would be walked to its end before anybody stands still.
    const { number } = await program.health();
    await letters();
    for (const { socket } of idle) {
      socket.pause();
      for (let k = 0; k < 100; k++)
        socket.send(call(k, OPERATIONS, { return_id: k, kinds: ['custom_json'], start_block: number }));
    }
    const grown = async (): Promise<number> => (await figure('process_resident_memory_bytes')) - memory;
    let most = 0;
    await waitUntil('all to be subscribed', async () =>
      (await figure('pharos_subscriptions')) >= 600 ? true : undefined,
    );
    await waitUntil('all to be let go', async () => {
      most = Math.max(most, await grown());
      return (await figure('pharos_subscriptions')) < 100 ? true : undefined;
    });
    assert.ok(most < MOST_MEMORY_BYTES, `${Math.round(most / MEBIBYTE)} MiB`);
    for (const { socket } of idle) socket.resume();
    for (const { closed } of idle) assert.notEqual(await within('the end of a connection', closed), 1000);
  });
});
