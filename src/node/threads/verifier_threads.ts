import { availableParallelism } from 'node:os';

/** One thread fewer than there are cores, to leave a core to the writer; at least one. */
export function defaultVerifierThreads(): number {
  return Math.max(1, availableParallelism() - 1);
}
