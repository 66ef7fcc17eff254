import { present } from '../base/assert.ts';
import { systemClock } from '../base/clock.ts';
import type { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { randomBytes } from '../crypto/random.ts';
import { defaultDialect, notationOf } from '../rpc/dialect.ts';
import type { Door } from '../rpc/http/door_options.ts';
import type { Limits } from '../rpc/limits.ts';
import type { Methods } from '../rpc/method.ts';
import { MethodTimes } from '../rpc/method_times.ts';
import type { DebugHead, DebugOrder, Services } from '../rpc/services.ts';
import { Subscriptions } from '../rpc/subscriptions.ts';
import type { AccountRows } from '../state/records/account.ts';
import type { AccountName } from '../values/account_name.ts';
import { attachReader, openRocksDb, type RocksDbStore } from '../storage/rocksdb.ts';
import { View } from '../storage/view.ts';
import { about } from './about.ts';
import { parametersOf } from './chain_settings.ts';
import type { Endpoint } from './config/options.ts';
import { Intake } from './intake.ts';
import { openCallDoor, openMetricsDoor, type Behind } from './open_doors.ts';
import { Broadcasts } from './threads/broadcasts.ts';
import type { BlockNotice, WriterSettings } from './threads/messages.ts';
import { startVerifierPool, type RunningVerifierPool } from './threads/verifier_pool.ts';
import { WriterLine, type WriterListener } from './threads/writer_line.ts';

/** Everything that a node is built from. */
export interface NodeSettings {
  /** Folder of the database. */
  readonly dataFolder: string;
  readonly writer: Omit<WriterSettings, 'storeHandle'>;
  readonly endpoints: readonly Endpoint[];
  /** Where figures are shown; nowhere when left out. */
  readonly metricsEndpoint?: Endpoint | undefined;
  readonly methods: Methods;
  readonly limits: Limits;
  readonly verifierThreads: number;
  readonly corsOrigin: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly privateKeysAllowed: boolean;
  readonly log: Log;
  /** Told of each block after it is on the disk. */
  readonly onBlock?: (notice: BlockNotice) => void;
}

/** A node that answers. */
export interface RunningNode {
  readonly chainId: string;
  readonly headBlockNumber: number;
  readonly ports: readonly number[];
  readonly metricsPort: number | undefined;
  /** What methods are given; a development chain uses it to act for its own witness. */
  readonly services: Services;
  /** Resolves when a part of the node has failed: nothing more is written, and it is to be stopped. */
  readonly failed: Promise<Fault>;
  stop(): Promise<void>;
}

/** Decoded rows that the front keeps between blocks, about 1 KiB each. */
const CACHED_ROWS = 50_000;

const BROADCAST_LIMITS = {
  /** About a second of work for one verifier. */
  queuedBroadcasts: 20_000,
  /** Four times what is promised; 1 KiB each. */
  parkedBroadcasts: 20_000,
};

/** Builds a node, part by part: store, writer, verifiers, front, doors. Throws the Fault of the part that cannot start. */
export async function startNode(settings: NodeSettings): Promise<RunningNode> {
  const store = await openRocksDb(settings.dataFolder);
  const parts: Parts = { store, broadcasts: new Broadcasts(BROADCAST_LIMITS), doors: [] };
  try {
    return await startParts(settings, parts);
  } catch (error) {
    await stopParts(parts);
    throw error;
  }
}

async function startParts(settings: NodeSettings, parts: Parts): Promise<RunningNode> {
  const { store, broadcasts } = parts;
  const { chain } = settings.writer;
  const failed = new Promise<Fault>((resolve) => {
    parts.writer = new WriterLine({ ...settings.writer, storeHandle: store.handle }, writerListener(settings, parts, resolve));
  });
  const writer = present(parts.writer, 'the writer');
  const ready = await writer.opened();
  parts.pool = startVerifierPool({ chain, storeHandle: store.handle }, settings.verifierThreads, (port) => writer.connect(port));
  broadcasts.start(parts.pool);
  const services = servicesOf(settings, parts, writer);
  const behind: Behind = { services, store, times: new MethodTimes() };
  for (const endpoint of settings.endpoints) parts.doors.push(await openCallDoor(endpoint, settings, behind));
  const { metricsEndpoint } = settings;
  if (metricsEndpoint !== undefined) parts.metricsDoor = await openMetricsDoor(metricsEndpoint, settings, behind, { broadcasts, subscriptions: parts.subscriptions, writer });
  return {
    chainId: ready.chainId,
    headBlockNumber: ready.headBlockNumber,
    ports: parts.doors.map(({ port }) => port),
    metricsPort: parts.metricsDoor?.port,
    services,
    failed,
    stop: () => stopParts(parts),
  };
}

function writerListener(settings: NodeSettings, parts: Parts, failed: (fault: Fault) => void): WriterListener {
  return {
    verdicts: (bytes) => parts.broadcasts.takeVerdicts(bytes),
    blockCommitted(notice) {
      parts.broadcasts.takeBlock(notice);
      parts.subscriptions?.takeBlock();
      settings.onBlock?.(notice);
    },
    failed,
  };
}

/** What methods are given. */
function servicesOf(settings: NodeSettings, parts: Parts, writer: WriterLine): Services {
  const { store, broadcasts } = parts;
  const parameters = parametersOf(settings.writer.chain);
  const intake = new Intake({ parameters, clock: systemClock, broadcasts, writer });
  const rows = new View(attachReader(store.handle), CACHED_ROWS);
  const report: Services['report'] = (error, method) => settings.log.error(`${method}: ${error instanceof Error ? error.stack : String(error)}`);
  const subscriptions = new Subscriptions({ rows, clock: systemClock, notation: notationOf(parameters.profile, 'subscribe_api', defaultDialect), limits: settings.limits, report });
  parts.subscriptions = subscriptions;
  return {
    rows,
    parameters,
    words: parameters.profile,
    about,
    clock: systemClock,
    randomBytes,
    privateKeysAllowed: settings.privateKeysAllowed,
    broadcast: (raw) => broadcasts.submit(raw),
    pushBlock: (block) => intake.pushBlock(block),
    pushTransaction: (transaction) => intake.pushTransaction(transaction),
    pendingAccounts: (names) => pendingAccounts(writer, names),
    ...(settings.writer.production?.ownTime === true ? { debug: (order: DebugOrder) => debug(writer, order) } : {}),
    subscribe: (request) => subscriptions.subscribe(request),
    report,
  };
}

interface Parts {
  readonly store: RocksDbStore;
  writer?: WriterLine;
  pool?: RunningVerifierPool;
  readonly broadcasts: Broadcasts;
  subscriptions?: Subscriptions;
  readonly doors: Door[];
  metricsDoor?: Door | undefined;
}

/** Nothing new comes in, what is under way is answered, and the store is closed when nobody reads or writes any more. */
async function stopParts({ store, writer, pool, broadcasts, subscriptions, doors, metricsDoor }: Parts): Promise<void> {
  broadcasts.stop();
  subscriptions?.stop();
  await Promise.all([...doors, metricsDoor].map((door) => door?.close()));
  await pool?.close();
  await writer?.stop();
  await store.close();
}

async function debug(writer: WriterLine, order: DebugOrder): Promise<DebugHead>;
async function debug(writer: WriterLine, order: DebugOrder): Promise<unknown> {
  return await writer.ask({ kind: 'debug', order });
}

async function pendingAccounts(writer: WriterLine, names: readonly AccountName[]): Promise<readonly (AccountRows | undefined)[]>;
async function pendingAccounts(writer: WriterLine, names: readonly AccountName[]): Promise<unknown> {
  return await writer.ask({ kind: 'pending_accounts', names });
}
