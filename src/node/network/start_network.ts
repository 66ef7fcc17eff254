import { MessageChannel, Worker } from 'node:worker_threads';
import { Fault } from '../../base/fault.ts';
import { explain } from '../../system/exit_codes.ts';
import { NetworkClient, type NetworkClientParts } from './network_client.ts';
import { type FromNetwork, type NetworkThreadSettings, type ToNetwork, networkThread } from './network_messages.ts';
import { networkThreadLimits } from '../../system/thread_memory.ts';
import { threadData } from '../../system/thread_settings.ts';
import { ThreadPort } from '../../system/thread_port.ts';
import type { WriterClient } from '../threads/writer/writer_client.ts';

/** Starts the network in a thread of its own, which follows this writer. */
export function startNetwork(
  settings: NetworkThreadSettings,
  writer: WriterClient,
  parts: Omit<NetworkClientParts, 'end'>,
): NetworkClient {
  const worker = new Worker(new URL('./network_thread.js', import.meta.url), {
    workerData: threadData(networkThread, settings),
    resourceLimits: networkThreadLimits,
  });
  const port = new ThreadPort<FromNetwork, ToNetwork>(worker);
  const client = new NetworkClient(port, { ...parts, end: async () => void (await worker.terminate()) });
  worker.on('exit', () => client.fail(new Fault('runtime', 'the network has ended')));
  worker.on('error', (error) => client.fail(new Fault('runtime', `the network has failed: ${explain(error)}`, error)));
  const [chain, accepted] = [new MessageChannel(), new MessageChannel()];
  writer.connectFollower({ kind: 'follow', feed: 'chain', port: new ThreadPort(chain.port1) });
  writer.connectFollower({ kind: 'follow', feed: 'transactions', port: new ThreadPort(accepted.port1) });
  client.follow(new ThreadPort(chain.port2), new ThreadPort(accepted.port2));
  return client;
}
