import { systemClock } from '../base/clock.ts';
import { FailureLines } from '../base/failure_lines.ts';
import { Fault } from '../base/fault.ts';
import { httpServerInUse } from '../jsonrpc/http/listen.ts';
import type { HttpServer } from '../jsonrpc/http/http_server.ts';
import { CallsByClient } from '../jsonrpc/calls_by_client.ts';
import { MethodTimes } from '../jsonrpc/method_times.ts';
import type { Services } from '../rpc/services.ts';
import { chainView } from '../state/chain_view.ts';
import type { KeyValueReader } from '../storage/key_value.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { BrowserPages, PAGES_FOLDER } from './browser_pages.ts';
import { ChainHeads } from './chain_heads.ts';
import { ClockOffset } from './clock_offset.ts';
import { parametersOf } from './chain_settings.ts';
import { LastHour, type SampledParts } from './last_hour.ts';
import { lastRound } from './last_round.ts';
import { filesOfThisProcess, openFilesLimit } from './open_files.ts';
import {
  listenForCalls,
  forAdministration,
  withoutAdministration,
  listenForMetrics,
  type Behind,
  type EndpointSettings,
} from './http_endpoints.ts';
import { FaultsOnDemand } from './dev/faults_on_demand.ts';
import type { NetworkClient } from './network/network_client.ts';
import { networkOperations } from './network/network_operations.ts';
import type { NetworkRecord } from './network/network_record.ts';
import type { NodeSettings } from './node_settings.ts';
import { productionOperations } from './production_operations.ts';
import type { ProductionRecord } from './production_record.ts';
import type { SinkRecord } from './sinks/sink_record.ts';
import { servicesOf } from './services.ts';
import { ProcessorLoad } from './watch/processor_load.ts';
import { NodeWatch, type WatchedPeers } from './watch/node_watch.ts';
import type { StallTimes } from './stall_times.ts';
import type { Broadcasts } from './threads/broadcasts.ts';
import type { Verifiers } from './threads/verifier_pool.ts';
import type { WriterClient } from './threads/writer_client.ts';

/** Of a network that has not begun. */
const NO_PEERS: WatchedPeers = {
  ...{ sync: 'alone', behindBy: 0, contest: undefined, unproved: { peers: 0, blocks: 0 }, voices: 0, inbound: 0, outbound: 0, work: {} },
};

/** What the front is built from. */
export interface FrontParts {
  /** Its path; undefined where nothing is on a disk. */
  readonly dataFolder: string | undefined;
  /** What this thread reads by. */
  readonly store: KeyValueReader;
  readonly broadcasts: Broadcasts;
  readonly writer: WriterClient;
  readonly stalls: StallTimes;
  readonly production: ProductionRecord;
  /** How the event stream stands, where there is one. */
  readonly sink: SinkRecord | undefined;
  readonly verifiers: Verifiers;
  /** Where the node speaks to others: how it stands to them, and who asks the network. */
  readonly network: { readonly record: NetworkRecord; readonly client: Promise<NetworkClient> } | undefined;
  /** What it writes into files when it is told to. */
  readonly snapshots?: Services['snapshots'];
  /** Called with a Fault after which the node must not continue. */
  readonly failed: (fault: Fault) => void;
}

/** What it is told: where the chain lies on disk is for others. */
export type FrontSettings = Omit<NodeSettings, 'folder'>;

/** The part of a node that serves clients. */
export interface Front {
  readonly services: Services;
  readonly ports: readonly number[];
  readonly metricsPort: number | undefined;
  /** What speaks HTTP, for the operator. */
  readonly httpServer: string;
  close(): Promise<void>;
}

/** Decoded rows that the front keeps between blocks, about 1 KiB each. */
const CACHED_ROWS = 50_000;

/** Undefined for a chain that sets its own time: there, no clock is wrong. */
function clockOffsetOf({ log, ownsTime, writer: { production } }: FrontSettings, { rows, clock }: Services): ClockOffset | undefined {
  if (ownsTime === true) return undefined;
  return new ClockOffset({
    clock,
    headTime: () => rows.only(dynamicGlobalProperties).time,
    ownWitnesses: new Set(production?.witnesses),
    warn: (sentence) => log.warning(sentence),
  });
}

/** The head as clients may ask for it, told of each write. */
function headsOf({ writer: { production } }: FrontSettings, { rows, parameters }: Services, { network, writer }: FrontParts): ChainHeads {
  const heads = new ChainHeads({
    rows,
    blockIntervalMs: production?.everyMs ?? parameters.blockIntervalSeconds * 1000,
    behindBy: () => network?.record.state?.behindBy ?? 0,
  });
  writer.follow(heads);
  return heads;
}

/** Tells the operator when the system lets this process have fewer connections than its settings do. */
function noteFewFiles(log: NodeSettings['log'], connections: number): void {
  const room = filesOfThisProcess().room();
  if (room >= connections) return;
  log.notice(
    `this process may open ${openFilesLimit()} files: about ${Math.max(0, room)} are left for connections, max-connections is ${connections}; raise ulimit -n`,
  );
}

function sampledParts(
  { broadcasts, network }: FrontParts,
  { rows, clock, parameters: { blockIntervalSeconds } }: Services,
  times: MethodTimes,
  clockOffset: ClockOffset | undefined,
): SampledParts {
  return {
    ...{ clock, times, broadcasts },
    // A chain that sets its own time may be years ahead of the clock.
    headAgeSeconds: () => (clockOffset === undefined ? 0 : Math.max(0, clock.nowMs() / 1000 - rows.only(dynamicGlobalProperties).time)),
    filledSlots: () => lastRound(rows, blockIntervalSeconds, clockOffset && clock.nowMs()).filledSlots,
    peers: () => (network?.record.state?.inbound ?? 0) + (network?.record.state?.outbound ?? 0),
  };
}

