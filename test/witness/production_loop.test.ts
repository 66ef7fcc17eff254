import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { signWithSecret } from '../../src/blocks/sign_transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { ProductionLoop } from '../../src/witness/production_loop.ts';
import { testSecret } from '../builders/chain.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { chainOfTwoWitnesses, makeProducer } from '../builders/witness_round.ts';

const both = ['alice', 'initminer'];

interface Run {
  readonly chain: Chain;
  readonly clock: HandClock;
  readonly loop: ProductionLoop;
  /** By the clock, when a block was made. */
  readonly madeAtMs: number[];
  readonly passed: string[];
}

/** Timers fire a little early, and time passes between two readings. */
class RealisticClock extends HandClock {
  readonly #earlyMs: number;

  constructor(nowMs: number, earlyMs: number) {
    super(nowMs);
    this.#earlyMs = earlyMs;
  }

  override nowMs(): number {
    const nowMs = super.nowMs();
    this.stall(1);
    return nowMs;
  }

  override after(delayMs: number, run: () => void): () => void {
    return super.after(Math.max(0, delayMs - this.#earlyMs), run);
  }
}

/** A loop on a chain whose next slot begins `aheadMs` from now. */
function running(
  witnesses: readonly string[],
  options: { aheadMs?: number; allowStale?: boolean; everyMs?: number | undefined; earlyMs?: number } = {},
): Run {
  const chain = chainOfTwoWitnesses();
  const { aheadMs = 3000, allowStale = true, everyMs, earlyMs } = options;
  const startMs = chain.slotTime(1) * 1000 - aheadMs;
  const clock = earlyMs === undefined ? new HandClock(startMs) : new RealisticClock(startMs, earlyMs);
  const madeAtMs: number[] = [];
  const passed: string[] = [];
  const loop = new ProductionLoop({
    clock,
    chain,
    producer: makeProducer(witnesses),
    allowStale,
    everyMs,
    heldBack: () => undefined,
    areEnoughAlive: () => false,
    produce({ timestamp, witness }) {
      chain.seal({
        timestamp,
        witness,
        sign: (digest) => present(signWithSecret(digest, testSecret(witness)), 'a signature'),
      });
      madeAtMs.push(clock.nowMs());
    },
    passed: (reason) => passed.push(reason),
    looked: () => undefined,
    woke: () => undefined,
  });
  loop.start();
  return { chain, clock, loop, madeAtMs, passed };
}

test('with all witnesses of the round every slot gets its block, when it begins', () => {
  const { chain, clock, madeAtMs } = running(both);
  const first = chain.slotTime(1) * 1000;
  clock.pass(12_500);
  assert.deepEqual(madeAtMs, [first, first + 3000, first + 6000, first + 9000]);
});

for (const earlyMs of [1, 2, 3, 4, 5, 8]) {
  test(`every slot gets its block when timers fire ${earlyMs} ms early and the clock goes on between two readings`, () => {
    const { chain, clock, madeAtMs, passed } = running(both, { earlyMs });
    const first = chain.slotTime(1) * 1000;
    clock.pass(60_000);
    const slots = new Set(madeAtMs.map((atMs) => Math.trunc((atMs - first) / 3000)));
    assert.deepEqual(
      [...slots],
      Array.from(slots, (_, index) => index),
    );
    assert.ok(slots.size >= 18 && !passed.includes('lag'), `${slots.size} blocks; ${String(passed)}`);
  });
}

test('slots of others pass without a block', () => {
  const { clock, madeAtMs, passed } = running(['alice']);
  clock.pass(30_000);
  assert.ok(madeAtMs.length >= 4 && madeAtMs.length <= 6, String(madeAtMs));
  assert.ok(passed.includes('not_my_turn'));
});

test('after a stop no block is made any more', () => {
  const { clock, loop, madeAtMs } = running(both);
  clock.pass(4000);
  loop.stop();
  clock.pass(30_000);
  assert.equal(madeAtMs.length, 1);
});

test('on an old head nothing is produced, unless that is allowed', () => {
  const DAY_MS = 86_400_000;
  const behind = running(both, { aheadMs: -DAY_MS, allowStale: false });
  behind.clock.pass(30_000);
  assert.deepEqual([behind.madeAtMs.length, new Set(behind.passed)], [0, new Set(['not_synced'])]);
  const allowed = running(both, { aheadMs: -DAY_MS });
  allowed.clock.pass(30_000);
  assert.ok(allowed.madeAtMs.length >= 9, String(allowed.madeAtMs.length));
});

test('a chain in a hurry gets a block at its own pace, and its time runs ahead by a slot a block', () => {
  const { chain, clock, madeAtMs } = running(both, { everyMs: 250 });
  const { number, time } = chain.head;
  clock.pass(5000);
  assert.equal(madeAtMs.length, 20);
  assert.deepEqual([chain.head.number - number, chain.head.time - time], [20, 60]);
});

test('a chain in a hurry does not wait for witnesses whom nobody produces for: the time of their slots passes at once', () => {
  const { chain, clock, madeAtMs } = running(['initminer'], { everyMs: 250 });
  const { time } = chain.head;
  clock.pass(5000);
  assert.equal(madeAtMs.length, 20);
  // Every other slot is alice's, where the shuffle does not put two of them side by side.
  const slots = (chain.head.time - time) / 3;
  assert.ok(slots >= 39 && slots <= 60, String(slots));
});

test('a chain in a hurry that stood still goes on at its pace, without a burst', () => {
  const { clock, madeAtMs } = running(both, { everyMs: 250 });
  clock.pass(1000);
  const before = madeAtMs.length;
  clock.stall(60_000);
  clock.pass(1000);
  // One late and one at once, then four a second.
  assert.equal(madeAtMs.length - before, 6);
});

for (const everyMs of [undefined, 250, 3000, 900_000_000]) {
  test(`with ${everyMs ?? 'no'} ms between blocks, no timer is longer than a minute, whatever the clock does`, () => {
    const { clock } = running(both, { everyMs, aheadMs: 86_400_000 * 365 });
    for (const byMs of [0, 1e12, -1e12, 86_400_000, -86_400_000, 5]) {
      clock.set(byMs);
      assert.ok(clock.longestMs <= 60_000, String(clock.longestMs));
      clock.pass(70_000);
      assert.ok(clock.longestMs <= 60_000, String(clock.longestMs));
    }
  });
}

test('a chain in a hurry waits one interval more at most when its clock goes back, and makes no burst when it goes ahead', () => {
  for (const byMs of [-86_400_000, -1000, 1000, 86_400_000, -(2 ** 33), 2 ** 33]) {
    const { clock, madeAtMs } = running(both, { everyMs: 250 });
    clock.pass(1100);
    const before = madeAtMs.length;
    clock.set(byMs);
    clock.pass(250 + 2 * 250);
    assert.ok(madeAtMs.length - before >= 2, `${byMs}: ${madeAtMs.length - before} blocks in three intervals`);
    clock.pass(10_000);
    assert.ok(madeAtMs.length - before <= 45, `${byMs}: ${madeAtMs.length - before} blocks in 43 intervals`);
  }
});

test('an interval longer than any timer is kept: the block comes when it is due, and not before', () => {
  const MONTH_MS = 2_592_000_000;
  const { clock, madeAtMs } = running(both, { everyMs: MONTH_MS });
  clock.pass(MONTH_MS - 1000);
  assert.equal(madeAtMs.length, 0);
  clock.pass(1000);
  assert.equal(madeAtMs.length, 1);
});

test('slots follow a clock that goes ahead from its next slot on', () => {
  const { clock, madeAtMs } = running(both);
  clock.pass(7000);
  const before = madeAtMs.length;
  clock.set(3_600_000);
  clock.pass(9000);
  assert.ok(madeAtMs.length - before >= 2, String(madeAtMs.length - before));
});
