import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { Refusal } from '../../../src/base/refusal.ts';
import { ByteBudget } from '../../../src/wire/link/byte_budget.ts';
import { encodeFrame, HEADER_BYTES, LEAST_CONTINUED_BYTES, MOST_PAYLOAD_BYTES } from '../../../src/wire/link/frame.ts';
import { chooseLane, type MessageForm } from '../../../src/wire/message_kind.ts';
import { MessageReader } from '../../../src/wire/link/message_reader.ts';
import { block } from '../../../src/wire/messages/block.ts';
import { messageKinds, messageNumber } from '../../../src/wire/messages/index.ts';
import { Outbox } from '../../../src/wire/link/outbox.ts';
import { SendWindow } from '../../../src/wire/link/send_window.ts';
import { RandomSource } from '../../builders/random_source.ts';

interface Read {
  readonly reader: MessageReader;
  readonly budget: ByteBudget;
  readonly messages: { readonly form: MessageForm; readonly bytes: Uint8Array }[];
}

function reading(most = 1024 * 1024, isWanted: (form: MessageForm) => boolean = () => true): Read {
  const [budget, messages]: [ByteBudget, Read['messages']] = [new ByteBudget(most), []];
  const reader = new MessageReader(messageKinds, budget, {
    isWanted,
    take: (form, bytes) => messages.push({ form, bytes: bytes.slice() }),
    frame: () => undefined,
  });
  return { reader, budget, messages };
}

/** The code with which bytes are refused. */
function readRefusal(...frames: readonly Uint8Array[]): string | undefined {
  const { reader } = reading();
  try {
    for (const frame of frames) reader.push(frame);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.code;
  }
}

const kindArbitrary = fc.constantFrom(...Object.values(messageKinds));
const sent = fc.record({ kind: kindArbitrary, size: fc.nat(100_000), seed: fc.nat(255) });

test('whatever is put into an outbox comes out of a reader, lane by lane in its order, however the bytes are cut', () => {
  const property = fc.property(fc.array(sent, { maxLength: 12 }), fc.nat(), (messages, seed) => {
    const [outbox, randomSource] = [new Outbox(new SendWindow()), new RandomSource(seed)];
    const { reader, messages: received, budget } = reading(64 * 1024 * 1024);
    const put = messages.map(({ kind, size, seed: fill }) => {
      const bytes = new Uint8Array(Math.min(size, kind.large?.mostBytes ?? kind.mostBytes)).fill(fill);
      const lane = chooseLane(kind, bytes.length);
      outbox.put(messageNumber(kind), lane, bytes);
      return { kind, lane, bytes };
    });
    const frames: Uint8Array[] = [];
    for (let frame = outbox.next(); frame !== undefined; frame = outbox.next()) frames.push(frame);
    if (outbox.queuedBytes > 0) return; // the window is shut; its own test says more
    const all = Buffer.concat(frames);
    for (let at = 0; at < all.length;) {
      const end = at + 1 + randomSource.roll(randomSource.chance(50) ? 10 : 50_000);
      reader.push(all.subarray(at, end));
      at = end;
    }
    for (const lane of [0, 1, 2, 3]) {
      const expected = put
        .filter((one) => one.lane === lane)
        .map(({ kind, bytes }) => [kind.name, bytes.length, bytes[0]]);
      const found = received.filter(({ form, bytes }) => chooseLane(form, bytes.length) === lane);
      assert.deepEqual(
        found.map(({ form, bytes }) => [form.name, bytes.length, bytes[0]]),
        expected,
      );
    }
    assert.equal(budget.held, 0);
  });
  fc.assert(property, { numRuns: 200 });
});