/** Looks for what an operator has to know of, as long as the front is open. */
function watchOf(
  { log, limits }: FrontSettings,
  { dataFolder, network }: FrontParts,
  { rows, clock, parameters: { blockIntervalSeconds } }: Services,
  counts: Pick<Behind, 'times' | 'clients' | 'clockOffset'> & Pick<EndpointSettings, 'methods'>,
): NodeWatch {
  const { times, clients, clockOffset, methods } = counts;
  return new NodeWatch({
    ...{ clock, log, times, clients, callsPerSecond: limits.callsPerSecond, dataFolder, blockIntervalSeconds },
    processors: new ProcessorLoad(),
    isTimed: clockOffset !== undefined,
    waits: (method) => methods.get(method)?.run.kind !== 'read',
    head: () => {
      const { head_block_number: number, time } = rows.only(dynamicGlobalProperties);
      return { number, time };
    },
    peers: () => {
      if (network === undefined) return undefined;
      const { state } = network.record;
      return state === undefined ? NO_PEERS : { ...state, work: state.figures.work };
    },
  });
}

/** The parts that the servers use, some of which run as long as the front is open. */
function behindOf(
  settings: FrontSettings,
  parts: FrontParts,
  services: Services,
  { methods, faults }: Pick<EndpointSettings, 'methods'> & { readonly faults: FaultsOnDemand | undefined },
): Behind {
  const clockOffset = clockOffsetOf(settings, services);
  if (clockOffset !== undefined) parts.writer.follow(clockOffset);
  const heads = headsOf(settings, services, parts);
  const times = new MethodTimes();
  const clients = new CallsByClient(systemClock);
  const watch = watchOf(settings, parts, services, { times, clients, clockOffset, methods });
  const lastHour = settings.explorer === false ? undefined : new LastHour(sampledParts(parts, services, times, clockOffset));
  return {
    services,
    heads,
    readyLag: settings.readyLag,
    times,
    clients,
    watch,
    clockOffset,
    faults,
    network: parts.network?.record,
    production: parts.production,
    sink: parts.sink,
    browserPages: settings.explorer === false ? undefined : new BrowserPages(PAGES_FOLDER),
    lastHour,
  };
}

/** Opens all servers; when one can't be opened, closes those already open. */
export async function openFront(settings: FrontSettings, parts: FrontParts): Promise<Front> {
  const { log, limits, writer } = settings;
  const failures = new FailureLines({ clock: systemClock, write: (line, stack) => log.error(line, { stack }) });
  const methods = await settings.methods();
  const faults = writer.production?.ownTime === true ? new FaultsOnDemand(systemClock, [...methods.keys()]) : undefined;
  const { services, subscriptions } = servicesOf({
    ...parts,
    parameters: parametersOf(writer.chain),
    rows: chainView(parts.store, CACHED_ROWS),
    clock: systemClock,
    limits,
    ownsTime: settings.ownsTime === true,
    movesTime: writer.production?.ownTime === true,
    faults,
    impersonatorSecret: settings.impersonatorSecret,
    operations: parts.network && networkOperations({ network: parts.network.client, record: parts.network.record }),
    production: writer.production && productionOperations(parts.writer),
    snapshots: parts.snapshots,
    report(error, method) {
      failures.report(error, method);
      // If the disk fails here, no data on it can be trusted: a partly wrong answer is worse than none.
      if (error instanceof Fault && (error.code === 'damaged_data' || error.code === 'disk')) parts.failed(error);
    },
  });
  const { httpServer = httpServerInUse } = settings;
  const endpointSettings: EndpointSettings = {
    ...settings,
    tellsHead: settings.tellsHead === true,
    tellsClients: true,
    server: httpServer,
    methods,
  };
  const behind = behindOf(settings, parts, services, { methods, faults });
  const servers: HttpServer[] = [];
  const close = async (): Promise<void> => {
    subscriptions.stop();
    behind.clockOffset?.stop();
    behind.lastHour?.stop();
    behind.watch.stop();
    await Promise.all(servers.map((server) => server.close()));
  };
  try {
    const { adminEndpoint, endpoints, privateKeyMethods } = settings;
    // Where the operator trusts no caller of this machine with keys, none is trusted with the node either.
    const isOpen = adminEndpoint === undefined && privateKeyMethods !== 'never';
    const open = isOpen ? endpointSettings : withoutAdministration(endpointSettings);
    for (const endpoint of endpoints) servers.push(await listenForCalls(endpoint, open, behind));
    if (adminEndpoint !== undefined) servers.push(await listenForCalls(adminEndpoint, forAdministration(endpointSettings), behind));
    const ports = servers.map(({ port }) => port);
    noteFewFiles(log, limits.connections);
    const metricsServer =
      settings.metricsEndpoint === undefined
        ? undefined
        : await listenForMetrics(settings.metricsEndpoint, endpointSettings, behind, { ...parts, subscriptions, servers: [...servers] });
    if (metricsServer !== undefined) servers.push(metricsServer);
    return { services, ports, metricsPort: metricsServer?.port, httpServer: httpServer.name, close };
  } catch (error) {
    await close();
    throw error;
  }
}
