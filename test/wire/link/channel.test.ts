import assert from 'node:assert/strict';
import { test } from 'node:test';

import { catchRefusal, type Refusal } from '../../../src/base/refusal.ts';
import { ByteBudget } from '../../../src/wire/link/byte_budget.ts';
import { Channel } from '../../../src/wire/link/channel.ts';
import { encodeFrame } from '../../../src/wire/link/frame.ts';
import { block } from '../../../src/wire/messages/block.ts';
import { blockAnnouncement } from '../../../src/wire/messages/block_announcement.ts';
import { consumed } from '../../../src/wire/messages/consumed.ts';
import { goodbye } from '../../../src/wire/messages/goodbye.ts';
import { ping } from '../../../src/wire/messages/ping.ts';
import { SendWindow } from '../../../src/wire/link/send_window.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { HandPipe, makeNodeId } from '../../builders/pipes.ts';

class Side {
  readonly taken: { readonly name: string; readonly bytes: number }[] = [];
  readonly faults: Refusal[] = [];
  readonly overLimits: Refusal[] = [];
  readonly pipe: HandPipe;
  readonly channel: Channel;

  constructor(clock: HandClock, isInbound: boolean) {
    this.pipe = new HandPipe(makeNodeId('peer'), isInbound);
    this.channel = new Channel(this.pipe, clock, new ByteBudget(64 * 1024 * 1024), {
      isWanted: () => true,
      take: ({ name }, bytes) => this.taken.push({ name, bytes: bytes.length }),
      malformed: (refusal) => this.faults.push(refusal),
      overLimit: (refusal) => this.overLimits.push(refusal),
      closed: () => undefined,
    });
    this.pipe.listener = this.channel;
  }
}

function twoSides(): { clock: HandClock; left: Side; right: Side } {
  const clock = new HandClock(1_000_000);
  return { clock, left: new Side(clock, false), right: new Side(clock, true) };
}

const announcement = { id: '1'.repeat(40), previous: '2'.repeat(40), transactions: 0, bytes: 0 };

test('a large body crosses whole when the other side says what it consumes, and waits when it does not', () => {
  const { left, right } = twoSides();
  left.channel.send(block, new Uint8Array(10_000_000));
  let outstanding = 0;
  for (let turn = 0; turn < 100; turn++) outstanding += left.pipe.take().length;
  assert(outstanding > 0 && outstanding <= 256 * 1024 + 16_384, `${outstanding} bytes under way`);
  assert(left.channel.queuedBytes > 9_000_000);

  const again = twoSides();
  again.left.channel.send(block, new Uint8Array(10_000_000));
  for (let turn = 0; turn < 1000; turn++) {
    again.right.channel.received(again.left.pipe.take());
    again.left.channel.received(again.right.pipe.take());
  }
  assert.deepEqual(again.right.taken, [{ name: 'block', bytes: 10_000_000 }]);
  assert.equal(again.left.channel.queuedBytes, 0);
  assert.deepEqual([...again.left.faults, ...right.faults], []);
});

test('a small message goes before what waits of a large one, and the large one is not starved', () => {
  const { left, right } = twoSides();
  left.channel.send(block, new Uint8Array(1_000_000));
  left.channel.send(blockAnnouncement, announcement);
  right.channel.received(left.pipe.take());
  right.channel.received(left.pipe.take());
  assert.deepEqual(right.taken, [{ name: 'block_announcement', bytes: 48 }]);
  for (let number = 0n; number < 2000n; number++) left.channel.send(ping, { number });
  for (let turn = 0; turn < 400 && right.taken.at(-1)?.name !== 'block'; turn++) {
    right.channel.received(left.pipe.take());
    left.channel.received(right.pipe.take());
  }
  const blockAt = right.taken.findIndex(({ name }) => name === 'block');
  assert(blockAt > 0);
});

