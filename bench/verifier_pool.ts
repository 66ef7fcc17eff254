// A process of node/cores.ts: a pool of so many verifiers, busy for so many milliseconds. Says how many transfers they
// verified, in how long.
import { present } from '../src/base/assert.ts';
import { VerifierPool } from '../src/verifiers/verifier_pool.ts';
import { DevChain } from './dev_chain.ts';
import { rawTransfers } from './raw_transfers.ts';

/** The JSON that the process prints. */
export interface PoolFigures {
  readonly verified: number;
  readonly elapsedMs: number;
  /** Of all threads. */
  readonly cpuMicros: number;
}

const BATCH = 1024;
const BATCHES = 8;

const [, , threads = '', durationMs = ''] = process.argv;
const dev = await DevChain.open({ durable: false });
const batches = Array.from({ length: BATCHES }, (_, index) => rawTransfers(dev, '', BATCH, index * BATCH));
const pool = new VerifierPool(dev.verifierSettings(), Number(threads), {
  // The writer's end: what arrives has changed hands and is dropped.
  line: (port) => port.listen(() => undefined),
  batchTook: () => undefined,
  verifies: () => undefined,
});
// The first turn is for the compiler.
await measureBusy(Number(durationMs) / 2);
const figures = await measureBusy(Number(durationMs));
console.log(JSON.stringify(figures));
await pool.close();
await dev.close();

/** Two batches for each thread, one being verified and the next one waiting. */
async function measureBusy(ms: number): Promise<PoolFigures> {
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  let verified = 0;
  const feed = async (first: number): Promise<void> => {
    for (let turn = first; performance.now() - startedMs < ms; turn++) {
      await pool.verify(present(batches[turn % BATCHES], 'a batch').slice());
      verified += BATCH;
    }
  };
  await Promise.all(Array.from({ length: 2 * pool.threads }, (_, index) => feed(index)));
  const { user, system } = process.cpuUsage(cpuBefore);
  return { verified, elapsedMs: performance.now() - startedMs, cpuMicros: user + system };
}
