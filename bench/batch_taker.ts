// The other thread of node/batches.ts: it takes batches as the writer does, and says how many transactions it has.
import { parentPort } from 'node:worker_threads';
import { decodeVerifiedBatch } from '../src/blocks/verified_batch.ts';

parentPort?.on('message', (batch: unknown) => {
  // Cloned objects come ready, bytes are read.
  parentPort?.postMessage(
    batch instanceof Uint8Array ? decodeVerifiedBatch(batch).length : Array.isArray(batch) ? batch.length : 0,
  );
});
