import { hostname } from 'node:os';
import { systemClock } from '../base/clock.ts';
import type { Fault } from '../base/fault.ts';
import { fixedLimits } from '../rpc/fixed_limits.ts';
import { STATE_HASH_EACH } from '../p2p/sync/state_hashes.ts';
import type { Services } from '../rpc/services.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { attachReader, type RocksDbStore } from '../storage/rocksdb.ts';
import type { DataFolder } from '../data_folder/data_folder.ts';
import { requireNoForeignHead } from '../data_folder/foreign_head.ts';
import { defaultCacheBytes } from '../settings/store_settings.ts';
import type { ChainFollower } from '../feed/chain_feed.ts';
import type { Front } from './front.ts';
import type { BroadcastTracer } from '../tracing/broadcast_trace.ts';
import type { NetworkClient, NetworkReady } from './network/network_client.ts';
import { NetworkRecord } from './network/network_record.ts';
import type { NodeSettings } from '../settings/node_settings.ts';
import { ProductionRecord } from './http/production_record.ts';
import { SinkRecord } from './sinks/sink_record.ts';
import type { SinkClient } from './sinks/sink_client.ts';
import type { SinkSurroundings } from './sinks/start_sink.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';
import { StallTimes } from './threads/stall_times.ts';
import { FINALITY_MS } from './threads/broadcasts/broadcast_answers.ts';
import { Broadcasts } from './threads/broadcasts/broadcasts.ts';
import { DirectBatches } from '../verifiers/direct_batches.ts';
import { WriterBudget } from '../verifiers/writer_budget.ts';
import type { Verifiers, VerifierPool } from '../verifiers/verifier_pool.ts';
import { refuseFewFiles } from '../system/open_files.ts';
import { ignoreFlagInThreads } from '../system/thread_memory.ts';
import { openSnapshots } from './threads/start_snapshot.ts';
import { startWriter } from './threads/writer/start_writer.ts';
import type { WriterClient, WriterListener } from './threads/writer/writer_client.ts';

/** A running node. */
export interface RunningNode {
  readonly chainId: string;
  readonly headBlockNumber: number;
  readonly ports: readonly number[];
  /** The path of the Unix socket that answers, too. */
  readonly unixEndpoint: string | undefined;
  readonly metricsPort: number | undefined;
  /** The node's id for its peers, and the address at which it lets them in; undefined when it has no network. */
  readonly network: NetworkReady | undefined;
  /** The name of the HTTP server and the reason for it, for the operator. */
  readonly httpServer: string;
  /** The services of methods; a development chain uses them to act for its own witness. */
  readonly services: Services;
  /** From now on a part in this thread is notified of what is written. */
  follow(follower: ChainFollower): void;
  /** Resolves when the writer has answered, which it does between two blocks; rejects when it has ended. */
  answers(): Promise<void>;
  /** Its head and its peers, in a few words. */
  status(): string;
  /** Resolves when a part of the node has failed: nothing more is written, and the node must be stopped. */
  readonly failed: Promise<Fault>;
  stop(): Promise<void>;
}

const BROADCAST_LIMITS = {
  queuedBroadcasts: fixedLimits.too_many_broadcasts.most,
  parkedBroadcasts: fixedLimits.too_many_waiting.most,
  waitingForFinality: fixedLimits.not_final.most,
  finalityMs: FINALITY_MS,
};

/**
 * Builds a node, part by part: store, writer, front with its servers, verifiers. Throws the Fault of the part that
 * cannot start.
 */
export async function startNode(settings: NodeSettings): Promise<RunningNode> {
  const { folder } = settings;
  const parts: Parts = {
    folder,
    broadcasts: new Broadcasts(BROADCAST_LIMITS, systemClock),
    stalls: new StallTimes(),
    production: new ProductionRecord(),
  };
  try {
    return await startParts(settings, parts);
  } catch (error) {
    await stopParts(parts).catch(() => undefined); // the first error says why
    throw error;
  }
}

async function openStore({
  folder,
  store: { cacheBytes = defaultCacheBytes(), acceptHead },
  writer: { chain, checkpoints },
}: NodeSettings): Promise<RocksDbStore> {
  // The modules that compute the chain id load while the database opens.
  const chainId = import('../settings/chain_settings.ts').then(({ readParameters }) => readParameters(chain).chainId);
  chainId.catch(() => undefined); // handled where it is awaited
  return await folder.open({ chainId, cacheBytes, acceptHead, checkpoints });
}

