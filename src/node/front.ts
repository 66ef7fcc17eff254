import { systemClock } from '../base/clock.ts';
import { FailureLines } from '../base/failure_lines.ts';
import { httpServerInUse, type HttpServerName } from '../jsonrpc/http/door.ts';
import type { Door } from '../jsonrpc/http/door_options.ts';
import { MethodTimes } from '../jsonrpc/method_times.ts';
import type { Services } from '../rpc/services.ts';
import { chainView } from '../state/chain_view.ts';
import { attachReader, type RocksDbStore } from '../storage/rocksdb.ts';
import { parametersOf } from './chain_settings.ts';
import { openCallDoor, openMetricsDoor, type Behind, type DoorSettings } from './open_doors.ts';
import type { NodeSettings } from './node_settings.ts';
import { servicesOf } from './services.ts';
import type { StallTimes } from './stall_times.ts';
import type { Broadcasts } from './threads/broadcasts.ts';
import type { Provers } from './threads/verifier_pool.ts';
import type { WriterClient } from './threads/writer_client.ts';

/** What the front is built on. */
export interface FrontParts {
  readonly store: RocksDbStore;
  readonly broadcasts: Broadcasts;
  readonly writer: WriterClient;
  readonly stalls: StallTimes;
  readonly provers: Provers;
}

/** The part of a node that speaks to clients. */
export interface Front {
  readonly services: Services;
  readonly ports: readonly number[];
  readonly metricsPort: number | undefined;
  readonly httpServer: HttpServerName;
  close(): Promise<void>;
}

/** Decoded rows that the front keeps between blocks, about 1 KiB each. */
const CACHED_ROWS = 50_000;

/** Opens all doors; when one cannot be opened, those that were are closed again. */
export async function openFront(settings: NodeSettings, parts: FrontParts): Promise<Front> {
  const { log, limits, privateKeysAllowed, writer } = settings;
  const failures = new FailureLines({ clock: systemClock, write: (line, stack) => log.error(line, { stack }) });
  const { services, subscriptions } = servicesOf({
    ...parts,
    parameters: parametersOf(writer.chain),
    rows: chainView(attachReader(parts.store.handle), CACHED_ROWS),
    clock: systemClock,
    limits,
    privateKeysAllowed,
    ownsTime: writer.production?.ownTime === true,
    report: (error, method) => failures.report(error, method),
  });
  const doorSettings: DoorSettings = { ...settings, methods: await settings.methods() };
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
    return { services, ports, metricsPort: metricsDoor?.port, httpServer: httpServerInUse, close };
  } catch (error) {
    await close();
    throw error;
  }
}
