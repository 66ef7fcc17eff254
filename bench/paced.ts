import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns the milliseconds of each call, ascending; calls go one after the other, and none is late because of the one
 * before.
 */
export async function paced(
  endMs: number,
  everyMs: number,
  ask: (number: number) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (let dueMs = performance.now(); dueMs < endMs; dueMs += everyMs) {
    await sleep(Math.max(0, dueMs - performance.now()));
    const startedMs = performance.now();
    await ask(times.length);
    times.push(performance.now() - startedMs);
    dueMs = Math.max(dueMs, startedMs);
  }
  return times.sort((a, b) => a - b);
}
