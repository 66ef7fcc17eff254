import { availableParallelism } from 'node:os';

/** One thread less than the cores, which is left to the writer, and at least one. */
export function defaultVerifierThreads(): number {
  return Math.max(1, availableParallelism() - 1);
}
