import type { Metrics, Sample, Watched } from '../../base/metrics.ts';
import type { Histogram } from '../../base/histogram.ts';
import { lanes } from '../../wire/lanes.ts';
import type { NetworkFigures } from './network_messages.ts';
import type { NetworkRecord } from './network_record.ts';

const NO_PEERS = { inbound: 0, outbound: 0 };

/** Adds the metrics of the network; of a node without one only that it has no peers. */
export function addNetworkMetrics(metrics: Metrics, network: NetworkRecord | undefined): void {
  metrics.levels(
    {
      name: 'pharos_peers',
      doc: 'Peers, by who has dialled.',
      labels: ['direction'],
      row: 'Is it in step?',
      figure: {
        ...{ title: 'Peers', expr: 'sum by (instance) (pharos_peers{instance=~"$instance"})' },
        limits: { warning: 3, alarm: 1 },
      },
      alerts: [
        {
          alert: 'PharosNoPeers',
          expr: 'sum by (instance, job) (pharos_peers) == 0 and on (instance, job) pharos_alive_witnesses >= 0',
          for: '5m',
          severity: 'page',
          summary: 'it is connected with no other node',
          page: 'behind',
        },
      ],
    },
    () => {
      const { inbound, outbound } = network?.state ?? NO_PEERS;
      return [
        { labels: { direction: 'inbound' }, value: inbound },
        { labels: { direction: 'outbound' }, value: outbound },
      ];
    },
  );
  metrics.level(
    'pharos_blocks_behind',
    'Blocks that peers have and this node has not.',
    () => network?.state?.behindBy ?? 0,
    {
      row: 'Is it in step?',
      alerts: [
        {
          alert: 'PharosBehindPeers',
          expr: 'pharos_blocks_behind > 20',
          for: '10m',
          severity: 'warning',
          summary: 'peers have {{ $value }} blocks that it has not',
          page: 'behind',
        },
      ],
    },
  );
  if (network === undefined) return;
  addStanding(metrics, network);
  addTraffic(metrics, network);
  addConduct(metrics, network);
  addBlocks(metrics, network);
  addOthers(metrics, network);
}

/** Clocks and witnesses of other nodes, and the thread that speaks with them. */
function addOthers(metrics: Metrics, network: NetworkRecord): void {
  metrics.level(
    'pharos_peer_clock_difference_seconds',
    'How far the clocks of peers are ahead of this machine’s, in the middle; absent with fewer than five that this node has dialled.',
    () => toSeconds(figures(network)?.clockAheadMs),
    { row: 'Why did I miss slots?' },
  );
  metrics.level(
    'pharos_network_delay_seconds',
    'How late the event loop of the network was at most since the last scrape; up to 0.05 s of a stop are not seen.',
    () => network.takeThreadDelaySeconds(),
    { row: 'Is it slow?' },
  );
  metrics.level(
    'pharos_alive_witnesses',
    'Witnesses that have signed lately that they are there, which they do while the chain stands or nearly does.',
    () => figures(network)?.aliveWitnesses ?? 0,
  );
  metrics.level(
    'pharos_partition_suspected',
    '1 while too few slots of the last round have a block.',
    () => Number(network.state?.isParted ?? false),
    {
      row: 'Is it in step?',
      alerts: [
        {
          alert: 'PharosPartitionSuspected',
          expr: 'pharos_partition_suspected == 1',
          for: '1m',
          severity: 'page',
          summary: 'the network may have parted',
          page: 'behind',
        },
      ],
    },
  );
}

/** Returns whether the node's standing is doubtful. */
function addStanding(metrics: Metrics, network: NetworkRecord): void {
  metrics.level(
    'pharos_peer_groups',
    'Address groups that this node has dialled, and nodes that its operator has named.',
    () => network.state?.voices ?? 0,
  );
  metrics.level(
    'pharos_contested',
    '1 while peers contradict each other about a final block and the node fetches nothing.',
    () => Number(network.state?.contest?.isOpen ?? false),
    {
      alerts: [
        {
          alert: 'PharosContested',
          expr: 'pharos_contested == 1',
          for: '1m',
          severity: 'page',
          summary: 'peers contradict each other about a final block, and it fetches nothing',
          page: 'behind',
        },
      ],
    },
  );
  metrics.level(
    'pharos_contradicting_groups',
    'Groups of chosen peers that have another block where one is irreversible here.',
    () => network.state?.contest?.contradicting ?? 0,
  );
  metrics.level(
    'pharos_unproved_claims',
    'Peers that claimed blocks above the head and delivered none.',
    () => network.state?.unproved.peers ?? 0,
  );
  metrics.count(
    {
      name: 'pharos_network_work_seconds_total',
      doc: 'Time that the network thread has worked, by kind of message or task.',
      labels: ['kind'],
    },
    () => Object.entries(figures(network)?.work ?? {}).map(([kind, ms]) => ({ labels: { kind }, value: ms / 1000 })),
  );
  metrics.count(
    {
      name: 'pharos_strangers_seconds_total',
      doc: 'Time that peers nobody has named have cost, with TLS and garbage, by account; spare is what nobody else wanted.',
      labels: ['account'],
    },
    () =>
      Object.entries(figures(network)?.strangers ?? {}).map(([account, ms]) => ({
        labels: { account },
        value: ms / 1000,
      })),
  );
}

