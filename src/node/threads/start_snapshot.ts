import { Worker } from 'node:worker_threads';
import { Fault } from '../../base/fault.ts';
import type { SnapshotDescription } from '../../rpc/services.ts';
import { explain } from '../../system/exit_codes.ts';
import type { NodeSettings } from '../../settings/node_settings.ts';
import { Snapshots, type SnapshotUnderWay } from '../../snapshot/snapshots.ts';
import type { SnapshotThreadSettings } from './messages.ts';
import { snapshotThread } from './node_threads.ts';
import { snapshotThreadLimits } from '../../system/thread_memory.ts';
import { threadData } from '../../system/thread_settings.ts';
import type { ThreadFailure } from '../../system/thread_failure.ts';

/** The thread's only message. */
export type FromSnapshotThread = { readonly kind: 'written'; readonly file: SnapshotDescription } | ThreadFailure;

/**
 * The snapshots of a running chain; undefined where the settings name no place for them. Fault `configuration` when
 * there can be none.
 */
export function openSnapshots(
  { snapshots: settings, writer: { chain }, log }: NodeSettings,
  storeHandle: bigint,
): Snapshots | undefined {
  if (settings === undefined) return undefined;
  const hasGenesis = chain.genesisText !== undefined;
  return new Snapshots({
    settings,
    log,
    start: hasGenesis ? (folder) => startSnapshot({ storeHandle, chain, folder }) : undefined,
  });
}

/** Writes a snapshot of a running node's chain in a thread of its own, which ends with it. */
function startSnapshot(settings: Omit<SnapshotThreadSettings, 'stopped'>): SnapshotUnderWay {
  const stopped = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const workerData = threadData(snapshotThread, { ...settings, stopped });
  const worker = new Worker(new URL('./snapshot_thread.js', import.meta.url), {
    workerData,
    resourceLimits: snapshotThreadLimits,
  });
  let outcome: FromSnapshotThread | undefined;
  worker.on('message', (message: FromSnapshotThread) => void (outcome = message));
  worker.on('error', (error) => {
    outcome = { kind: 'failed', code: 'runtime', message: explain(error) };
  });
  const done = new Promise<SnapshotDescription>((resolve, reject) => {
    // By then nothing in the thread reads the store.
    worker.on('exit', () => {
      if (outcome?.kind === 'written') resolve(outcome.file);
      else reject(toFault(outcome));
    });
  });
  return { done, stop: () => void Atomics.store(new Int32Array(stopped), 0, 1) };
}

function toFault(failure: ThreadFailure | undefined): Fault {
  const { code = 'runtime', message = 'the thread that wrote it has ended' } = failure ?? {};
  return new Fault(code === 'assertion' ? 'runtime' : code, message);
}
