import { MessagePort, Worker } from 'node:worker_threads';
import { assert } from '../../src/base/assert.ts';
import { atMostMicros, row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { DevChain } from '../dev_chain.ts';
import { verifierThread } from '../../src/verifiers/verifier_settings.ts';
import { threadData } from '../../src/system/thread_settings.ts';
import { nextEvent } from '../next_event.ts';
import { rawTransfers } from '../raw_transfers.ts';
import type { VerifierRequest } from '../verifier_thread.ts';

const BATCHES = 8;

/** A verifier alone, from the bytes of broadcasts to the batch that the writer gets, by how full batches are. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const dev = await DevChain.open({ durable: false });
  const worker = new Worker(new URL('../verifier_thread.js', import.meta.url), {
    workerData: threadData(verifierThread, dev.verifierSettings()),
  });
  const handed: unknown = await nextEvent(worker, 'message');
  const line = typeof handed === 'object' && handed !== null && 'port' in handed ? handed.port : undefined;
  assert(line instanceof MessagePort, 'a verifier hands over a line');
  // The writer's end: what arrives has changed hands and is dropped.
  line.on('message', () => {});
  const rows: Row[] = [];
  const sizes = quick ? [64] : [1024, 400, 100, 24, 8, 1];
  const forms = sizes.flatMap((size) => ['', 'invoice {number}'].map((memo) => ({ size, memo })));
  for (const { size, memo } of forms) {
    const batches = Array.from({ length: quick ? 1 : BATCHES }, (_, index) =>
      rawTransfers(dev, memo, size, index * size),
    );
    const request: VerifierRequest = {
      batches,
      items: size * batches.length,
      rounds: quick ? 1 : Math.ceil(20_000 / size),
    };
    worker.postMessage(request);
    const measured: unknown = await nextEvent(worker, 'message');
    assert(isMeasured(measured), 'the thread answers what it measured');
    rows.push(
      row(
        `verifier alone, batches of ${size}${memo === '' ? '' : ', every memo different'}`,
        'signed transfer, bytes in to bytes out',
        measured,
        size === 1024 && memo === '' ? { budget: atMostMicros(20) } : {},
      ),
    );
  }
  line.close();
  await worker.terminate();
  await dev.close();
  return rows;
}

function isMeasured(value: unknown): value is Measured {
  return typeof value === 'object' && value !== null && 'cpuMicros' in value;
}