test('any bytes are messages, skipped, or refused by name; nothing else is thrown, and what is held stays within the budget', () => {
  const frame = fc
    .record({
      kind: fc.integer({ min: 0, max: 30 }),
      lane: fc.constantFrom(0, 1, 2, 3, 4, 0x80, 0x81, 0x82, 0x83, 0xff),
      length: fc.oneof(fc.nat(64), fc.nat(MOST_PAYLOAD_BYTES + 10), fc.constant(0xffff_ffff)),
      payload: fc.uint8Array({ maxLength: 8000 }),
    })
    .map(({ kind, lane, length, payload }) => {
      const header = Buffer.alloc(HEADER_BYTES);
      header.writeUInt32LE(length, 0);
      header[4] = kind;
      header[5] = lane;
      return Buffer.concat([header, payload]);
    });
  const property = fc.property(fc.array(fc.oneof(frame, fc.uint8Array()), { maxLength: 20 }), (pieces) => {
    const budget = new ByteBudget(16 * 1024);
    const reader = new MessageReader(messageKinds, budget, {
      isWanted: () => true,
      take: () => undefined,
      frame: () => undefined,
    });
    try {
      for (const piece of pieces) {
        reader.push(piece);
        assert(budget.held <= 16 * 1024 && budget.held >= 0);
      }
    } catch (error) {
      assert(error instanceof Refusal);
    }
    reader.close();
    assert.equal(budget.held, 0);
  });
  fc.assert(property, { numRuns: 1000 });
});

test('frames out of form are refused, each by its name', () => {
  const [ping, range, status] = [3, 17, 1];
  const long = new Uint8Array(MOST_PAYLOAD_BYTES + 1);
  const part = new Uint8Array(LEAST_CONTINUED_BYTES);
  assert.equal(readRefusal(encodeFrame(range, 3, long, false)), 'frame_too_long');
  assert.equal(readRefusal(Buffer.from([1, 0, 0, 0, ping, 4])), 'unknown_lane');
  assert.equal(readRefusal(encodeFrame(ping, 3, new Uint8Array(8), false)), 'wrong_lane');
  assert.equal(readRefusal(encodeFrame(range, 3, part.subarray(1), true)), 'frame_too_short');
  assert.equal(readRefusal(encodeFrame(range, 3, part, true), encodeFrame(26, 3, part, true)), 'mixed_messages');
  assert.equal(readRefusal(encodeFrame(ping, 0, new Uint8Array(9), false)), 'message_too_long');
  assert.equal(readRefusal(encodeFrame(status, 0, part, true)), 'message_too_long');
  // Of an unknown kind nothing is known, so nothing can be wrong with it.
  assert.equal(readRefusal(encodeFrame(200, 3, part, true), encodeFrame(200, 3, part, false)), undefined);
});

test('a message that goes on for ever is refused at the limit of its kind', () => {
  const payload = new Uint8Array(MOST_PAYLOAD_BYTES);
  const { reader, budget } = reading(64 * 1024 * 1024);
  const number = messageNumber(block);
  let pieces = 0;
  assert.throws(
    () => {
      for (; pieces < 2000; pieces++) reader.push(encodeFrame(number, 3, payload, true));
    },
    (error) => error instanceof Refusal && error.code === 'message_too_long',
  );
  assert.equal(pieces, 768);
  reader.close();
  assert.equal(budget.held, 0);
});

test('a message whose last frame is empty has the bytes of the frames before', () => {
  const { reader, messages, budget } = reading();
  reader.push(encodeFrame(messageNumber(block), 3, new Uint8Array(LEAST_CONTINUED_BYTES).fill(7), true));
  reader.push(encodeFrame(messageNumber(block), 3, new Uint8Array(0), false));
  assert.deepEqual(
    messages.map(({ bytes }) => bytes),
    [new Uint8Array(LEAST_CONTINUED_BYTES).fill(7)],
  );
  assert.equal(budget.held, 0);
});

test('memory grows with what has come, not with what was announced', () => {
  const { reader, budget } = reading();
  const header = encodeFrame(messageNumber(block), 3, new Uint8Array(MOST_PAYLOAD_BYTES), true).subarray(
    0,
    HEADER_BYTES + 1,
  );
  reader.push(header);
  assert(budget.held <= 4096);
});

test('a message for which there is no room, or that nobody asked for, is skipped, and the next one is read', () => {
  const part = new Uint8Array(LEAST_CONTINUED_BYTES);
  const pong = encodeFrame(4, 0, new Uint8Array(8), false);
  for (const { reader, budget, messages } of [reading(1024), reading(1024 * 1024, ({ name }) => name !== 'range')]) {
    for (const isContinued of [true, true, false]) reader.push(encodeFrame(17, 3, part, isContinued));
    reader.push(pong);
    assert.deepEqual(
      messages.map(({ form }) => form.name),
      ['pong'],
    );
    assert.equal(budget.held, 0);
  }
});