test('a peer that says to have consumed what was never sent, or less than before, is out of form', () => {
  const { left } = twoSides();
  left.channel.received(encodeFrame(22, 0, consumed.encode({ bytes: 1n }), false));
  assert.deepEqual(
    left.faults.map(({ code }) => code),
    ['consumed_too_much'],
  );
  const window = new SendWindow();
  window.sent(1000);
  window.taken(500, 0);
  assert.equal(catchRefusal(() => window.taken(499, 1))?.code, 'consumed_too_much');
  assert.equal(catchRefusal(() => window.taken(1001, 1))?.code, 'consumed_too_much');
});

test('the window grows to what a fast and far peer takes, and keeps a slow one short', () => {
  const largest = (bytesPerMs: number, pingMs: number): number => {
    const window = new SendWindow();
    window.ping(pingMs);
    let [nowMs, sent, taken, most] = [1000, 0, 0, 0];
    const sentAt: { readonly atMs: number; bytes: number }[] = [];
    for (; nowMs < 20_000; nowMs++) {
      for (; window.isOpen; window.sent(16_384), sent += 16_384) sentAt.push({ atMs: nowMs, bytes: 16_384 });
      most = nowMs > 10_000 ? Math.max(most, sent - taken) : most;
      let budget = bytesPerMs;
      while (budget > 0 && sentAt[0] !== undefined && sentAt[0].atMs + pingMs <= nowMs) {
        const part = Math.min(budget, sentAt[0].bytes);
        budget -= part;
        taken += part;
        sentAt[0].bytes -= part;
        if (sentAt[0].bytes === 0) sentAt.shift();
      }
      window.taken(taken, nowMs);
    }
    return most;
  };
  const [slow, far] = [largest(1250, 40), largest(12_500, 200)];
  assert(slow <= 256 * 1024, `${slow} on a slow link`);
  assert(far > 1024 * 1024, `${far} on a fast and far one`);
});

test('what a peer has no credit for waits in order, at the other end of the pipe too, and is lost to nobody', () => {
  const clock = new HandClock(1_000_000);
  const pipe = new HandPipe(makeNodeId('peer'), true);
  const taken: bigint[] = [];
  let [pieces, stops, waitMs] = [0, 0, 0];
  const listener = {
    isWanted: () => true,
    malformed: (refusal: Refusal) => assert.fail(refusal),
    overLimit: (refusal: Refusal) => assert.fail(refusal),
    closed: () => undefined,
  };
  const meter = {
    piece: (bytes: number) => (pieces += bytes),
    empty: () => assert.fail(),
    frame: () => undefined,
    message: () => (waitMs = 100),
    waitMs: () => waitMs,
    stops: () => void stops++,
  };
  const take = (_: unknown, bytes: Uint8Array): number => taken.push(ping.decode(bytes).number);
  const channel = new Channel(pipe, clock, new ByteBudget(1024), { ...listener, take }, meter);
  const frames = [1n, 2n, 3n].map((number) => encodeFrame(3, 0, ping.encode({ number }), false));
  // All in one piece, and one that comes while the first ones wait.
  channel.received(Buffer.concat(frames));
  assert.deepEqual([taken, pipe.isPaused, channel.isWaiting], [[1n], true, true]);
  channel.received(encodeFrame(3, 0, ping.encode({ number: 4n }), false));
  for (const [ms, expected] of [
    [100, [1n, 2n]],
    [100, [1n, 2n, 3n]],
    [200, [1n, 2n, 3n, 4n]],
  ] as const) {
    clock.pass(ms - 1);
    waitMs = 0;
    clock.pass(1);
    assert.deepEqual(taken, expected);
  }
  waitMs = 0;
  clock.pass(400);
  assert.deepEqual([pipe.isPaused, channel.isWaiting, pieces, stops], [false, false, 4 * 14, 3]);
});

