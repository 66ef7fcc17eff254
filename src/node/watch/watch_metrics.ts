import type { Metrics } from '../../base/metrics.ts';
import type { NodeWatch } from './node_watch.ts';

/** Each is a series of its own in Prometheus, so they are few, and only those that matter. */
const MOST_CLIENTS = 5;
/** Ten small reads a second. */
const LEAST_WEIGHT = 600;

/** Metrics on what holds a node up. */
export function addWatchMetrics(metrics: Metrics, { parts: { clients, processors } }: NodeWatch): void {
  metrics.levels(
    {
      name: 'pharos_busy_ratio',
      doc: 'How much of the last 10 seconds was used, as a part of 1: of the thread that answers calls, of all processors of this machine by anybody, and of them by this node.',
      labels: ['of'],
    },
    () => {
      const { thread, machine, process } = processors.shares;
      return [
        { labels: { of: 'thread' }, value: thread },
        { labels: { of: 'machine' }, value: machine },
        { labels: { of: 'process' }, value: process },
      ];
    },
  );
  metrics.levels(
    {
      name: 'pharos_client_weight',
      doc: 'What the five clients that ask for most asked for in the last minute, in small reads; who asked for less than 600 is left out.',
      labels: ['client'],
    },
    () =>
      clients
        .busiest(MOST_CLIENTS)
        .clients.filter(({ weight, refused }) => weight + refused >= LEAST_WEIGHT)
        .map(({ address: client, weight, refused }) => ({ labels: { client }, value: weight + refused })),
  );
  metrics.count(
    {
      name: 'pharos_rpc_over_limit_total',
      doc: 'Calls that were refused because their client asks for more than max-calls-per-second.',
      labels: [],
    },
    () => [{ labels: {}, value: clients.refused }],
  );
}
