import { setTimeout as sleep } from 'node:timers/promises';
import type { Backlog } from './backlog.ts';
import type { HeadWatch } from './head_watch.ts';

/** What is in no block although nothing has come into one for so long, or into so many of them, won't be. */
const PATIENCE_MS = 20_000;
const LEAST_PATIENCE_MS = 3000;
const BLOCKS_OF_PATIENCE = 10;
/** Longer than any chain takes to make a block irreversible whose witnesses are there. */
const IRREVERSIBLE_MS = 300_000;
const LOOK_MS = 50;

/** Waits until what was acknowledged last is in blocks, as long as there is hope and somebody wants to wait; whether it is. */
export async function untilIncluded(backlog: Backlog, watch: HeadWatch, isWanted: () => boolean): Promise<boolean> {
  let [waiting, block, seen, sinceMs] = [Infinity, watch.head.number, '', performance.now()];
  for (; isWanted(); await sleep(LOOK_MS)) {
    const { id, number } = watch.head;
    if (id !== seen) {
      // A node that can't be asked is asked at its next block.
      await backlog.look().catch(() => undefined);
      if ((await backlog.lookAtLast().catch(() => undefined)) === 0) return true;
      if (backlog.waiting < waiting) [waiting, block, sinceMs] = [backlog.waiting, number, performance.now()];
      seen = id;
    }
    const passedMs = performance.now() - sinceMs;
    if (passedMs > PATIENCE_MS || (passedMs > LEAST_PATIENCE_MS && number > block + BLOCKS_OF_PATIENCE)) return false;
  }
  return false;
}

/** Waits until the present head can't be undone any more. */
export async function untilIrreversible(watch: HeadWatch, isWanted: () => boolean): Promise<void> {
  const { number } = watch.head;
  const endMs = performance.now() + IRREVERSIBLE_MS;
  while (watch.head.irreversible < number && isWanted() && performance.now() < endMs) await sleep(LOOK_MS);
}
