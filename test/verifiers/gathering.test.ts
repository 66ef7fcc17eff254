import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gathering } from '../../src/verifiers/gathering.ts';
import { HandClock } from '../builders/hand_clock.ts';

/**
 * Callers who each send again so long after their answer; the node needs so long for a batch. What came of it within a
 * second.
 */
function played({ callers, thinkMs, workMs }: { callers: number; thinkMs: number; workMs: number }): {
  batches: number[];
  longestWaitMs: number;
} {
  const clock = new HandClock(1_700_000_000_000);
  const gathering = new Gathering(clock);
  const dueMs = Array.from({ length: callers }, (_, caller) => (caller * thinkMs) / callers);
  const inWork: { number: number; length: number; untilMs: number; callers: number[] }[] = [];
  const batches: number[] = [];
  let waiting: { caller: number; sinceMs: number }[] = [];
  let longestWaitMs = 0;
  for (let nowMs = 0; nowMs < 1000; nowMs++) {
    for (const done of inWork.filter(({ untilMs }) => untilMs === nowMs)) {
      for (const caller of done.callers) {
        gathering.decide(done.number);
        dueMs[caller] = nowMs + thinkMs;
      }
    }
    for (const [caller, due] of dueMs.entries()) {
      if (Math.ceil(due) !== nowMs) continue;
      waiting.push({ caller, sinceMs: nowMs });
      gathering.arrive(waiting.length);
    }
    if (waiting.length > 0 && gathering.msLeft(waiting.length) <= 0) {
      const number = batches.push(waiting.length);
      gathering.leave(number, waiting.length);
      inWork.push({
        number,
        length: waiting.length,
        untilMs: nowMs + workMs,
        callers: waiting.map(({ caller }) => caller),
      });
      longestWaitMs = Math.max(longestWaitMs, ...waiting.map(({ sinceMs }) => nowMs - sinceMs));
      waiting = [];
    }
    clock.pass(1);
  }
  return { batches, longestWaitMs };
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const sizeInTheEnd = ({ batches }: { batches: readonly number[] }): number => mean(batches.slice(batches.length >> 1));

test('a single caller never waits for others, however soon it sends again', () => {
  for (const thinkMs of [1, 2, 5, 20, 50]) {
    const { batches, longestWaitMs } = played({ callers: 1, thinkMs, workMs: 2 });
    assert.deepEqual([new Set(batches), longestWaitMs], [new Set([1]), 0]);
  }
});

test('quick callers travel together', () => {
  assert.ok(sizeInTheEnd(played({ callers: 24, thinkMs: 1, workMs: 2 })) >= 18);
});

test('callers that take longer than the node travel together as far as they send within the time that one may wait', () => {
  const slow = played({ callers: 24, thinkMs: 12, workMs: 2 });
  assert.ok(sizeInTheEnd(slow) >= 10, `${sizeInTheEnd(slow)}`);
  assert.ok(slow.longestWaitMs <= 10);
});

test('callers that send seldom hardly wait', () => {
  const { batches, longestWaitMs } = played({ callers: 3, thinkMs: 40, workMs: 2 });
  assert.ok(mean(batches) < 2);
  assert.ok(longestWaitMs <= 10);
});

test('nobody waits longer than ten milliseconds, also when all others have gone', () => {
  const clock = new HandClock(1_700_000_000_000);
  const gathering = new Gathering(clock);
  for (let length = 1; length <= 64; length++) gathering.arrive(length);
  gathering.leave(1, 64);
  clock.pass(3);
  gathering.arrive(1);
  assert.equal(gathering.msLeft(1), 10);
  clock.pass(10);
  assert.ok(gathering.msLeft(1) <= 0);
});