async function startParts(settings: NodeSettings, parts: Parts): Promise<RunningNode> {
  refuseFewFiles();
  ignoreFlagInThreads();
  await startTracing(settings, parts);
  const { folder } = parts;
  if (settings.network === undefined) requireNoForeignHead(folder.path);
  const store = await openStore(settings);
  parts.store = store;
  const failure = later<Fault>();
  const writer = startChain(settings, parts, store, failure.arrive);
  // The writer opens the chain in its thread while this one loads the modules that only it needs.
  const [ready, { openFront }] = await Promise.all([writer.opened(), import('./front.ts')]);
  folder.begun();
  parts.snapshots = openSnapshots(settings, store.handle);
  if (parts.snapshots !== undefined) writer.follow(parts.snapshots);
  const [verifiers, client] = [later<VerifierPool>(), later<NetworkClient>()];
  const { broadcasts, stalls, production } = parts;
  const networkRecord = settings.network && new NetworkRecord();
  const sinkRecord = settings.sink && new SinkRecord(settings.sink.nats.connection.servers.join(', '));
  const front = await openFront(settings, {
    dataFolder: folder.path,
    store: attachReader(store.handle),
    threads: {
      ...{ broadcasts, writer, verifiers: makeVerifiers(verifiers.promise) },
      network: networkRecord && client.promise,
    },
    reports: { stalls, production, network: networkRecord, sink: sinkRecord },
    snapshots: parts.snapshots,
    failed: failure.arrive,
  });
  parts.front = front;
  const pool = await startVerifiers(settings, { store, stalls }, writer);
  parts.pool = pool;
  const slotMs = front.services.parameters.blockIntervalSeconds * 1000;
  broadcasts.start(pool, new DirectBatches(writer, new WriterBudget(systemClock, slotMs)));
  verifiers.arrive(pool);
  const surroundings = { store, writer, failed: failure.arrive };
  const network =
    networkRecord &&
    (await openNetwork(settings, parts, {
      ...surroundings,
      ...{ pool, record: networkRecord, networkStarted: client.arrive },
    }));
  if (sinkRecord !== undefined) await openSink(settings, parts, { ...surroundings, record: sinkRecord });
  const { ports, unixEndpoint, metricsPort, httpServer, services } = front;
  return {
    ...{ chainId: ready.chainId, headBlockNumber: ready.headBlockNumber, network, failed: failure.promise },
    ...{ ports, unixEndpoint, metricsPort, httpServer, services },
    follow: (follower) => writer.follow(follower),
    answers: async () => void (await writer.ask({ kind: 'figures' })),
    status: () => statusText(services.rows, networkRecord),
    stop: () => stopParts(parts),
  };
}

/** A part, or a failure, that others are handed before it is there. */
interface Later<T> {
  readonly promise: Promise<T>;
  readonly arrive: (value: T) => void;
}

function later<T>(): Later<T> {
  let arrive: Later<T>['arrive'] = () => {};
  const promise = new Promise<T>((resolve) => {
    arrive = resolve;
  });
  return { promise, arrive };
}

async function startTracing({ traces, log }: NodeSettings, parts: Parts): Promise<void> {
  if (traces === undefined) return;
  const { startTracer } = await import('../tracing/start_tracer.ts');
  parts.tracer = startTracer(traces, hostname(), log);
  parts.broadcasts.traceWith(parts.tracer);
}

/** Starts the writer, which opens the chain. */
function startChain(
  settings: NodeSettings,
  parts: Parts,
  { handle: storeHandle }: RocksDbStore,
  failed: (fault: Fault) => void,
): WriterClient {
  const hasTrusted = (settings.network?.p2p.trusted.length ?? 0) > 0;
  const writerSettings = {
    ...settings.writer,
    ...{ guardsMemos: settings.verifiers.guardsMemos, writesEndEach: hasTrusted ? STATE_HASH_EACH : undefined },
    ...{ storeHandle, folder: parts.folder.path },
  };
  parts.writer = startWriter(writerSettings, writerListener(parts, failed));
  return parts.writer;
}

async function openSink(settings: NodeSettings, parts: Parts, surroundings: SinkSurroundings): Promise<void> {
  const { startSink } = await import('./sinks/start_sink.ts');
  parts.sink = startSink(settings, surroundings);
}

function statusText(rows: Services['rows'], network: NetworkRecord | undefined): string {
  const head = `head block ${rows.only(dynamicGlobalProperties).head_block_number}`;
  const { inbound, outbound, behindBy } = network?.state ?? {};
  return inbound === undefined || outbound === undefined
    ? head
    : `${head}, ${inbound + outbound} peers, ${behindBy} blocks behind`;
}

async function startVerifiers(
  { writer: { chain }, verifiers: { threads, guardsMemos, youngGenerationMib } }: NodeSettings,
  { store, stalls }: Required<Pick<Parts, 'store' | 'stalls'>>,
  writer: WriterClient,
): Promise<VerifierPool> {
  const { VerifierPool: Pool } = await import('../verifiers/verifier_pool.ts');
  return new Pool({ chain, storeHandle: store.handle, guardsMemos, youngGenerationMib }, threads, {
    line: (port) => writer.connect(port),
    batchTook: (seconds) => stalls.verifierBatch.add(seconds),
    verifies: (what, count) => {
      stalls.verified[what] += count;
    },
  });
}

