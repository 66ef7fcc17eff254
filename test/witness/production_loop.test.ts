import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { signatureOf } from '../../src/blocks/sign_transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { ProductionLoop } from '../../src/witness/production_loop.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { chainOfTwoWitnesses, producerFor } from '../builders/witness_round.ts';

const both = ['alice', 'initminer'];

interface Run {
  readonly chain: Chain;
  readonly clock: HandClock;
  readonly loop: ProductionLoop;
  /** By the clock, when a block was made. */
  readonly madeAtMs: number[];
  readonly passed: string[];
}

/** A loop on a chain whose next slot begins `aheadMs` from now. */
function running(witnesses: readonly string[], options: { aheadMs?: number; allowStale?: boolean; everyMs?: number } = {}): Run {
  const chain = chainOfTwoWitnesses();
  const { aheadMs = 3000, allowStale = true, everyMs } = options;
  const clock = new HandClock(chain.slotTime(1) * 1000 - aheadMs);
  const madeAtMs: number[] = [];
  const passed: string[] = [];
  const loop = new ProductionLoop({
    clock,
    chain,
    producer: producerFor(witnesses),
    allowStale,
    everyMs,
    produce({ timestamp, witness, secret }) {
      chain.seal({ timestamp, witness, sign: (digest) => present(signatureOf(digest, secret), 'a signature') });
      madeAtMs.push(clock.nowMs());
    },
    passed: (reason) => passed.push(reason),
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
