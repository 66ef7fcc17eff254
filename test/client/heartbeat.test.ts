import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Heartbeat } from '../../src/client/heartbeat.ts';
import { HandClock } from '../builders/hand_clock.ts';

const INTERVAL_MS = 3000;
const STEP_MS = 100;

/**
 * A page, and a node that answers at once until it is gone; then a call fails late, as one that is sent again and
 * again.
 */
async function silentAfterMs(
  goneMs: number,
  failsMs: number,
): Promise<{ silentMs: number | undefined; asked: number }> {
  const clock = new HandClock(0);
  const seen: { silentMs: number | undefined; asked: number } = { silentMs: undefined, asked: 0 };
  const heartbeat = new Heartbeat({
    ask: async () => {
      seen.asked++;
      if (clock.nowMs() < goneMs) return;
      await new Promise<void>((_, reject) => clock.after(failsMs, () => reject(new Error('gone'))));
    },
    silent: () => (seen.silentMs ??= clock.nowMs()),
    intervalMs: () => INTERVAL_MS,
    after: (ms, run) => void clock.after(ms, run),
  });
  heartbeat.beat();
  for (let ms = 0; ms < goneMs + 10 * INTERVAL_MS; ms += STEP_MS) {
    await new Promise(setImmediate);
    clock.pass(STEP_MS);
  }
  return seen;
}

test('a node that is gone is found out within two block intervals, however late its calls fail', async () => {
  for (const goneMs of [1, 2900, 3001, 8900, 9001, 30_001])
    for (const failsMs of [1, 1000, 60_000]) {
      const { silentMs = Infinity } = await silentAfterMs(goneMs, failsMs);
      assert.ok(
        silentMs > goneMs && silentMs <= goneMs + 2 * INTERVAL_MS,
        `gone at ${goneMs}, found out at ${silentMs}`,
      );
    }
});

test('a node is asked once in an interval, and not again while a call is under way', async () => {
  const goneMs = 20 * INTERVAL_MS - 1;
  const { asked, silentMs } = await silentAfterMs(goneMs, 600_000);
  assert.ok(silentMs !== undefined && silentMs > goneMs, `${silentMs}`);
  // Twenty were answered, one never was.
  assert.equal(asked, 21);
});

test('a block that comes is a sign of life too', () => {
  const clock = new HandClock(0);
  let silences = 0;
  const heartbeat = new Heartbeat({
    ask: () => new Promise(() => undefined),
    silent: () => silences++,
    intervalMs: () => INTERVAL_MS,
    after: (ms, run) => void clock.after(ms, run),
  });
  heartbeat.beat();
  for (let block = 0; block < 5; block++) {
    heartbeat.heard();
    clock.pass(INTERVAL_MS);
  }
  assert.equal(silences, 0);
  clock.pass(INTERVAL_MS);
  assert.equal(silences, 1);
});
