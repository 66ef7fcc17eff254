import type { Clock } from '../../base/clock.ts';
import { Metrics, type Sample, type Watched } from '../../base/metrics.ts';
import { withDeadline } from '../../jsonrpc/envelope/deadline.ts';
import type { HttpServerKind, Page, HttpServer } from '../../jsonrpc/http/http_server.ts';
import type { SocketFault } from '../../jsonrpc/http/socket_faults.ts';
import type { MethodCounts, MethodTimes } from '../../jsonrpc/limits/method_times.ts';
import type { Subscriptions } from '../../notices/subscriptions.ts';
import { about } from './about.ts';
import { addChainMetrics, type Figures, type MeasuredChain } from './chain_metrics.ts';
import { addFinalityMetrics } from './finality_metrics.ts';
import { bytesOfFiles, freeBytes } from '../../data_folder/folder_size.ts';
import { ENOUGH_SLOTS, lastRound, ROUND_SLOTS, type LastRound } from '../network/last_round.ts';
import { addNetworkMetrics } from '../network/network_metrics.ts';
import type { NetworkRecord } from '../network/network_record.ts';
import { addSinkMetrics } from '../sinks/sink_metrics.ts';
import type { SinkRecord } from '../sinks/sink_record.ts';
import { LoopDelay } from '../../system/loop_delay.ts';
import type { StallTimes } from '../threads/stall_times.ts';
import type { Broadcasts } from '../threads/broadcasts/broadcasts.ts';
import type { WriterFigures } from '../threads/messages.ts';
import type { WriterClient } from '../threads/writer/writer_client.ts';
import { addWatchMetrics } from '../watch/watch_metrics.ts';
import type { NodeWatch } from '../watch/node_watch.ts';

/** The parts whose metrics are served. */
export interface MeasuredParts {
  readonly chain: MeasuredChain;
  readonly calls: MeasuredCalls;
  readonly threads: MeasuredThreads;
  /** Its path; undefined where nothing is on a disk. */
  readonly dataFolder: string | undefined;
  readonly watch: NodeWatch;
  /** The node's standing among others; undefined where it has no peers. */
  readonly network: NetworkRecord | undefined;
  /** The state of the event stream, where there is one. */
  readonly sink: SinkRecord | undefined;
}

/** The parts that answer calls, and their load. */
export interface MeasuredCalls {
  /** The server that answers HTTP. */
  readonly server: Pick<HttpServerKind, 'name' | 'reason'>;
  /** The ports for calls. */
  readonly servers: readonly ConnectedServer[];
  readonly times: MethodTimes;
  readonly subscriptions: Pick<Subscriptions, 'size'> | undefined;
}

/** Verifiers and writer, as the front sees them. */
export interface MeasuredThreads {
  readonly broadcasts: Broadcasts;
  readonly writer: WriterClient;
  readonly stalls: StallTimes;
}

/** The metrics of a node. */
export function nodeMetrics(parts: MeasuredParts): Metrics {
  const metrics = new Metrics();
  const { chain, calls, threads } = parts;
  const figures = makeFigures(threads.writer, chain.clock);
  addBuild(metrics);
  addServer(metrics, calls.server);
  addStore(metrics, parts.dataFolder);
  addChainMetrics(metrics, chain, figures);
  addRound(metrics, chain);
  addWitnesses(metrics, figures);
  addStandbys(metrics, figures);
  addFinalityMetrics(metrics, figures, threads.stalls);
  addNetworkMetrics(metrics, parts.network);
  if (parts.sink !== undefined) addSinkMetrics(metrics, parts.sink);
  addStalls(metrics, threads.stalls);
  addFrontDelay(metrics);
  addBroadcasts(metrics, threads);
  addCalls(metrics, calls.times);
  addInternalErrors(metrics, calls.times, threads.broadcasts);
  addConnectionMetrics(metrics, calls.servers);
  addWatchMetrics(metrics, parts.watch);
  metrics.level(
    'pharos_subscriptions',
    'Subscriptions to documents, blocks, operations and balances.',
    () => calls.subscriptions?.size ?? 0,
  );
  return metrics;
}

