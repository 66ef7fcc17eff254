import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import type { ResourceLimits } from 'node:worker_threads';
import { MEBIBYTE } from '../base/bytes.ts';

/** The operator's bound for the memory of threads. */
export interface ThreadMemory {
  /** Mebibytes for the young generation of each busy thread; YOUNG_GENERATION_MIB when left out. */
  readonly youngGenerationMib?: number | undefined;
}

export const YOUNG_GENERATION_MIB = 48;

/**
 * V8 lets old values fill four times what lives before it collects them, and less than twice where a thread may have at
 * most this much (README.md), which is far from what it needs. V8's own limit is less on a small machine.
 */
const OLD_GENERATION_MIB = Math.min(1900, Math.trunc(getHeapStatistics().heap_size_limit / MEBIBYTE));

/**
 * Lets each thread that is started from now on have the young generation of its own limits. V8 would obey a flag such
 * as the units' `--max-semi-space-size` in all threads. The main thread keeps what it has.
 */
export function ignoreFlagInThreads(): void {
  setFlagsFromString('--max-semi-space-size=0');
}

/**
 * For threads that make many short-lived values, which fill whatever they get: 230 MiB less of the machine's memory
 * with 48 than with 192, for the same CPU time (bench/tried.md).
 */
export function busyThreadLimits({ youngGenerationMib = YOUNG_GENERATION_MIB }: ThreadMemory): ResourceLimits {
  return { maxYoungGenerationSizeMb: youngGenerationMib, maxOldGenerationSizeMb: OLD_GENERATION_MIB };
}

/**
 * For the network's thread, where strangers decide how many values are made: V8 returns the room for young values only
 * when the thread is idle, so it counts as what strangers can take. 24 of them: 110 MiB more with 192 MiB, 17 to 32
 * with 12, 6 to 18 with 6 (src/system/README.md).
 */
export const networkThreadLimits: ResourceLimits = { maxYoungGenerationSizeMb: 6 };

/** For the thread that writes snapshots: as much as it had under the units' flag. */
export const snapshotThreadLimits: ResourceLimits = { maxYoungGenerationSizeMb: 24 };