test('who has to stop again at once waits twice as long each time, up to four tenths of a second; who is read for as long as it waited does not', () => {
  const clock = new HandClock(1_000_000);
  const pipe = new HandPipe(makeNodeId('peer'), true);
  const listener = {
    isWanted: () => true,
    take: () => undefined,
    malformed: (refusal: Refusal) => assert.fail(refusal),
    overLimit: (refusal: Refusal) => assert.fail(refusal),
    closed: () => undefined,
  };
  let waitMs = 0;
  const nothing = (): void => undefined;
  const meter = { piece: nothing, empty: nothing, frame: nothing, message: () => (waitMs = 1), stops: nothing };
  const channel = new Channel(pipe, clock, new ByteBudget(1024), listener, { ...meter, waitMs: () => waitMs });
  const frame = encodeFrame(3, 0, ping.encode({ number: 1n }), false);
  /** Says two at once; how long it is not read. */
  const stoppedMs = (): number => {
    waitMs = 0;
    channel.received(Buffer.concat([frame, frame]));
    const startMs = clock.elapsedMs();
    waitMs = 0;
    while (channel.isWaiting) {
      clock.pass(1);
      waitMs = 0;
    }
    return clock.elapsedMs() - startMs;
  };
  assert.deepEqual(
    Array.from({ length: 6 }, () => stoppedMs()),
    [50, 100, 200, 400, 400, 400],
  );
  clock.pass(400);
  assert.equal(stoppedMs(), 50);
});

test('bytes that carry nothing cost their sender, beyond what one look at a socket reads, and stop reading when there is no credit', () => {
  const clock = new HandClock(1_000_000);
  const pipe = new HandPipe(makeNodeId('peer'), true);
  const nothing = (): void => undefined;
  let [empty, waitMs] = [0, 0];
  const channel = new Channel(
    pipe,
    clock,
    new ByteBudget(1024),
    { isWanted: () => true, take: nothing, malformed: nothing, overLimit: nothing, closed: nothing },
    {
      ...{ piece: nothing, frame: nothing, message: nothing, stops: nothing, waitMs: () => waitMs },
      empty: (bytes) => {
        empty += bytes;
        waitMs = 100;
      },
    },
  );
  const frame = encodeFrame(3, 0, ping.encode({ number: 1n }), false);
  pipe.carriedBytes = 0;
  for (let count = 0; count < 100_000; count++) {
    channel.received(frame);
    pipe.carriedBytes += frame.length + 22;
    if (count % 1000 === 0) channel.lookAtEmptyBytes();
  }
  pipe.carriedBytes += 128 * 1024;
  channel.lookAtEmptyBytes();
  assert.deepEqual([empty, pipe.isPaused], [0, false]);
  pipe.carriedBytes += 2700;
  for (let look = 0; look < 3; look++) channel.lookAtEmptyBytes();
  assert.deepEqual([empty, pipe.isPaused], [2700, true]);
  waitMs = 0;
  clock.pass(100);
  assert.ok(!pipe.isPaused);
});

test('what waits for a peer that takes nothing is bounded', () => {
  const { left } = twoSides();
  for (let sent = 0; sent < 100 && left.overLimits.length === 0; sent++)
    left.channel.send(block, new Uint8Array(1024 * 1024));
  assert.equal(left.overLimits[0]?.code, 'too_slow');
  assert(left.channel.queuedBytes < 66 * 1024 * 1024);
});

test('the last word goes before what waits, and nothing is read behind it', () => {
  const { left, right } = twoSides();
  left.channel.send(block, new Uint8Array(5_000_000));
  left.pipe.take();
  left.channel.close(goodbye, { reason: 1, text: 'bye', retry_after_seconds: 60 });
  assert(left.pipe.isClosed);
  left.channel.received(encodeFrame(3, 0, ping.encode({ number: 1n }), false));
  assert.deepEqual(left.taken, []);
  right.channel.received(left.pipe.take());
  assert.equal(right.taken.at(-1)?.name, 'goodbye');
});