/** `GET /metrics`. */
export function metricsPage(metrics: Metrics): (path: string) => Promise<Page> | undefined {
  const show = async (): Promise<Page> => ({
    status: 200,
    contentType: metrics.contentType,
    body: await metrics.text(),
  });
  return (path) => (path === '/metrics' ? show() : undefined);
}

/** Names the program and its version. */
export function addBuild(metrics: Metrics): void {
  const { clientVersion: version, revision } = about;
  metrics.levels(
    {
      name: 'pharos_build_info',
      doc: 'Always 1; which program this is.',
      labels: ['version', 'revision', 'node'],
      row: 'Is it up?',
      figure: { title: 'Version', expr: 'pharos_build_info{instance=~"$instance"}', label: 'version' },
    },
    () => [{ labels: { version, revision, node: process.version }, value: 1 }],
  );
}

function addServer(metrics: Metrics, { name: server, reason }: MeasuredCalls['server']): void {
  metrics.levels(
    {
      name: 'pharos_http_server_info',
      doc: 'Always 1; which server answers HTTP, and why.',
      labels: ['server', 'reason'],
    },
    () => [{ labels: { server, reason }, value: 1 }],
  );
}

/** At the rate of the last six hours; a disk that does not fill has a hundred days. */
const DISK_DAYS =
  'clamp_max(pharos_store_free_bytes{instance=~"$instance"} / clamp_min(-deriv(pharos_store_free_bytes{instance=~"$instance"}[6h]) * 86400, 1), 100)';

function addStore(metrics: Metrics, dataFolder: string | undefined): void {
  if (dataFolder === undefined) return;
  metrics.level('pharos_store_size_bytes', 'Bytes of the files in the data folder.', () => bytesOfFiles(dataFolder), {
    row: 'Is it full?',
  });
  metrics.level(
    'pharos_store_free_bytes',
    'Bytes that are left on the disk of the data folder for who is not root.',
    async () => await freeBytes(dataFolder),
    {
      row: 'Is it full?',
      figure: {
        ...{ title: 'Disk days left', expr: DISK_DAYS, unit: 'd' },
        limits: { warning: 14, alarm: 3 },
      },
      alerts: [
        {
          alert: 'PharosDiskFull',
          expr: 'pharos_store_free_bytes < 1073741824',
          for: '1m',
          severity: 'page',
          summary: 'the disk has {{ $value | humanize1024 }}B left',
          page: 'disk_full',
        },
        {
          alert: 'PharosDiskFullSoon',
          expr: 'predict_linear(pharos_store_free_bytes[6h], 86400) < 0',
          for: '30m',
          severity: 'warning',
          summary: 'the disk is full within a day if it goes on so',
          page: 'disk_full',
        },
      ],
    },
  );
}

/** Metrics on the producers of the last round. */
function addRound(metrics: Metrics, { rows, clock, clockOffset, blockIntervalSeconds }: MeasuredChain): void {
  const round = (): LastRound => lastRound(rows, blockIntervalSeconds, clockOffset && clock.nowMs());
  metrics.level(
    'pharos_round_filled_slots',
    `How many of the last ${ROUND_SLOTS} slots have a block. Below ${ENOUGH_SLOTS} a chain dies out; 0 when it has stopped.`,
    () => round().filledSlots,
  );
  metrics.level('pharos_participation_ratio', 'The same as a part of 1.', () => round().filledSlots / ROUND_SLOTS, {
    row: 'Is it up?',
    alerts: [
      {
        alert: 'PharosParticipationLow',
        expr: 'pharos_participation_ratio < 0.8',
        for: '3m',
        severity: 'page',
        summary: 'only {{ $value | humanizePercentage }} of the last slots have a block',
        page: 'behind',
      },
    ],
  });
  metrics.level('pharos_round_scheduled_witnesses', 'Witnesses of the running round.', () => round().scheduled.length);
  metrics.level(
    'pharos_round_producers',
    'Those of them that have made a block in the slots of the last two rounds, in which each has one at least.',
    () => round().scheduled.length - round().silent.length,
  );
}

