import { MessagePort, Worker } from 'node:worker_threads';
import { assert, present } from '../../src/base/assert.ts';
import type { Json } from '../../src/codec/json.ts';
import { readJson } from '../../src/codec/json_reader.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import { devAccounts, devSecret } from '../../src/node/dev/dev_genesis.ts';
import { signTransfers } from '../../src/node/load/sign_transfers.ts';
import { RawBatchWriter } from '../../src/node/threads/raw_batch.ts';
import { atMostMicros, row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { DevChain } from '../dev_chain.ts';
import { nextEvent } from '../next_event.ts';
import type { VerifierRequest } from '../verifier_thread.ts';

const METHOD = 'network_broadcast_api.broadcast_transaction';
const BATCHES = 8;

/** A verifier alone, from the bytes of broadcasts to the batch that the writer gets, by how full batches are. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const dev = await DevChain.open({ durable: false });
  const worker = new Worker(new URL('../verifier_thread.js', import.meta.url), { workerData: dev.verifierSettings() });
  const handed: unknown = await nextEvent(worker, 'message');
  const line = typeof handed === 'object' && handed !== null && 'port' in handed ? handed.port : undefined;
  assert(line instanceof MessagePort, 'a verifier hands over a line');
  // The writer's end: what arrives has changed hands and is dropped.
  line.on('message', () => {});
  const rows: Row[] = [];
  const sizes = quick ? [64] : [1024, 400, 100, 24, 8, 1];
  const forms = sizes.flatMap((size) => ['', 'invoice {number}'].map((memo) => ({ size, memo })));
  for (const { size, memo } of forms) {
    const batches = Array.from({ length: quick ? 1 : BATCHES }, (_, index) => batchOf(dev, memo, size, index * size));
    const request: VerifierRequest = { batches, items: size * batches.length, rounds: quick ? 1 : Math.ceil(20_000 / size) };
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

/** Signed transfers between the development accounts as the front hands them over. */
function batchOf(dev: DevChain, memo: string, count: number, first: number): Uint8Array {
  const { parameters, chain } = dev;
  const senders = devAccounts.map((name) => ({ name, secret: devSecret(name) }));
  const request = {
    profileName: 'default',
    chainId: parameters.chainId,
    referenceBlockId: chain.head.id,
    expiration: chain.head.time + 3000,
    fee: parameters.baseFees.get(parameters.coinSymbol) ?? 0n,
    senders,
    firstAmount: 1n,
    memo,
    first,
    count,
    batch: count,
  };
  const [body] = signTransfers(request);
  const calls = readJson(present(body, 'a body').body);
  assert(Array.isArray(calls), 'a body is a batch of calls');
  const out = new RawBatchWriter();
  for (const call of calls) out.add({ method: METHOD, senderId: 1, dialect: 'default', operationForm: 'pair', params: paramsOf(call) });
  return out.finish(0);
}

/** The params of a call as text, as the front cuts them out. */
function paramsOf(call: Json): Uint8Array {
  assert(typeof call === 'object' && call !== null && !Array.isArray(call), 'a call is an object');
  return Buffer.from(writeJson(call['params'] ?? null));
}
