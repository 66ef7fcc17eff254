import { MessageChannel, Worker } from 'node:worker_threads';
import { systemClock } from '../../base/clock.ts';
import { present } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import type { RocksDbStore } from '../../storage/rocksdb.ts';
import { explain } from '../../system/exit_codes.ts';
import type { NodeSettings } from '../../settings/node_settings.ts';
import { SinkClient, type SinkClientParts } from './sink_client.ts';
import { type FromSink, type ToSink, sinkThread } from './sink_messages.ts';
import { busyThreadLimits } from '../../system/thread_memory.ts';
import { threadData } from '../../system/thread_settings.ts';
import { ThreadPort } from '../../system/thread_port.ts';
import type { WriterClient } from '../threads/writer/writer_client.ts';

/** The sources of a node's event stream, and the listeners to its state. */
export interface SinkSurroundings extends Omit<SinkClientParts, 'end' | 'clock'> {
  readonly store: RocksDbStore;
  readonly writer: WriterClient;
}

/** Starts what writes the event stream, in a thread of its own. */
export function startSink(settings: NodeSettings, { store, writer, record, failed }: SinkSurroundings): SinkClient {
  const {
    folder: { path: folder },
    ownsTime = false,
    writer: { chain, log: writersLog },
  } = settings;
  const { nats, log = writersLog } = present(settings.sink, 'a sink');
  const workerData = threadData(sinkThread, {
    ...{ nats, folder, chain, storeHandle: store.handle },
    // Its user takes back what he likes.
    mayRevert: ownsTime,
    log,
  });
  const worker = new Worker(new URL('./sink_thread.js', import.meta.url), {
    workerData,
    resourceLimits: busyThreadLimits(settings.writer),
  });
  const port = new ThreadPort<FromSink, ToSink>(worker);
  const client = new SinkClient(port, {
    record,
    failed,
    clock: systemClock,
    end: async () => void (await worker.terminate()),
  });
  worker.on('exit', () => client.fail(new Fault('runtime', 'the sink has ended')));
  worker.on('error', (error) => client.fail(new Fault('runtime', `the sink has failed: ${explain(error)}`, error)));
  const feed = new MessageChannel();
  writer.connectFollower({ kind: 'follow', feed: 'chain', port: new ThreadPort(feed.port1) });
  client.follow(new ThreadPort(feed.port2));
  return client;
}
