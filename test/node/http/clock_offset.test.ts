import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ClockOffset } from '../../../src/node/http/clock_offset.ts';
import { ClockJumps } from '../../../src/production/clock_jumps.ts';
import { MovableClock } from '../../../src/production/movable_clock.ts';
import { HandClock } from '../../builders/hand_clock.ts';

const START_MS = 1_800_000_000_000;

/** A node whose clock is ahead by so much, and that takes a block each three seconds, as somebody makes them. */
class Node {
  readonly clock: HandClock;
  readonly said: string[] = [];
  readonly offset: ClockOffset;
  headTime = START_MS / 1000;
  #number = 0;

  constructor(aheadMs: number) {
    this.clock = new HandClock(START_MS + aheadMs);
    this.offset = new ClockOffset({
      clock: this.clock,
      headTime: () => this.headTime,
      ownWitnesses: new Set(['me']),
      warn: (sentence) => this.said.push(sentence),
    });
  }

  blocks(count: number, witness = 'other', everyMs = 3000): void {
    for (let block = 0; block < count; block++) {
      this.clock.pass(everyMs);
      this.headTime += 3;
      const { headTime: time } = this;
      const number = ++this.#number;
      const applied = [{ number, id: '', previous: '', time, witness, transactionIds: new Uint8Array() }];
      this.offset.takeUpdate({ kind: 'update', undone: [], applied, head: { number, id: '', time, irreversible: 0 } });
    }
  }
}

test('a clock that is right within a second is no reason for anything', () => {
  for (const aheadMs of [-900, 0, 400, 2000]) {
    const node = new Node(aheadMs);
    node.blocks(100);
    assert.deepEqual([node.offset.seconds, node.said], [0, []]);
  }
});

test('a clock that is behind or ahead of the times of blocks is said once, with how much', () => {
  for (const [aheadMs, seconds, text] of [
    [-30_000, -30, /30 seconds behind the times of blocks/],
    [30_000, 30, /30 seconds ahead of the times of blocks/],
    [3_600_000, 3600, /3600 seconds ahead/],
  ] as const) {
    const node = new Node(aheadMs);
    node.blocks(50);
    assert.equal(node.offset.seconds, seconds);
    assert.equal(node.said.length, 1);
    assert.match(node.said[0] ?? '', text);
    node.clock.set(-aheadMs);
    node.blocks(50);
    assert.equal(node.offset.seconds, 0);
    node.clock.set(aheadMs);
    node.blocks(50);
    assert.equal(node.said.length, 2, 'wrong again');
  }
});

test('a node that catches up, and one whose own blocks are the only ones, has no wrong clock', () => {
  const behind = new Node(86_400_000);
  behind.blocks(1000, 'other', 20);
  assert.deepEqual([behind.offset.seconds, behind.said], [0, []]);
  const alone = new Node(86_400_000);
  alone.blocks(100, 'me');
  assert.equal(alone.offset.seconds, 0);
});

test('a clock that is set back behind the head is noticed although no block comes', () => {
  const node = new Node(0);
  node.blocks(10);
  node.clock.set(-60_000);
  node.clock.pass(20_000);
  assert.equal(node.said.length, 1);
  assert.equal(node.offset.seconds, -40);
  node.offset.stop();
});

test('a clock that goes back by more than a second is said once for each time', () => {
  const clock = new HandClock(START_MS);
  const said: string[] = [];
  const jumps = new ClockJumps(clock, (sentence) => said.push(sentence));
  for (const byMs of [0, -500, -3_600_000, 0, 7_200_000, -2000]) {
    clock.set(byMs);
    for (let look = 0; look < 5; look++) {
      clock.pass(100);
      jumps.look();
    }
  }
  assert.deepEqual(
    said.map((line) => /back by (\d+) seconds/.exec(line)?.[1]),
    ['3600', '2'],
  );
});

test('the time of a chain that owns it goes on when the clock behind it is set back, and can be set by whoever owns it', () => {
  const clock = new HandClock(START_MS);
  const own = new MovableClock(clock, true);
  const plain = new MovableClock(clock, false);
  clock.pass(1000);
  own.nowMs();
  clock.set(-3_600_000);
  clock.pass(500);
  assert.ok(own.nowMs() >= START_MS + 1000);
  assert.equal(plain.nowMs(), START_MS + 1500 - 3_600_000);
  own.set(START_MS - 5000);
  clock.pass(1000);
  assert.equal(own.nowMs(), START_MS - 4000);
});