/** The figures ask the writer at most once per scrape. */
function makeFigures(writer: WriterClient, clock: Clock): Figures {
  let asked: { readonly atMs: number; readonly figures: Promise<WriterFigures | undefined> } | undefined;
  return () => {
    const nowMs = clock.nowMs();
    // The clock may have been set back.
    if (asked === undefined || Math.abs(nowMs - asked.atMs) > SAME_SCRAPE_MS)
      asked = { atMs: nowMs, figures: writerFigures(writer, clock) };
    return asked.figures;
  };
}

/** Metrics on what prevents this node's witnesses from producing. */
function addWitnesses(metrics: Metrics, figures: Figures): void {
  const witnesses = async (): Promise<WriterFigures['witnesses']> => (await figures())?.witnesses ?? [];
  metrics.count(
    {
      name: 'pharos_slots_missed_total',
      doc: 'Slots of this node’s witnesses that passed without their block.',
      labels: ['witness'],
      row: 'Why did I miss slots?',
      figure: {
        title: 'Missed slots, 1 h',
        expr: 'sum by (instance) (increase(pharos_slots_missed_total{instance=~"$instance"}[1h]))',
        limits: { warning: 1, alarm: 10 },
      },
      alerts: [
        {
          alert: 'PharosSlotsMissed',
          expr: 'increase(pharos_slots_missed_total[15m]) > 0',
          for: '0m',
          severity: 'page',
          summary: '{{ $labels.witness }} has missed slots',
          page: 'missed_slots',
        },
      ],
    },
    async () => (await witnesses()).map(({ witness, missedSlots }) => ({ labels: { witness }, value: missedSlots })),
  );
  metrics.levels(
    {
      name: 'pharos_witness_obstacle',
      doc: '1 for what keeps a witness from producing, or none.',
      labels: ['witness', 'obstacle'],
      row: 'Why did I miss slots?',
      alerts: [
        {
          alert: 'PharosWitnessHeldUp',
          expr: 'pharos_witness_obstacle{obstacle!="none"} == 1',
          for: '5m',
          severity: 'page',
          summary: '{{ $labels.witness }} makes no blocks: {{ $labels.obstacle }}',
          page: 'missed_slots',
        },
      ],
    },
    async () =>
      (await witnesses()).map(({ witness, obstacle = 'none' }) => ({ labels: { witness, obstacle }, value: 1 })),
  );
  metrics.level(
    'pharos_unused_signing_keys',
    'Keys of the setting private-key that no witness of this node signs with.',
    async () => (await figures())?.unusedKeys,
  );
  metrics.count(
    {
      name: 'pharos_signatures_refused_total',
      doc: 'Slots that were not signed because the signing journal has them already.',
      labels: [],
    },
    async () => [{ labels: {}, value: (await figures())?.refusedSignatures ?? 0 }],
  );
}

/** Metrics on who would take over from whom. */
function addStandbys(metrics: Metrics, figures: Figures): void {
  metrics.levels(
    {
      name: 'pharos_standby_obstacle',
      doc: '1 for what keeps this standby from taking over, or none.',
      labels: ['witness', 'obstacle'],
      row: 'Why did I miss slots?',
      alerts: [
        {
          alert: 'PharosStandbyNotReady',
          expr: 'pharos_standby_obstacle{obstacle!="none"} == 1',
          for: '10m',
          severity: 'warning',
          summary: 'it would not take over from {{ $labels.witness }}: {{ $labels.obstacle }}',
          page: 'missed_slots',
        },
      ],
    },
    async () => {
      const { standby } = (await figures()) ?? {};
      return standby === undefined
        ? []
        : [{ labels: { witness: standby.witness, obstacle: standby.obstacle ?? 'none' }, value: 1 }];
    },
  );
  metrics.levels(
    {
      name: 'pharos_standby_switch_expires_timestamp_seconds',
      doc: 'When the switch ends that a standby of this node has, 0 for none.',
      labels: ['node'],
    },
    async () => ((await figures())?.offers ?? []).map(({ node, expires }) => ({ labels: { node }, value: expires })),
  );
}

