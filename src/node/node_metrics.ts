import type { Clock } from '../base/clock.ts';
import { Metrics, type Sample } from '../base/metrics.ts';
import { withDeadline } from '../jsonrpc/deadline.ts';
import type { Page } from '../jsonrpc/http/http_server.ts';
import type { MethodCounts, MethodTimes } from '../jsonrpc/method_times.ts';
import type { CommittedState } from '../rpc/services.ts';
import type { Subscriptions } from '../rpc/notices/subscriptions.ts';
import { about } from './about.ts';
import { addChainMetrics, type Figures } from './chain_metrics.ts';
import type { ClockOffset } from './clock_offset.ts';
import { addConnectionMetrics, type ConnectedServer } from './connection_metrics.ts';
import { bytesOfFiles, freeBytes } from './data_folder/folder_size.ts';
import { ENOUGH_SLOTS, lastRound, ROUND_SLOTS, type LastRound } from './last_round.ts';
import { addNetworkMetrics } from './network/network_metrics.ts';
import type { NetworkRecord } from './network/network_record.ts';
import { addSinkMetrics } from './sinks/sink_metrics.ts';
import type { SinkRecord } from './sinks/sink_record.ts';
import type { StallTimes } from './stall_times.ts';
import type { Broadcasts } from './threads/broadcasts.ts';
import type { WriterFigures } from './threads/messages.ts';
import type { WriterClient } from './threads/writer_client.ts';
import { addWatchMetrics } from './watch/watch_metrics.ts';
import type { NodeWatch } from './watch/node_watch.ts';

/** The parts whose metrics are served. */
export interface MeasuredParts {
  readonly rows: CommittedState;
  /** Its path; undefined where nothing is on a disk. */
  readonly dataFolder: string | undefined;
  readonly clock: Clock;
  readonly blockIntervalSeconds: number;
  readonly broadcasts: Broadcasts;
  readonly subscriptions: Pick<Subscriptions, 'size'> | undefined;
  /** The ports for calls. */
  readonly servers: readonly ConnectedServer[];
  readonly times: MethodTimes;
  readonly watch: NodeWatch;
  readonly writer: WriterClient;
  readonly stalls: StallTimes;
  readonly clockOffset: Pick<ClockOffset, 'seconds'> | undefined;
  /** How the node stands to others; undefined where it speaks to none. */
  readonly network: NetworkRecord | undefined;
  /** How the event stream stands, where there is one. */
  readonly sink: SinkRecord | undefined;
}

/** The metrics of a node. */
export function nodeMetrics(parts: MeasuredParts): Metrics {
  const metrics = new Metrics();
  const figures = figuresOf(parts);
  addBuild(metrics);
  addStore(metrics, parts);
  addChainMetrics(metrics, parts, figures);
  addRound(metrics, parts);
  addWitnesses(metrics, figures);
  addStandbys(metrics, figures);
  addNetworkMetrics(metrics, parts.network);
  if (parts.sink !== undefined) addSinkMetrics(metrics, parts.sink);
  addStalls(metrics, parts.stalls);
  addBroadcasts(metrics, parts);
  addCalls(metrics, parts.times);
  addConnectionMetrics(metrics, parts.servers);
  addWatchMetrics(metrics, parts.watch);
  metrics.level(
    'pharos_subscriptions',
    'Subscriptions to documents, blocks, operations and balances.',
    () => parts.subscriptions?.size ?? 0,
  );
  return metrics;
}

/** `GET /metrics`. */
export function metricsPage(metrics: Metrics): (path: string) => Promise<Page> | undefined {
  const show = async (): Promise<Page> => ({ status: 200, contentType: metrics.contentType, body: await metrics.text() });
  return (path) => (path === '/metrics' ? show() : undefined);
}

function addBuild(metrics: Metrics): void {
  const { clientVersion: version, revision } = about;
  metrics.levels({ name: 'pharos_build_info', doc: 'Always 1; which program this is.', labels: ['version', 'revision', 'node'] }, () => [
    { labels: { version, revision, node: process.version }, value: 1 },
  ]);
}

function addStore(metrics: Metrics, { dataFolder }: MeasuredParts): void {
  if (dataFolder === undefined) return;
  metrics.level('pharos_store_size_bytes', 'Bytes of the files in the data folder.', () => bytesOfFiles(dataFolder));
  metrics.level(
    'pharos_store_free_bytes',
    'Bytes that are left on the disk of the data folder for who is not root.',
    async () => await freeBytes(dataFolder),
  );
}

/** Metrics on the producers of the last round. */
function addRound(metrics: Metrics, { rows, clock, clockOffset, blockIntervalSeconds }: MeasuredParts): void {
  const round = (): LastRound => lastRound(rows, blockIntervalSeconds, clockOffset && clock.nowMs());
  metrics.level(
    'pharos_round_filled_slots',
    `How many of the last ${ROUND_SLOTS} slots have a block. Below ${ENOUGH_SLOTS} a chain dies out; 0 when it has stopped.`,
    () => round().filledSlots,
  );
  metrics.level('pharos_participation_ratio', 'The same as a part of 1.', () => round().filledSlots / ROUND_SLOTS);
  metrics.level('pharos_round_scheduled_witnesses', 'Witnesses of the running round.', () => round().scheduled.length);
  metrics.level(
    'pharos_round_producers',
    'Those of them that have made a block in the slots of the last two rounds, in which each has one at least.',
    () => round().scheduled.length - round().silent.length,
  );
}

