import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

/** Far beyond what anything here takes on a busy machine: reaching it means that it never happens. */
const BOUND_MS = 60_000;
/**
 * From one look to the next: what comes at once is seen at once, and who waits for slots leaves the cores to others.
 */
const [FIRST_PAUSE_MS, LAST_PAUSE_MS] = [5, 40];

/** The first defined value that `probe` gives; fails when it never gives one, with `what` as it is then. */
export async function waitUntil<T>(
  what: string | (() => string),
  probe: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const endMs = performance.now() + BOUND_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)) {
    const value = await probe();
    if (value !== undefined) return value;
    if (performance.now() > endMs)
      assert.fail(`waited ${BOUND_MS} ms in vain for ${typeof what === 'string' ? what : what()}`);
    await pause(pauseMs);
  }
}

/** Waits for a promise, but not for ever. */
export async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  const abort = new AbortController();
  const late = pause(BOUND_MS, undefined, { signal: abort.signal }).then(() =>
    assert.fail(`waited ${BOUND_MS} ms in vain for ${what}`),
  );
  late.catch(() => {}); // aborted when the promise comes in time
  try {
    return await Promise.race([promise, late]);
  } finally {
    abort.abort();
  }
}