function addFrontDelay(metrics: Metrics): void {
  const delay = new LoopDelay();
  delay.begin();
  metrics.level(
    'pharos_front_delay_seconds',
    'How late the event loop of the front was at most since the last scrape; up to 0.05 s of a stop are not seen.',
    () => delay.takeSeconds(),
    { row: 'Is it slow?' },
  );
}

function addStalls(metrics: Metrics, stalls: StallTimes): void {
  metrics.histogram(
    'pharos_block_start_lateness_seconds',
    'From the beginning of a slot of this node’s until it began to make the block.',
    () => stalls.blockStart,
    { row: 'Why did I miss slots?' },
  );
  metrics.histogram(
    'pharos_block_lateness_seconds',
    'From the beginning of a slot of this node’s until its block was on the disk.',
    () => stalls.blockCommit,
    { row: 'Why did I miss slots?' },
  );
  metrics.level(
    'pharos_block_committed_timestamp_seconds',
    'When the last block of this node’s own was on the disk.',
    () => stalls.committedSeconds,
  );
  metrics.histogram(
    'pharos_verifier_batch_seconds',
    'How long a verifier was busy with one batch.',
    () => stalls.verifierBatch,
    {
      row: 'Is it slow?',
    },
  );
}

const SAME_SCRAPE_MS = 100;
/** A writer that is sealing a large block answers within a fraction of this; a stuck one must not delay the scrape. */
const WRITER_DEADLINE_MS = 1000;

async function writerFigures(writer: WriterClient, clock: Clock): Promise<WriterFigures | undefined> {
  return await withDeadline(writer.ask({ kind: 'figures' }), WRITER_DEADLINE_MS, clock).catch(() => undefined);
}

