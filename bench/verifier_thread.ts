// The thread of node/verifier.ts: a verifier as the pool starts it, which verifies batches over and over and says what
// that cost.
import { parentPort } from 'node:worker_threads';
import { present } from '../src/base/assert.ts';
import { verify } from '../src/verifiers/verifier_thread.ts';
import { measureAsync } from './bench.ts';

/** A request to the thread. */
export interface VerifierRequest {
  readonly batches: readonly Uint8Array<ArrayBuffer>[];
  /** Broadcasts in all of them. */
  readonly items: number;
  readonly rounds: number;
}

const port = present(parentPort ?? undefined, 'the port of a worker');
port.on('message', ({ batches, items, rounds }: VerifierRequest) => {
  void measureAsync(items, rounds, async () => {
    for (const batch of batches) await verify(batch);
  }).then((measured) => port.postMessage(measured));
});
