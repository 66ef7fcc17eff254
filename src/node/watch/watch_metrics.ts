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
      row: 'Is it slow?',
      alerts: [
        {
          alert: 'PharosBusy',
          expr: 'pharos_busy_ratio{of="thread"} > 0.9',
          for: '5m',
          severity: 'warning',
          summary: 'calls wait: the thread that answers them is busy {{ $value | humanizePercentage }} of the time',
          page: 'slow',
        },
        {
          alert: 'PharosMachineBusy',
          expr: 'pharos_busy_ratio{of="machine"} > 0.95',
          for: '10m',
          severity: 'warning',
          summary: 'the processors of the machine are busy',
          page: 'slow',
        },
      ],
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
      row: 'Who loads it?',
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
      row: 'Who loads it?',
      alerts: [
        {
          alert: 'PharosClientOverLimit',
          expr: 'rate(pharos_rpc_over_limit_total[5m]) > 10',
          for: '5m',
          severity: 'warning',
          summary: '{{ $value | humanize }} calls a second are refused because a client asks for too much',
          page: 'hammered',
        },
      ],
    },
    () => [{ labels: {}, value: clients.refused }],
  );
}
