import { Worker } from 'node:worker_threads';
import { Fault } from '../../base/fault.ts';
import { explain } from '../exit_codes.ts';
import type { FromWriter, ToWriter, WriterSettings } from './messages.ts';
import { busyThreadLimits } from './thread_memory.ts';
import { ThreadPort } from './thread_port.ts';
import { WriterClient, type WriterListener } from './writer_client.ts';

/** Starts the writer in a thread of its own. */
export function startWriter(settings: WriterSettings, listener: WriterListener): WriterClient {
  const worker = new Worker(new URL('./writer_thread.js', import.meta.url), {
    workerData: settings,
    resourceLimits: busyThreadLimits,
  });
  const port = new ThreadPort<FromWriter, ToWriter>(worker);
  const client = new WriterClient(port, listener, async () => void (await worker.terminate()));
  worker.on('exit', () => client.fail(new Fault('runtime', 'the writer has ended')));
  worker.on('error', (error) => client.fail(new Fault('runtime', `the writer has failed: ${explain(error)}`, error)));
  return client;
}
