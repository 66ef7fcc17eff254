import { systemClock } from '../base/clock.ts';
import type { Fault } from '../base/fault.ts';
import { STATE_HASH_EACH } from '../p2p/state_hashes.ts';
import type { Services } from '../rpc/services.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { attachReader, type RocksDbStore } from '../storage/rocksdb.ts';
import type { DataFolder } from './data_folder/data_folder.ts';
import { requireNoForeignHead } from './data_folder/foreign_head.ts';
import { defaultCacheBytes } from './database_cache.ts';
import type { ChainFollower } from './feed/chain_feed.ts';
import type { Front } from './front.ts';
import type { NetworkClient, NetworkReady } from './network/network_client.ts';
import { NetworkRecord } from './network/network_record.ts';
import type { NodeSettings } from './node_settings.ts';
import { ProductionRecord } from './production_record.ts';
import { SinkRecord } from './sinks/sink_record.ts';
import type { SinkClient } from './sinks/sink_client.ts';
import type { Snapshots } from './snapshot/snapshots.ts';
import { StallTimes } from './stall_times.ts';
import { Broadcasts } from './threads/broadcasts.ts';
import type { Verifiers, VerifierPool } from './threads/verifier_pool.ts';
import { refuseFewFiles } from './open_files.ts';
import { openSnapshots } from './threads/start_snapshot.ts';
import { startWriter } from './threads/start_writer.ts';
import type { WriterClient, WriterListener } from './threads/writer_client.ts';

/** A running node. */
export interface RunningNode {
  readonly chainId: string;
  readonly headBlockNumber: number;
  readonly ports: readonly number[];
  readonly metricsPort: number | undefined;
  /** Who the node is to its peers, and where it lets them in; undefined when it speaks to none. */
  readonly network: NetworkReady | undefined;
  /** What speaks HTTP, for the operator. */
  readonly httpServer: string;
  /** What methods are given; a development chain uses them to act for its own witness. */
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
  /** About a second of work for one verifier. */
  queuedBroadcasts: 20_000,
  /** Four times the promised number; 1 KiB each. */
  parkedBroadcasts: 20_000,
};

/** Builds a node, part by part: store, writer, front with its servers, verifiers. Throws the Fault of the part that cannot start. */
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
  cacheBytes = defaultCacheBytes(),
  acceptHead,
  writer: { chain, checkpoints },
}: NodeSettings): Promise<RocksDbStore> {
  // The modules that compute the chain id load while the database opens.
  const chainId = import('./chain_settings.ts').then(({ parametersOf }) => parametersOf(chain).chainId);
  chainId.catch(() => undefined); // handled where it is awaited
  return await folder.open({ chainId, cacheBytes, acceptHead, checkpoints });
}

async function startParts(settings: NodeSettings, parts: Parts): Promise<RunningNode> {
  refuseFewFiles();
  const { folder, broadcasts, stalls, production } = parts;
  if (settings.p2p === undefined) requireNoForeignHead(folder.path);
  const store = await openStore(settings);
  parts.store = store;
  let reportFailure: (fault: Fault) => void = () => {};
  const failed = new Promise<Fault>((resolve) => {
    reportFailure = resolve;
  });
  const writesEndEach = (settings.p2p?.trusted.length ?? 0) > 0 ? STATE_HASH_EACH : undefined;
  const writer = startWriter(
    { ...settings.writer, writesEndEach, storeHandle: store.handle, folder: folder.path },
    writerListener(parts, reportFailure),
  );
  parts.writer = writer;
  // The writer opens the chain in its thread while this one loads the modules that only it needs.
  const [ready, { openFront }] = await Promise.all([writer.opened(), import('./front.ts')]);
  folder.begun();
  parts.snapshots = openSnapshots(settings, store.handle);
  if (parts.snapshots !== undefined) writer.follow(parts.snapshots);
  let poolStarted: (pool: VerifierPool) => void = () => {};
  const started = new Promise<VerifierPool>((resolve) => {
    poolStarted = resolve;
  });
  let networkStarted: (client: NetworkClient) => void = () => {};
  const client = new Promise<NetworkClient>((resolve) => {
    networkStarted = resolve;
  });
  const network = settings.p2p === undefined ? undefined : { record: new NetworkRecord(), client };
  const sink = settings.sink && new SinkRecord(settings.sink.connection.servers.join(', '));
  const front = await openFront(settings, {
    dataFolder: folder.path,
    store: attachReader(store.handle),
    broadcasts,
    writer,
    stalls,
    production,
    verifiers: verifiersOf(started),
    network,
    sink,
    snapshots: parts.snapshots,
    failed: reportFailure,
  });
  parts.front = front;
  const pool = await startVerifiers(settings, { store, stalls }, writer);
  parts.pool = pool;
  broadcasts.start(pool);
  poolStarted(pool);
  const { chainId, headBlockNumber } = ready;
  const { ports, metricsPort, httpServer, services } = front;
  const reached =
    network && (await openNetwork(settings, parts, { store, writer, pool, failed: reportFailure, record: network.record, networkStarted }));
  if (sink !== undefined) {
    const { startSink } = await import('./threads/start_sink.ts');
    parts.sink = startSink(settings, { store, writer, record: sink, failed: reportFailure });
  }
  return {
    ...{ chainId, headBlockNumber, ports, metricsPort, network: reached, httpServer, services, failed },
    follow: (follower) => writer.follow(follower),
    answers: async () => void (await writer.ask({ kind: 'figures' })),
    status: () => statusOf(services.rows, network?.record),
    stop: () => stopParts(parts),
  };
}