function addBroadcasts(metrics: Metrics, { broadcasts, stalls }: MeasuredThreads): void {
  metrics.level('pharos_broadcasts_queued', 'Broadcasts that wait for a verifier.', () => broadcasts.queued, {
    row: 'Is it slow?',
  });
  const proofs = {
    name: 'pharos_proofs_total',
    doc: 'What verifiers verified: broadcasts of clients and peers, transactions of blocks that nobody had sent before, and whole blocks.',
    labels: ['of'],
  } as const;
  metrics.count(proofs, () => [
    { labels: { of: 'broadcast' }, value: broadcasts.verified },
    { labels: { of: 'block_transaction' }, value: stalls.verified.transactions },
    { labels: { of: 'block' }, value: stalls.verified.blocks },
  ]);
  metrics.count(
    {
      name: 'pharos_broadcasts_direct_total',
      doc: 'Broadcasts that the writer verified itself, at low load; pharos_proofs_total counts them too.',
      labels: [],
    },
    () => [{ labels: {}, value: broadcasts.direct }],
  );
  metrics.level(
    'pharos_broadcasts_parked',
    'Accepted broadcasts whose senders wait for a block.',
    () => broadcasts.parked,
  );
  metrics.level('pharos_broadcasts_unanswered', 'Broadcasts without a final answer.', () => broadcasts.size);
  metrics.count(
    {
      name: 'pharos_broadcasts_total',
      doc: 'Broadcasts by outcome: accepted, or the code of the refusal.',
      labels: ['outcome'],
    },
    () => [...broadcasts.outcomes].map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
}

function addCalls(metrics: Metrics, times: MethodTimes): void {
  metrics.level(
    'pharos_rpc_in_flight',
    'Calls that wait for something; see max-requests-in-flight.',
    () => times.inFlight,
    {
      row: 'Is it slow?',
    },
  );
  const each = (read: (counts: MethodCounts) => number): Sample<'method'>[] =>
    [...times.counts].map(([method, counts]) => ({ labels: { method }, value: read(counts) }));
  const count = (name: string, doc: string, read: (counts: MethodCounts) => number, watched?: Watched): void =>
    metrics.count({ name, doc, labels: ['method'], ...watched }, () => each(read));
  count('pharos_rpc_repeated_total', 'Answers that were given again from the same block.', ({ repeated }) => repeated);
  count('pharos_rpc_refused_total', 'Calls that were refused.', ({ refused }) => refused, {
    row: 'Who loads it?',
  });
  metrics.histograms(
    {
      name: 'pharos_rpc_answer_seconds',
      doc: 'What answers took that were found out, and refusals.',
      labels: ['method'],
      row: 'Is it slow?',
    },
    () => [...times.counts].map(([method, { answered }]) => ({ labels: { method }, histogram: answered })),
  );
  metrics.count(
    { name: 'pharos_rpc_unknown_methods_total', doc: 'Calls of methods that there are not.', labels: [] },
    () => [{ labels: {}, value: times.unknownMethods }],
  );
  metrics.count(
    {
      name: 'pharos_rpc_bad_requests_total',
      doc: 'Bodies and elements of batches that were no request.',
      labels: [],
      row: 'Who loads it?',
    },
    () => [{ labels: {}, value: times.badRequests }],
  );
}

/** Of calls, and of broadcasts, which verifiers and writer answer. */
function addInternalErrors(
  metrics: Metrics,
  times: Pick<MethodTimes, 'internalErrors'>,
  { outcomes }: Pick<Broadcasts, 'outcomes'>,
): void {
  metrics.count(
    {
      name: 'pharos_internal_errors_total',
      doc: 'Calls and broadcasts that failed by a defect of this node (error -32603); log lines with event=internal_error have the causes.',
      labels: [],
      row: 'Is it up?',
      figure: {
        title: 'Internal errors, 1 h',
        expr: 'increase(pharos_internal_errors_total{instance=~"$instance"}[1h])',
        limits: { warning: 1, alarm: 10 },
      },
    },
    () => [{ labels: {}, value: times.internalErrors + (outcomes.get('internal_error') ?? 0) }],
  );
}

/** The counts of a port's connections. */
type ConnectedServer = Pick<HttpServer, 'webSockets' | 'connections' | 'socketFaults'>;

/**
 * Counts connected clients by asking the ports when the metrics are read: no connection and no call is counted on its
 * way.
 */
function addConnectionMetrics(metrics: Metrics, servers: readonly ConnectedServer[]): void {
  const declaration = {
    name: 'pharos_connections',
    doc: 'Open connections of the ports for calls, by what they are used for; see max-connections, and pharos_peers for those of peers.',
    labels: ['kind'],
    row: 'Who loads it?',
  } as const;
  metrics.levels(declaration, async () => {
    const webSockets = servers.reduce((sum, server) => sum + server.webSockets, 0);
    const counts = await Promise.all(servers.map((server) => server.connections()));
    const all = counts.reduce((sum, count) => sum + count, 0);
    return [
      { labels: { kind: 'websocket' }, value: webSockets },
      { labels: { kind: 'http' }, value: Math.max(0, all - webSockets) },
    ];
  });
  metrics.count(
    {
      name: 'pharos_websockets_broken_total',
      doc: 'WebSockets that ended by what their clients sent: too_long, no_utf8 or malformed. uWebSockets.js closes most of them without a code.',
      labels: ['fault'],
      row: 'Who loads it?',
    },
    () =>
      faults.map((fault) => ({
        labels: { fault },
        value: servers.reduce((sum, { socketFaults }) => sum + socketFaults[fault], 0),
      })),
  );
}

const faults = ['too_long', 'no_utf8', 'malformed'] as const satisfies readonly SocketFault[];
