import { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { VerifierPool } from './broadcasts.ts';
import type { VerifierSettings } from './messages.ts';
import type { VerifierReport } from './verifier.ts';

/** Batches under way for each thread: one that is worked on, one that waits so that the thread need not. */
const BATCHES_PER_THREAD = 2;

/** A pool of verifier threads, and how to end it. */
export interface RunningVerifierPool extends VerifierPool {
  close(): Promise<void>;
}

/** Starts verifiers; each hands over a line to itself, which `onLine` gives to the writer. */
export function startVerifierPool(settings: VerifierSettings, threads: number, onLine: (port: MessagePort) => void): RunningVerifierPool {
  const pool = new Piscina<Uint8Array, VerifierReport>({
    filename: new URL('./verifier.js', import.meta.url).href,
    name: 'verify',
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Infinity,
    workerData: settings,
  });
  pool.on('message', (message: unknown) => {
    if (message instanceof MessagePort) onLine(message);
  });
  return {
    capacity: threads * BATCHES_PER_THREAD,
    // The batch has a buffer of its own, which moves to the verifier instead of being copied.
    verify: (batch) => pool.run(batch, { transferList: [batch.buffer] }),
    close: () => pool.close({ force: true }),
  };
}
