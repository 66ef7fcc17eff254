import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { BlockServer } from '../../../src/p2p/blocks/block_server.ts';
import type { BlockParts } from '../../../src/p2p/environment/chain_access.ts';
import { HEADER_BYTES, MORE_FOLLOWS } from '../../../src/wire/link/frame.ts';
import type { MessageForm, MessageKind } from '../../../src/wire/message_kind.ts';
import { alive } from '../../../src/wire/messages/alive.ts';
import { ancestorRequest } from '../../../src/wire/messages/ancestor_request.ts';
import { block } from '../../../src/wire/messages/block.ts';
import { blockRequest, WHOLE } from '../../../src/wire/messages/block_request.ts';
import { consumed } from '../../../src/wire/messages/consumed.ts';
import { messageKinds } from '../../../src/wire/messages/index.ts';
import { missing, missingHead, missingPart } from '../../../src/wire/messages/missing.ts';
import { ping } from '../../../src/wire/messages/ping.ts';
import { range, rangeHead, rangePart, rangeTail } from '../../../src/wire/messages/range.ts';
import { rangeRequest } from '../../../src/wire/messages/range_request.ts';
import { usualWorkLimits } from '../../../src/p2p/peers/network_settings.ts';
import { RangeServer } from '../../../src/p2p/sync/range_server.ts';
import { TransactionPool } from '../../../src/p2p/transactions/transaction_pool.ts';
import { ZERO_HASH160 } from '../../../src/values/hash.ts';
import { makeNodeId } from '../../builders/pipes.ts';
import { madeUpId } from '../../builders/still_chain.ts';
import { House } from '../house.ts';

const MIB = 1024 * 1024;
/** The longest turn, and the work under way at its end. */
const [TURN_MS, LAST_STEP_MS] = [5, 1];
const HEAD = 1000;

/** A node whose blocks take time to read: each part of any block so long. */
class Serving extends House {
  readonly answered: string[] = [];
  /** The times during which the thread was busy with answers. */
  readonly busyMs: number[] = [];
  /** Called when a part of a block is read. */
  whileReading: () => void = () => undefined;
  parts = 1;
  partBytes = 100;
  partMs = 0.02;

  constructor() {
    super();
    this.clock.goesOn = true;
    this.environment.view.readParts = (number) => (number > this.chain.head.number ? undefined : this.#block());
    new RangeServer(this.environment, this.turns, 64 * MIB);
    new BlockServer({
      environment: this.environment,
      turns: this.turns,
      pool: new TransactionPool(MIB, this.environment.randomSource),
    });
    const { after } = this.clock;
    this.clock.after = (delayMs, run) =>
      after.call(this.clock, delayMs, () => {
        const startMs = this.clock.elapsedMs();
        run();
        this.busyMs.push(this.clock.elapsedMs() - startMs);
      });
  }

  #block(): BlockParts {
    return {
      count: this.parts,
      part: () => {
        this.clock.stall(this.partMs);
        this.whileReading();
        return new Uint8Array(this.partBytes);
      },
    };
  }

  asks(name: string, count = 1000): void {
    this.says(name, rangeRequest, { number: 1, from: 1, before: ZERO_HASH160, count, bytes: 4 * MIB });
  }

