import { systemClock } from '../base/clock.ts';
import { randomBytes } from '../crypto/random.ts';
import { defaultDialect, notationOf } from '../rpc/dialect.ts';
import type { Door } from '../rpc/http/door_options.ts';
import { MethodTimes } from '../rpc/method_times.ts';
import type { DebugHead, DebugOrder, Services } from '../rpc/services.ts';
import { Subscriptions } from '../rpc/subscriptions.ts';
import { chainView } from '../state/chain_view.ts';
import type { AccountRows } from '../state/records/account.ts';
import { attachReader, type RocksDbStore } from '../storage/rocksdb.ts';
import type { AccountName } from '../values/account_name.ts';
import { about } from './about.ts';
import { parametersOf } from './chain_settings.ts';
import { Intake } from './intake.ts';
import { openCallDoor, openMetricsDoor, type Behind } from './open_doors.ts';
import type { NodeSettings } from './node_settings.ts';
import type { StallTimes } from './stall_times.ts';
import type { Broadcasts } from './threads/broadcasts.ts';
import type { WriterLine } from './threads/writer_line.ts';

/** What the front is built on. */
export interface FrontParts {
  readonly store: RocksDbStore;
  readonly broadcasts: Broadcasts;
  readonly writer: WriterLine;
  readonly stalls: StallTimes;
}

/** The part of a node that speaks to clients. */
export interface Front {
  readonly services: Services;
  readonly ports: readonly number[];
  readonly metricsPort: number | undefined;
  /** A block is on the disk. */
  takeBlock(): void;
  close(): Promise<void>;
}

/** Decoded rows that the front keeps between blocks, about 1 KiB each. */
const CACHED_ROWS = 50_000;

/** Opens all doors; when one cannot be opened, those that were are closed again. */
export async function openFront(settings: NodeSettings, parts: FrontParts): Promise<Front> {
  const { services, subscriptions } = servicesOf(settings, parts);
  const doorSettings = { ...settings, methods: await settings.methods() };
  const behind: Behind = { services, store: parts.store, times: new MethodTimes() };
  const doors: Door[] = [];
  const close = async (): Promise<void> => {
    subscriptions.stop();
    await Promise.all(doors.map((door) => door.close()));
  };
  try {
    for (const endpoint of settings.endpoints) doors.push(await openCallDoor(endpoint, doorSettings, behind));
    const ports = doors.map(({ port }) => port);
    const metricsDoor =
      settings.metricsEndpoint === undefined
        ? undefined
        : await openMetricsDoor(settings.metricsEndpoint, doorSettings, behind, { ...parts, subscriptions });
    if (metricsDoor !== undefined) doors.push(metricsDoor);
    return { services, ports, metricsPort: metricsDoor?.port, takeBlock: () => subscriptions.takeBlock(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What methods are given. */
function servicesOf(
  settings: NodeSettings,
  { store, broadcasts, writer }: FrontParts,
): { readonly services: Services; readonly subscriptions: Subscriptions } {
  const parameters = parametersOf(settings.writer.chain);
  const intake = new Intake({ parameters, clock: systemClock, broadcasts, writer });
  const rows = chainView(attachReader(store.handle), CACHED_ROWS);
  const report: Services['report'] = (error, method) =>
    settings.log.error(`${method}: ${error instanceof Error ? error.stack : String(error)}`);
  const notation = notationOf(parameters.profile, 'subscribe_api', defaultDialect);
  const subscriptions = new Subscriptions({ rows, clock: systemClock, notation, limits: settings.limits, report });
  const services: Services = {
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
  return { services, subscriptions };
}

async function debug(writer: WriterLine, order: DebugOrder): Promise<DebugHead>;
async function debug(writer: WriterLine, order: DebugOrder): Promise<unknown> {
  return await writer.ask({ kind: 'debug', order });
}

async function pendingAccounts(writer: WriterLine, names: readonly AccountName[]): Promise<readonly (AccountRows | undefined)[]>;
async function pendingAccounts(writer: WriterLine, names: readonly AccountName[]): Promise<unknown> {
  return await writer.ask({ kind: 'pending_accounts', names });
}
