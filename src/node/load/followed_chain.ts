import { setTimeout as sleep } from 'node:timers/promises';
import type { BlockWatch } from './block_watch.ts';
import type { Inclusion } from './inclusion.ts';

/** The chain of a node, and what of a load is in its blocks. */
export interface FollowedChain {
  readonly inclusion: Inclusion;
  readonly watch: BlockWatch;
}

/** What is in no block although nothing has come into one for so long, or into so many of them, won't be. */
const PATIENCE_MS = 20_000;
const LEAST_PATIENCE_MS = 3000;
const BLOCKS_OF_PATIENCE = 10;
/** Longer than any chain takes to make a block irreversible whose witnesses are there. */
const IRREVERSIBLE_MS = 300_000;
const LOOK_MS = 50;

/** Waits until everything that was acknowledged is in blocks, as long as there is hope and somebody wants to wait. */
export async function untilIncluded({ inclusion, watch }: FollowedChain, isWanted: () => boolean): Promise<void> {
  let [waiting, block, sinceMs] = [inclusion.waiting, watch.head.number, performance.now()];
  for (; waiting > 0 && isWanted(); await sleep(LOOK_MS)) {
    if (inclusion.waiting < waiting) [block, sinceMs] = [watch.head.number, performance.now()];
    ({ waiting } = inclusion);
    const passedMs = performance.now() - sinceMs;
    if (passedMs > PATIENCE_MS || (passedMs > LEAST_PATIENCE_MS && watch.head.number > block + BLOCKS_OF_PATIENCE)) return;
  }
}

/** Waits until the blocks of what was sent can't be undone any more. */
export async function untilIrreversible({ inclusion }: FollowedChain, isWanted: () => boolean): Promise<void> {
  const endMs = performance.now() + IRREVERSIBLE_MS;
  while (inclusion.reversible > 0 && isWanted() && performance.now() < endMs) await sleep(LOOK_MS);
}
