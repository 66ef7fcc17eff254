import { Worker } from 'node:worker_threads';
import { Fault } from '../../../base/fault.ts';
import { explain } from '../../../system/exit_codes.ts';
import type { FromWriter, ToWriter } from '../messages.ts';
import { busyThreadLimits } from '../../../system/thread_memory.ts';
import { writerThread } from '../node_threads.ts';
import { threadData } from '../../../system/thread_settings.ts';
import { ThreadPort } from '../../../system/thread_port.ts';
import { WriterClient, type WriterListener } from './writer_client.ts';
import type { WriterSettings } from '../../../settings/writer_settings.ts';

/** Starts the writer in a thread of its own. */
export function startWriter(settings: WriterSettings, listener: WriterListener): WriterClient {
  const worker = new Worker(new URL('./writer_thread.js', import.meta.url), {
    workerData: threadData(writerThread, settings),
    resourceLimits: busyThreadLimits(settings),
  });
  const port = new ThreadPort<FromWriter, ToWriter>(worker);
  const client = new WriterClient(port, listener, async () => void (await worker.terminate()));
  worker.on('exit', () => client.fail(new Fault('runtime', 'the writer has ended')));
  worker.on('error', (error) => client.fail(new Fault('runtime', `the writer has failed: ${explain(error)}`, error)));
  return client;
}