  /**
   * The kinds of whole messages that somebody was sent since this was last asked; takes what waits at the pace of the
   * window.
   */
  takes(name: string): string[] {
    const pipe = present(this.pipes.get(makeNodeId(name)), name);
    const kinds: string[] = [];
    for (let bytes = Buffer.from(pipe.take()); bytes.length > 0; bytes = Buffer.from(pipe.take())) {
      for (let at = 0; at < bytes.length; at += HEADER_BYTES + bytes.readUInt32LE(at)) {
        const [kind = 0, flags = 0] = bytes.subarray(at + 4, at + 6);
        if ((flags & ~MORE_FOLLOWS) >= 2)
          this.#paced.set(name, (this.#paced.get(name) ?? 0) + HEADER_BYTES + bytes.readUInt32LE(at));
        if ((flags & MORE_FOLLOWS) === 0) kinds.push(present(messageKinds[kind], 'a kind').name);
      }
      this.says(name, consumed, { bytes: BigInt(this.#paced.get(name) ?? 0) });
    }
    return kinds;
  }

  readonly #paced = new Map<string, number>();
}

test('a ping and a vote that come while a range is built are dealt with before it goes on', () => {
  const house = new Serving();
  house.comes('asker', '77.1.1.1');
  house.comes('honest', '77.2.2.2');
  house.clock.pass(1000);
  house.takes('honest');
  const seen: string[] = [];
  house.router.on(alive, () => seen.push('vote'));
  house.turns.on(ancestorRequest, () => ({
    build: () => {
      seen.push('question');
      return true;
    },
  }));
  house.asks('asker');
  house.says('honest', ancestorRequest, { ids: [madeUpId(1)] });
  house.says('honest', ping, { number: 7n });
  assert.deepEqual(house.takes('honest'), ['pong'], 'it is answered as it comes');
  house.says('honest', alive, {
    ...{ witness: 'initminer', key: '02'.repeat(33), slot: 1 },
    ...{ head: madeUpId(HEAD), signature: '00'.repeat(65) },
  });
  assert.deepEqual(seen, ['vote']);
  house.clock.pass(1000);
  assert.deepEqual(seen, ['vote', 'question']);
});

test('a block that somebody asks for goes before the ranges that wait, of whoever asks for it', () => {
  const house = new Serving();
  for (let index = 0; index < 8; index++) house.comes(`asker ${index}`, `77.1.${index}.1`);
  house.comes('honest', '77.2.2.2');
  house.clock.pass(1000);
  house.takes('honest');
  const order: string[] = [];
  house.whileReading = () => order.push('range');
  for (let index = 0; index < 8; index++) house.asks(`asker ${index}`, 500);
  // One turn of five milliseconds is over, and the ranges are not.
  house.clock.pass(4);
  assert.ok(order.length > 0 && order.length < 8 * 500, `${order.length} blocks are read`);
  const begun = order.length;
  house.says('honest', blockRequest, { id: madeUpId(HEAD), form: WHOLE });
  house.clock.pass(TURN_MS);
  assert.deepEqual(house.takes('honest'), ['block']);
  assert.ok(order.length - begun < 2 * (TURN_MS / house.partMs), 'after one turn of the others at most');
});

test('groups of addresses take turns: one that asks for much does not keep another waiting', () => {
  const house = new Serving();
  for (let index = 0; index < 6; index++) house.comes(`many ${index}`, `77.1.1.${index + 1}`);
  house.comes('one', '77.2.2.2');
  house.clock.pass(1000);
  house.takes('one');
  for (let index = 0; index < 6; index++) house.asks(`many ${index}`);
  house.clock.pass(2);
  house.asks('one', 20);
  house.clock.pass(3 * TURN_MS);
  assert.deepEqual(house.takes('one'), ['range']);
});

test('who asks beside others pays for each answer, also when finding its turn has taken the last of its credit', () => {
  const house = new Serving();
  const names = Array.from({ length: 6 }, (_, index) => `asker ${index}`);
  for (const [index, name] of names.entries()) house.comes(name, `77.1.${index}.1`);
  house.clock.pass(1000);
  const spent = (): number => Object.values(house.connections.counts.work).reduce((sum, ms) => sum + ms, 0);
  const [before, seconds] = [spent(), 20];
  for (let step = 0; step < seconds * 10; step++) {
    for (const name of names) {
      house.asks(name, 200);
      house.takes(name);
    }
    house.clock.pass(100);
  }
  const [most, each] = [
    usualWorkLimits.answering.ofAll + usualWorkLimits.receiving.ofAll,
    (spent() - before) / seconds,
  ];
  assert.ok(each < most, `${each} ms a second are spent, ${most} are allowed`);
});

for (const [name, kind, ask] of [
  ['by its id', block, (house: Serving) => house.says('asker', blockRequest, { id: madeUpId(HEAD), form: WHOLE })],
  ['in a range', range, (house: Serving) => house.asks('asker', 1)],
] as const satisfies readonly (readonly [string, MessageForm, (house: Serving) => void])[])
  test(`a block of 48 MiB that is asked for ${name} is read and put together in slices of five milliseconds`, () => {
    const house = new Serving();
    [house.parts, house.partBytes, house.partMs] = [48 * 16, 64 * 1024, 0.2];
    house.comes('asker', '77.1.1.1');
    house.clock.pass(1000);
    house.takes('asker');
    house.busyMs.length = 0;
    ask(house);
    const got: string[] = [];
    for (let second = 0; second < 60 && !got.includes(kind.name); second++) {
      house.clock.pass(1000);
      got.push(...house.takes('asker'));
    }
    assert.ok(got.includes(kind.name), 'it comes');
    const longest = Math.max(...house.busyMs);
    assert.ok(longest <= TURN_MS + LAST_STEP_MS, `the thread was busy for ${longest} ms at once`);
  });

test('a block that is undone while it is read is not there, and what was read before it is given', () => {
  const house = new Serving();
  house.comes('asker', '77.1.1.1');
  house.clock.pass(1000);
  house.takes('asker');
  house.environment.view.readParts = (number) => ({
    count: number === 3 ? 2 : 1,
    part: (index) => (index === 1 ? undefined : new Uint8Array(10)),
  });
  house.asks('asker', 10);
  house.says('asker', blockRequest, { id: madeUpId(HEAD), form: WHOLE });
  house.clock.pass(1000);
  assert.deepEqual(house.takes('asker'), ['block', 'range']);
  house.environment.view.readParts = () => ({
    count: 2,
    part: (index) => (index === 1 ? undefined : new Uint8Array(10)),
  });
  house.says('asker', blockRequest, { id: madeUpId(HEAD - 1), form: WHOLE });
  house.clock.pass(1000);
  assert.deepEqual(house.takes('asker'), ['unavailable']);
});

test('messages that are written in pieces have the bytes of those that are written at once', () => {
  const sizes = [0, 1, 4095, 4096, 5000, 70_000];
  const blocks = sizes.map((size, index) => new Uint8Array(size).fill(index + 1));
  const said = { number: 7, blocks, end: 1, retry_ms: 0 };
  const written = [...rangeHead(7, blocks.length), ...blocks.flatMap((one) => [...rangePart(one)]), ...rangeTail(1, 0)];
  assert.deepEqual(Buffer.concat(written), Buffer.from(range.encode(said)));
  const value = { id: madeUpId(5), transactions: blocks };
  const parts = [
    ...missingHead(value.id, blocks.length),
    ...missingPart(blocks.slice(0, 2)),
    ...missingPart(blocks.slice(2)),
  ];
  assert.deepEqual(Buffer.concat(parts), Buffer.from(missing.encode(value)));
  const decoded: { readonly transactions: readonly Uint8Array[] } = decodeMessage(missing, Buffer.concat(parts));
  assert.deepEqual(
    decoded.transactions.map(({ length }) => length),
    sizes,
  );
});

function decodeMessage<T>(kind: MessageKind<T>, bytes: Uint8Array): T {
  return kind.decode(bytes);
}
