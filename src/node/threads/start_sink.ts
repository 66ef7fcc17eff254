import { MessageChannel, Worker } from 'node:worker_threads';
import { systemClock } from '../../base/clock.ts';
import { present } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import type { RocksDbStore } from '../../storage/rocksdb.ts';
import { explain } from '../exit_codes.ts';
import type { NodeSettings } from '../node_settings.ts';
import { SinkClient, type SinkClientParts } from '../sinks/sink_client.ts';
import type { FromSink, SinkThreadSettings, ToSink } from '../sinks/sink_messages.ts';
import { busyThreadLimits } from './thread_memory.ts';
import { ThreadPort } from './thread_port.ts';
import type { WriterClient } from './writer_client.ts';

/** What the event stream of a node is written from, and who hears how it stands. */
export interface SinkSurroundings extends Omit<SinkClientParts, 'end' | 'clock'> {
  readonly store: RocksDbStore;
  readonly writer: WriterClient;
}

/** Starts what writes the event stream, in a thread of its own. */
export function startSink(settings: NodeSettings, { store, writer, record, failed }: SinkSurroundings): SinkClient {
  const {
    sink,
    ownsTime = false,
    networkLogLevel,
    writer: { chain, logLevel },
  } = settings;
  const workerData: SinkThreadSettings = {
    ...{ nats: present(sink, 'a sink'), chain, storeHandle: store.handle },
    // Its user takes back what he likes.
    mayRevert: ownsTime,
    logLevel: networkLogLevel ?? logLevel,
  };
  const worker = new Worker(new URL('./sink_thread.js', import.meta.url), { workerData, resourceLimits: busyThreadLimits });
  const port = new ThreadPort<FromSink, ToSink>(worker);
  const client = new SinkClient(port, { record, failed, clock: systemClock, end: async () => void (await worker.terminate()) });
  worker.on('exit', () => client.fail(new Fault('runtime', 'the sink has ended')));
  worker.on('error', (error) => client.fail(new Fault('runtime', `the sink has failed: ${explain(error)}`, error)));
  const feed = new MessageChannel();
  writer.connectFollower({ feed: 'chain', port: new ThreadPort(feed.port1) });
  client.follow(new ThreadPort(feed.port2));
  return client;
}
