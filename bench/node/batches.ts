import { Worker } from 'node:worker_threads';
import { assert } from '../../src/base/assert.ts';
import { encodeVerifiedBatch } from '../../src/blocks/verified_batch.ts';
import { against, measureAsync, row, type BenchOptions, type Row } from '../bench.ts';
import { DevChain } from '../dev_chain.ts';
import { nextEvent } from '../next_event.ts';

const BATCH = 1024;

/**
 * From a verifier to the writer: a batch as one buffer that changes hands, against the same as objects that are cloned.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const batches = quick ? 2 : 40;
  const dev = await DevChain.open({ durable: false });
  const items = dev.transfers(BATCH).map((verified, ticket) => ({ ticket, verified }));
  await dev.close();
  // What survives cloning: data. The writer would have to make operations of it again.
  const plain = items.map(({ ticket, verified: { transaction, packed, id, leaf, signers } }) => {
    const operations = transaction.operations.map(({ kind, body }) => [kind.name, body]);
    return { ticket, verified: { transaction: { ...transaction, operations }, packed, id, leaf, signers } };
  });
  const worker = new Worker(new URL('../batch_taker.js', import.meta.url));
  const send = (post: () => void) => (): Promise<void> => sendBatches(worker, batches, post);
  const rounds = quick ? 1 : 5;
  const moved = await measureAsync(
    batches * BATCH,
    rounds,
    send(() => {
      const bytes = encodeVerifiedBatch(items);
      worker.postMessage(bytes, [bytes.buffer]);
    }),
  );
  const cloned = await measureAsync(
    batches * BATCH,
    rounds,
    send(() => worker.postMessage(plain)),
  );
  await worker.terminate();
  const note = `batches of ${BATCH}, both threads counted`;
  const baseline = row('transactions to another thread, cloned', 'transfer, not yet an operation again', cloned, {
    note,
  });
  const ours = row('transactions to another thread, one buffer', 'verified transfer, written, moved and read', moved, {
    note,
  });
  return [against(ours, baseline), baseline];
}

async function sendBatches(worker: Worker, batches: number, post: () => void): Promise<void> {
  for (let batch = 0; batch < batches; batch++) {
    post();
    assert((await nextEvent(worker, 'message')) === BATCH, 'the whole batch arrives');
  }
}