interface NetworkSurroundings {
  readonly store: RocksDbStore;
  readonly writer: WriterClient;
  readonly pool: VerifierPool;
  readonly failed: (fault: Fault) => void;
  readonly record: NetworkRecord;
  readonly networkStarted: (client: NetworkClient) => void;
}

/** Starts the network, where the operator wants one. */
async function openNetwork(
  {
    network: settings,
    folder,
    ownsTime = false,
    writer: { chain, checkpoints, finalityCheckpoint, production, log: writersLog },
  }: NodeSettings,
  parts: Parts,
  { store, writer, pool, failed, record, networkStarted }: NetworkSurroundings,
): Promise<NetworkReady | undefined> {
  if (settings === undefined) return undefined;
  const { p2p, log = writersLog } = settings;
  const [{ startNetwork }, { PeerBlocksIntake }, { PeerTransactionsIntake }] = await Promise.all([
    import('./network/start_network.ts'),
    import('./network/peer_blocks_intake.ts'),
    import('./network/peer_transactions_intake.ts'),
  ]);
  const checkpoint = Math.max(0, ...checkpoints.map(([number]) => number));
  const { witnesses = [] } = production ?? {};
  const threadSettings = {
    p2p,
    chain,
    checkpoint,
    finalityCheckpoint,
    ownsTime,
    log,
    witnesses,
    storeHandle: store.handle,
    folder: folder.path,
  };
  const network = startNetwork(threadSettings, writer, {
    blocks: new PeerBlocksIntake({ writer, verifiers: pool }),
    transactions: new PeerTransactionsIntake(parts.broadcasts),
    takeAlive: (alive) => writer.ask({ kind: 'alive', alive }),
    failed,
    told: (state) => {
      record.take(state);
      const { voices: peers, medianClockAheadMs: clockAheadMs, isSynced, inStep, sources, unconfirmed } = state;
      writer.tellPeers({ peers, clockAheadMs, isBehind: !isSynced || unconfirmed !== undefined, inStep, sources });
      if (!ownsTime) writer.followLowest();
    },
    standbySwitch: (from, packed) => writer.tellSwitch(from, packed),
    heardVotes: (heard) => writer.tellVotes(heard),
  });
  parts.network = network;
  networkStarted(network);
  return await network.opened();
}

/**
 * Until the verifiers have started, requests to them wait, as broadcasts do; the node answers everything else
 * meanwhile.
 */
function makeVerifiers(started: Promise<VerifierPool>): Verifiers {
  return {
    recover: async (digest, signatures) => await (await started).recover(digest, signatures),
    verifyTransactions: async (transactions) => await (await started).verifyTransactions(transactions),
    verifyForCheck: async (packed) => await (await started).verifyForCheck(packed),
    verifyPacked: async (transactions) => await (await started).verifyPacked(transactions),
    encodedBlocks: async (...blocks) => await (await started).encodedBlocks(...blocks),
  };
}

function writerListener(parts: Parts, failed: (fault: Fault) => void): WriterListener {
  const { broadcasts, stalls, production } = parts;
  return {
    verdicts: (bytes, beganMs, report) => broadcasts.takeVerdicts(bytes, beganMs, report),
    verifierLoaded: () => broadcasts.writerVerifies(),
    unverified: () => broadcasts.takeUnverified(),
    dropped: (bytes) => broadcasts.takeDropped(bytes),
    produced: (slot) => stalls.takeSlot(slot),
    alive: (alive) => parts.network?.tellAlive(alive),
    finality: (news) => parts.network?.tellFinality(news),
    production: (problems) => production.take(problems),
    finalised: (afterMs) => stalls.finality.add(afterMs / 1000),
    voting: (news) => production.takeVoting(news),
    // None is signed before the network has told of its peers.
    standbySwitch: (node, packed) => parts.network?.handSwitch(node, packed),
    failed,
  };
}

interface Parts {
  readonly folder: DataFolder;
  store?: RocksDbStore;
  writer?: WriterClient;
  front?: Front;
  pool?: VerifierPool;
  network?: NetworkClient;
  sink?: SinkClient;
  readonly broadcasts: Broadcasts;
  snapshots?: Snapshots | undefined;
  readonly stalls: StallTimes;
  readonly production: ProductionRecord;
  tracer?: BroadcastTracer;
}

/** Stops taking requests, answers those in progress, and closes the store once nothing reads or writes it. */
async function stopParts({
  folder,
  store,
  writer,
  front,
  pool,
  network,
  sink,
  snapshots,
  broadcasts,
  tracer,
}: Parts): Promise<void> {
  try {
    broadcasts.stop();
    await front?.close();
    await tracer?.stop();
    await network?.stop();
    await sink?.stop();
    await pool?.close();
    await snapshots?.stop();
    await writer?.stop();
    await store?.close();
  } finally {
    folder.release();
  }
}