/** The figures ask the writer at most once per scrape. */
function figuresOf({ writer, clock }: MeasuredParts): Figures {
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
    { name: 'pharos_slots_missed_total', doc: 'Slots of this node’s witnesses that passed without their block.', labels: ['witness'] },
    async () => (await witnesses()).map(({ witness, missedSlots }) => ({ labels: { witness }, value: missedSlots })),
  );
  metrics.levels(
    { name: 'pharos_witness_obstacle', doc: '1 for what keeps a witness from producing, or none.', labels: ['witness', 'obstacle'] },
    async () => (await witnesses()).map(({ witness, obstacle = 'none' }) => ({ labels: { witness, obstacle }, value: 1 })),
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
    { name: 'pharos_standby_obstacle', doc: '1 for what keeps this standby from taking over, or none.', labels: ['witness', 'obstacle'] },
    async () => {
      const { standby } = (await figures()) ?? {};
      return standby === undefined ? [] : [{ labels: { witness: standby.witness, obstacle: standby.obstacle ?? 'none' }, value: 1 }];
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

function addStalls(metrics: Metrics, stalls: StallTimes): void {
  metrics.histogram(
    'pharos_block_start_lateness_seconds',
    'From the beginning of a slot of this node’s until it began to make the block.',
    () => stalls.blockStart,
  );
  metrics.histogram(
    'pharos_block_lateness_seconds',
    'From the beginning of a slot of this node’s until its block was on the disk.',
    () => stalls.blockCommit,
  );
  metrics.level(
    'pharos_block_committed_timestamp_seconds',
    'When the last block of this node’s own was on the disk.',
    () => stalls.committedSeconds,
  );
  metrics.histogram('pharos_verifier_batch_seconds', 'How long a verifier was busy with one batch.', () => stalls.verifierBatch);
}

const SAME_SCRAPE_MS = 100;
/** A writer that is sealing a large block answers within a fraction of this; a stuck one must not delay the scrape. */
const WRITER_DEADLINE_MS = 1000;

async function writerFigures(writer: WriterClient, clock: Clock): Promise<WriterFigures | undefined> {
  return await withDeadline(askWriter(writer), WRITER_DEADLINE_MS, clock).catch(() => undefined);
}

async function askWriter(writer: WriterClient): Promise<WriterFigures>;
async function askWriter(writer: WriterClient): Promise<unknown> {
  return await writer.ask({ kind: 'figures' });
}

function addBroadcasts(metrics: Metrics, { broadcasts, stalls }: MeasuredParts): void {
  metrics.level('pharos_broadcasts_queued', 'Broadcasts that wait for a verifier.', () => broadcasts.queued);
  const proofs = {
    name: 'pharos_proofs_total',
    doc: 'What verifiers proved: broadcasts of clients and peers, transactions of blocks that nobody had sent before, and whole blocks.',
    labels: ['of'],
  } as const;
  metrics.count(proofs, () => [
    { labels: { of: 'broadcast' }, value: broadcasts.proved },
    { labels: { of: 'block_transaction' }, value: stalls.proved.transactions },
    { labels: { of: 'block' }, value: stalls.proved.blocks },
  ]);
  metrics.level('pharos_broadcasts_parked', 'Accepted broadcasts whose senders wait for a block.', () => broadcasts.parked);
  metrics.level('pharos_broadcasts_unanswered', 'Broadcasts without a final answer.', () => broadcasts.size);
  metrics.count(
    { name: 'pharos_broadcasts_total', doc: 'Broadcasts by outcome: accepted, or the code of the refusal.', labels: ['outcome'] },
    () => [...broadcasts.outcomes].map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
}

function addCalls(metrics: Metrics, times: MethodTimes): void {
  metrics.level('pharos_rpc_in_flight', 'Calls that wait for something; see max-requests-in-flight.', () => times.inFlight);
  const each = (read: (counts: MethodCounts) => number): Sample<'method'>[] =>
    [...times.counts].map(([method, counts]) => ({ labels: { method }, value: read(counts) }));
  const count = (name: string, doc: string, read: (counts: MethodCounts) => number): void =>
    metrics.count({ name, doc, labels: ['method'] }, () => each(read));
  count('pharos_rpc_repeated_total', 'Answers that were given again from the same block.', ({ repeated }) => repeated);
  count('pharos_rpc_refused_total', 'Calls that were refused.', ({ refused }) => refused);
  metrics.histograms(
    { name: 'pharos_rpc_answer_seconds', doc: 'What answers took that were found out, and refusals.', labels: ['method'] },
    () => [...times.counts].map(([method, { answered }]) => ({ labels: { method }, histogram: answered })),
  );
  metrics.count({ name: 'pharos_rpc_unknown_methods_total', doc: 'Calls of methods that there are not.', labels: [] }, () => [
    { labels: {}, value: times.unknownMethods },
  ]);
  metrics.count({ name: 'pharos_rpc_bad_requests_total', doc: 'Bodies and elements of batches that were no request.', labels: [] }, () => [
    { labels: {}, value: times.badRequests },
  ]);
}