function statusOf(rows: Services['rows'], network: NetworkRecord | undefined): string {
  const head = `head block ${rows.only(dynamicGlobalProperties).head_block_number}`;
  const { inbound, outbound, behindBy } = network?.state ?? {};
  return inbound === undefined || outbound === undefined ? head : `${head}, ${inbound + outbound} peers, ${behindBy} blocks behind`;
}

async function startVerifiers(
  { writer: { chain }, verifierThreads, guardsMemos }: NodeSettings,
  { store, stalls }: Required<Pick<Parts, 'store' | 'stalls'>>,
  writer: WriterClient,
): Promise<VerifierPool> {
  const { VerifierPool: Pool } = await import('./threads/verifier_pool.ts');
  return new Pool({ chain, storeHandle: store.handle, guardsMemos }, verifierThreads, {
    line: (port) => writer.connect(port),
    batchTook: (seconds) => stalls.verifierBatch.add(seconds),
    proves: (what, count) => {
      stalls.proved[what] += count;
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
  { p2p, folder, ownsTime = false, networkLogLevel, writer: { chain, checkpoints, production, logLevel: writersLevel } }: NodeSettings,
  parts: Parts,
  { store, writer, pool, failed, record, networkStarted }: NetworkSurroundings,
): Promise<NetworkReady | undefined> {
  if (p2p === undefined) return undefined;
  const [{ startNetwork }, { PeerBlocksIntake }, { PeerTransactionsIntake }, { parametersOf }] = await Promise.all([
    import('./threads/start_network.ts'),
    import('./network/peer_blocks_intake.ts'),
    import('./network/peer_transactions_intake.ts'),
    import('./chain_settings.ts'),
  ]);
  const checkpoint = Math.max(0, ...checkpoints.map(([number]) => number));
  const logLevel = networkLogLevel ?? writersLevel;
  const { witnesses = [] } = production ?? {};
  const threadSettings = { p2p, chain, checkpoint, ownsTime, logLevel, witnesses, storeHandle: store.handle, folder: folder.path };
  const network = startNetwork(threadSettings, writer, {
    blocks: new PeerBlocksIntake({ writer, verifiers: pool }),
    transactions: new PeerTransactionsIntake({ parameters: parametersOf(chain), broadcasts: parts.broadcasts }),
    takeAlive: async (alive) => (await writer.ask({ kind: 'alive', alive })) === true,
    failed,
    told: (state) => {
      record.take(state);
      const { voices: peers, medianClockAheadMs: clockAheadMs, isSynced, inStep, sources, unconfirmed } = state;
      writer.tellPeers({ peers, clockAheadMs, isBehind: !isSynced || unconfirmed !== undefined, inStep, sources });
      if (!ownsTime) writer.followLowest();
    },
    standbySwitch: (from, packed) => writer.tellSwitch(from, packed),
  });
  parts.network = network;
  networkStarted(network);
  return await network.opened();
}

/** Until the verifiers have started, requests to them wait, as broadcasts do; the node answers everything else meanwhile. */
function verifiersOf(started: Promise<VerifierPool>): Verifiers {
  return {
    recover: async (digest, signatures) => await (await started).recover(digest, signatures),
    verifyTransactions: async (transactions) => await (await started).verifyTransactions(transactions),
    verifyForCheck: async (packed) => await (await started).verifyForCheck(packed),
    prove: async (transactions) => await (await started).prove(transactions),
    encodedBlocks: async (...blocks) => await (await started).encodedBlocks(...blocks),
  };
}

function writerListener(parts: Parts, failed: (fault: Fault) => void): WriterListener {
  const { broadcasts, stalls, production } = parts;
  return {
    verdicts: (bytes) => broadcasts.takeVerdicts(bytes),
    dropped: (bytes) => broadcasts.takeDropped(bytes),
    produced: (slot) => stalls.takeSlot(slot),
    alive: (alive) => parts.network?.tellAlive(alive),
    production: (problems) => production.take(problems),
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
}

/** Stops taking requests, answers those in progress, and closes the store once nothing reads or writes it. */
async function stopParts({ folder, store, writer, front, pool, network, sink, snapshots, broadcasts }: Parts): Promise<void> {
  try {
    broadcasts.stop();
    await front?.close();
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