function addTraffic(metrics: Metrics, network: NetworkRecord): void {
  const bytes = {
    name: 'pharos_peer_bytes_total',
    doc: 'Bytes of messages, by lane and direction.',
    labels: ['lane', 'direction'],
  } as const;
  metrics.count(bytes, () => lanes.flatMap((lane) => laneBytes(figures(network), lane)));
  metrics.level(
    'pharos_peer_queue_bytes',
    'Bytes that wait to be sent to peers.',
    () => figures(network)?.queuedBytes ?? 0,
  );
  metrics.level(
    'pharos_sync_ahead_bytes',
    'Bytes of blocks that have come, or may come, before the chain has taken those before them.',
    () => figures(network)?.aheadBytes ?? 0,
  );
  metrics.level(
    'pharos_bundles_awaited',
    'Bundles that peers have told of and not given yet.',
    () => figures(network)?.awaitedBundles ?? 0,
  );
  metrics.count(
    {
      name: 'pharos_bundles_total',
      doc: 'Bundles of transactions: taken, known already, refused in part, and sent.',
      labels: ['fate'],
    },
    () => Object.entries(figures(network)?.bundles ?? {}).map(([fate, value]) => ({ labels: { fate }, value })),
  );
}

function addBlocks(metrics: Metrics, network: NetworkRecord): void {
  const { delays, rebuilds } = network;
  const delay = (name: string, doc: string, histogram: Histogram, watched?: Watched): void =>
    metrics.histogram(`pharos_block_${name}`, doc, () => histogram, watched);
  delay('header_delay_seconds', 'From the slot of a block until its header was there and right.', delays.header);
  delay('received_delay_seconds', 'From the slot of a block until all its transactions were there.', delays.received, {
    row: 'Is it in step?',
  });
  delay('applied_delay_seconds', 'From the slot of a block until it was the head.', delays.applied, {
    row: 'Is it in step?',
  });
  delay('rebuild_seconds', 'From the short ids of a block until all its transactions were there.', rebuilds);
  metrics.level(
    'pharos_pool_transactions',
    'Transactions that blocks of peers may name.',
    () => figures(network)?.pool.transactions ?? 0,
  );
  metrics.levels(
    { name: 'pharos_pool_bytes', doc: 'Bytes of these, by whether they are in a block.', labels: ['state'] },
    () => {
      const { waitingBytes = 0, includedBytes = 0 } = figures(network)?.pool ?? {};
      return [
        { labels: { state: 'waiting' }, value: waitingBytes },
        { labels: { state: 'included' }, value: includedBytes },
      ];
    },
  );
  metrics.count(
    {
      name: 'pharos_short_ids_total',
      doc: 'Transactions that blocks named: known ones, and those asked for; and blocks that were fetched whole after all.',
      labels: ['outcome'],
    },
    () => Object.entries(figures(network)?.shortIds ?? {}).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
}

function addConduct(metrics: Metrics, network: NetworkRecord): void {
  metrics.count({ name: 'pharos_peer_offences_total', doc: 'What peers did wrong, by kind.', labels: ['kind'] }, () =>
    Object.entries(figures(network)?.offences ?? {}).map(([kind, value]) => ({ labels: { kind }, value })),
  );
  metrics.count({ name: 'pharos_peer_bans_total', doc: 'Bans.', labels: [] }, () => [
    { labels: {}, value: figures(network)?.bans ?? 0 },
  ]);
  metrics.count(
    {
      name: 'pharos_peer_handshakes_refused_total',
      doc: 'Connections that were dropped before any handshake.',
      labels: [],
    },
    () => [{ labels: {}, value: figures(network)?.refusedHandshakes ?? 0 }],
  );
}

function figures({ state }: NetworkRecord): NetworkFigures | undefined {
  return state?.figures;
}

function laneBytes(told: NetworkFigures | undefined, lane: (typeof lanes)[number]): Sample<'lane' | 'direction'>[] {
  const [received, sent] = [told?.received[lane] ?? 0, told?.sent[lane] ?? 0];
  return [
    { labels: { lane: String(lane), direction: 'in' }, value: received },
    { labels: { lane: String(lane), direction: 'out' }, value: sent },
  ];
}

function toSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}
