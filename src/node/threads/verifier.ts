import { MessageChannel, parentPort, workerData } from 'node:worker_threads';
import { present } from '../../base/assert.ts';
import { systemClock } from '../../base/clock.ts';
// Also a reason to import the register: without their numbers no table can be read.
import { chainView } from '../../state/chain_view.ts';
import { attachReader } from '../../storage/rocksdb.ts';
import { parametersOf } from '../chain_settings.ts';
import { BatchVerifier } from './batch_verifier.ts';
import type { VerifierSettings } from './messages.ts';
import { encodeVerifierReport } from './verifier_report.ts';

/** Account rows that stay decoded between blocks; one about 1 KiB. */
const CACHED_ROWS = 10_000;

/** The verifier of this thread, with a line of its own to the writer: the front hands the other end over. */
function startVerifier(): BatchVerifier {
  const { chain, storeHandle } = settingsOfThread();
  const { port1, port2 } = new MessageChannel();
  present(parentPort ?? undefined, 'the port of a worker').postMessage(port2, [port2]);
  port1.unref();
  return new BatchVerifier({
    parameters: parametersOf(chain),
    view: chainView(attachReader(storeHandle), CACHED_ROWS),
    clock: systemClock,
    handOver: (bytes) => port1.postMessage(bytes, [bytes.buffer]),
  });
}

const verifier = startVerifier();

/** What the pool calls; answers an encoded VerifierReport. */
export function verify(batch: Uint8Array): Uint8Array {
  const startedMs = performance.now();
  const report = verifier.verify(batch);
  return encodeVerifierReport({ ...report, elapsedMicros: Math.round((performance.now() - startedMs) * 1000) });
}

/** What the front started this thread with. */
function settingsOfThread(): VerifierSettings;
function settingsOfThread(): unknown {
  const settings: unknown = workerData;
  return settings;
}
