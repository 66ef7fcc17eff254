import { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { Port } from '../../base/port.ts';
import type { VerifierPool } from './broadcasts.ts';
import type { VerifierSettings } from './messages.ts';
import { ThreadPort } from './thread_port.ts';
import { decodeVerifierReport } from './verifier_report.ts';

/** A pool of verifier threads, and how to end it. */
export interface RunningVerifierPool extends VerifierPool {
  close(): Promise<void>;
}

/** What whoever starts verifiers is told. */
export interface VerifierListener {
  /** A verifier hands over a line to itself, which is for the writer. */
  line(port: Port<Uint8Array, never>): void;
  /** A verifier was so long busy with a batch. */
  batchTook(seconds: number): void;
}

/** Starts verifiers. */
export function startVerifierPool(settings: VerifierSettings, threads: number, listener: VerifierListener): RunningVerifierPool {
  const pool = new Piscina<Uint8Array, Uint8Array>({
    filename: new URL('./verifier.js', import.meta.url).href,
    name: 'verify',
    minThreads: threads,
    maxThreads: threads,
    idleTimeout: Infinity,
    workerData: settings,
  });
  pool.on('message', (message: unknown) => {
    if (message instanceof MessagePort) listener.line(new ThreadPort(message));
  });
  return {
    threads,
    // The batch has a buffer of its own, which moves to the verifier instead of being copied.
    verify: async (batch) => {
      const report = decodeVerifierReport(await pool.run(batch, { transferList: [batch.buffer] }));
      listener.batchTook(report.elapsedMicros / 1e6);
      return report;
    },
    close: () => pool.close({ force: true }),
  };
}
