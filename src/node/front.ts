import { systemClock } from '../base/clock.ts';
import { FailureLines } from '../base/failure_lines.ts';
import { Fault } from '../base/fault.ts';
import { httpServerInUse, serverLine } from '../jsonrpc/http/listen.ts';
import type { HttpServer } from '../jsonrpc/http/http_server.ts';
import { CallsByClient } from '../jsonrpc/limits/calls_by_client.ts';
import { MethodTimes } from '../jsonrpc/limits/method_times.ts';
import type { OperatorServices, Services, ProductionOperations, StandbyDescription } from '../rpc/services.ts';
import { chainView } from '../state/chain_view.ts';
import type { KeyValueReader } from '../storage/key_value.ts';
import { confirmedBesideFinality, lastIrreversible } from '../state/last_irreversible.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { ChainHeads } from './http/chain_heads.ts';
import { ClockOffset } from './http/clock_offset.ts';
import { readParameters } from '../settings/chain_settings.ts';
import { ExplorerPages } from './http/explorer_pages.ts';
import type { SampledParts } from './http/last_hour.ts';
import { MissedSlotsFile } from '../data_folder/missed_slots_file.ts';
import { hardforkStanding } from '../queries/hardfork_standing.ts';
import { lastRound } from './network/last_round.ts';
import { filesOfThisProcess, openFilesLimit } from '../system/open_files.ts';
import {
  listenForCalls,
  forAdministration,
  forUnixSocket,
  withoutAdministration,
  listenForMetrics,
  type CallParts,
  type EndpointSettings,
  type ListeningPlace,
} from './http/http_endpoints.ts';
import type { MeasuredCalls, MeasuredParts } from './http/node_metrics.ts';
import { healthPages } from './http/pages.ts';
import type { Methods } from '../rpc/method.ts';
import type { FrontSettings } from '../settings/front_settings.ts';
import type { SettingsOf } from '../settings/options.ts';
import { usualSettings } from '../settings/read_config.ts';
import { FaultsOnDemand } from './http/faults_on_demand.ts';
import type { NetworkClient } from './network/network_client.ts';
import { networkOperations } from './network/network_operations.ts';
import type { NetworkRecord } from './network/network_record.ts';
import type { NodeSettings } from '../settings/node_settings.ts';
import type { ProductionRecord } from './http/production_record.ts';
import type { SinkRecord } from './sinks/sink_record.ts';
import { makeServices } from './http/services.ts';
import { ProcessorLoad } from './watch/processor_load.ts';
import { NodeWatch, type WatchedPeers } from './watch/node_watch.ts';
import type { StallTimes } from './threads/stall_times.ts';
import type { Broadcasts } from './threads/broadcasts/broadcasts.ts';
import type { Verifiers } from '../verifiers/verifier_pool.ts';
import type { WriterClient } from './threads/writer/writer_client.ts';
import type { StandbyReport } from '../witness/standby.ts';

/** Of a network that has not begun. */
const NO_PEERS: WatchedPeers = {
  ...{
    sync: 'alone',
    behindBy: 0,
    contest: undefined,
    contestedByInbound: undefined,
    unproved: { peers: 0, blocks: 0 },
    voices: 0,
    inbound: 0,
    outbound: 0,
    work: {},
  },
};

/** The parts that the front uses. */
export interface FrontParts {
  /** The path of the data folder; undefined where nothing is on a disk. */
  readonly dataFolder: string | undefined;
  /** The store that this thread reads. */
  readonly store: KeyValueReader;
  readonly threads: FrontThreads;
  readonly reports: ThreadReports;
  /** Writes snapshots when the operator asks for one. */
  readonly snapshots?: OperatorServices['snapshots'];
  /** Called with a Fault after which the node must not continue. */
  readonly failed: (fault: Fault) => void;
}

/** The other threads, as the front asks them. */
interface FrontThreads {
  readonly broadcasts: Broadcasts;
  readonly writer: WriterClient;
  readonly verifiers: Verifiers;
  /** Undefined where the node speaks to no other. */
  readonly network: Promise<NetworkClient> | undefined;
}

/** The last reports of other threads. */
interface ThreadReports {
  readonly stalls: StallTimes;
  readonly production: ProductionRecord;
  /** Undefined where the node speaks to no other. */
  readonly network: NetworkRecord | undefined;
  /** Of the event stream, where there is one. */
  readonly sink: SinkRecord | undefined;
}

/** The settings that the front reads: its own, and what those of the writer say of the chain. */
export type ServedNode = Pick<NodeSettings, 'front' | 'writer' | 'ownsTime' | 'log'>;

/** The part of a node that serves clients. */
export interface Front {
  readonly services: Services;
  readonly ports: readonly number[];
  readonly unixEndpoint: string | undefined;
  readonly metricsPort: number | undefined;
  /** The name of the HTTP server and the reason for it, for the operator. */
  readonly httpServer: string;
  close(): Promise<void>;
}

/** Decoded rows that the front keeps between blocks, about 1 KiB each. */
const CACHED_ROWS = 50_000;

/** Undefined for a chain that sets its own time: there, no clock is wrong. */
function measureClockOffset(
  { log, ownsTime, writer: { production } }: ServedNode,
  { rows, clock }: Services,
): ClockOffset | undefined {
  if (ownsTime === true) return undefined;
  return new ClockOffset({
    clock,
    headTime: () => rows.only(dynamicGlobalProperties).time,
    ownWitnesses: new Set(production?.witnesses),
    warn: log.warning,
  });
}

/** The head as clients may ask for it, told of each write. */
function makeHeads(
  { writer: { production } }: ServedNode,
  { rows, parameters }: Services,
  { threads, reports }: FrontParts,
): ChainHeads {
  const heads = new ChainHeads({
    rows,
    blockIntervalMs: production?.everyMs ?? parameters.blockIntervalSeconds * 1000,
    behindBy: () => reports.network?.state?.behindBy ?? 0,
    mayFall: parameters.hasFinality,
  });
  threads.writer.follow(heads);
  return heads;
}

function makeExplorer(
  { log }: ServedNode,
  { dataFolder, threads }: FrontParts,
  services: Services,
  sampled: SampledParts,
): ExplorerPages {
  const missedSlots = dataFolder === undefined ? undefined : new MissedSlotsFile(dataFolder, log.warning);
  const explorer = new ExplorerPages({ services, missedSlots, sampled });
  for (const follower of explorer.followers) threads.writer.follow(follower);
  return explorer;
}

/** Tells the operator when the system lets this process have fewer connections than its settings do. */
function noteFewFiles(log: NodeSettings['log'], connections: number): void {
  const room = filesOfThisProcess().count(systemClock.elapsedMs());
  if (room >= connections) return;
  log.notice(
    `this process may open ${openFilesLimit()} files: about ${Math.max(0, room)} are left for connections, max-connections is ${connections}; raise ulimit -n`,
    'few_open_files',
    { files: openFilesLimit(), left: Math.max(0, room), connections },
  );
}

function sampledParts(
  { threads: { broadcasts }, reports: { network } }: FrontParts,
  { rows, clock, parameters: { blockIntervalSeconds } }: Services,
  times: MethodTimes,
  clockOffset: ClockOffset | undefined,
): SampledParts {
  return {
    ...{ clock, times, broadcasts },
    // A chain that sets its own time may be years ahead of the clock.
    headAgeSeconds: () =>
      clockOffset === undefined ? 0 : Math.max(0, clock.nowMs() / 1000 - rows.only(dynamicGlobalProperties).time),
    filledSlots: () => lastRound(rows, blockIntervalSeconds, clockOffset && clock.nowMs()).filledSlots,
    peers: () => (network?.state?.inbound ?? 0) + (network?.state?.outbound ?? 0),
  };
}

/** Looks for what an operator has to know of, as long as the front is open. */
function makeWatch(
  { log, front }: ServedNode,
  { dataFolder, reports: { network, production } }: FrontParts,
  { rows, clock, parameters }: Services,
  counts: Pick<CallParts, 'times' | 'clients'> & {
    readonly clockOffset: ClockOffset | undefined;
    readonly methods: Methods;
  },
): NodeWatch {
  const { times, clients, clockOffset, methods } = counts;
  return new NodeWatch({
    ...{
      clock,
      log,
      times,
      clients,
      callsPerSecond: front.serving.limits.callsPerSecond,
      dataFolder,
      blockIntervalSeconds: parameters.blockIntervalSeconds,
    },
    processors: new ProcessorLoad(),
    isTimed: clockOffset !== undefined,
    waits: (method) => methods.get(method)?.run.kind !== 'read',
    head: () => {
      const { head_block_number: number, time } = rows.only(dynamicGlobalProperties);
      return { number, time };
    },
    peers: () => {
      if (network === undefined) return undefined;
      const { state } = network;
      return state === undefined ? NO_PEERS : { ...state, work: state.figures.work };
    },
    finality: () => ({
      irreversible: lastIrreversible(rows),
      confirmed: confirmedBesideFinality(rows, parameters),
      voting: production.voting,
    }),
    hardforks: () => hardforkStanding(rows, parameters),
  });
}

/** The settings of the operator; a node that programs start has the usual ones. */
function frontSettings({ front: { said = usualSettings() } }: ServedNode): SettingsOf<'front'> {
  return said;
}

function composeServices(
  settings: ServedNode,
  parts: FrontParts,
  faults: FaultsOnDemand | undefined,
): ReturnType<typeof makeServices> {
  const { log, front, writer, ownsTime = false } = settings;
  const { threads, reports, snapshots } = parts;
  const failures = new FailureLines({
    clock: systemClock,
    write: (line, stack) => log.error(line, 'internal_error', { stack }),
  });
  const network =
    threads.network && reports.network && networkOperations({ network: threads.network, record: reports.network });
  return makeServices({
    chain: {
      parameters: readParameters(writer.chain),
      rows: chainView(parts.store, CACHED_ROWS),
      store: parts.store,
      clock: systemClock,
      ownsTime,
    },
    threads,
    limits: front.serving.limits,
    operator: { network, production: writer.production && productionOperations(threads.writer), snapshots },
    development: {
      movesTime: writer.production?.ownTime === true,
      faults,
      impersonatorSecret: front.impersonatorSecret,
    },
    report(error, method) {
      failures.report(error, method);
      // If the disk fails here, no data on it can be trusted: a partly wrong answer is worse than none.
      if (error instanceof Fault && (error.code === 'damaged_data' || error.code === 'disk')) parts.failed(error);
    },
  });
}

/** The settings of all ports that have none of their own. */
function makeEndpointSettings(settings: ServedNode, methods: Methods): EndpointSettings {
  const { httpServer = httpServerInUse, privateKeyMethods, ...serving } = settings.front.serving;
  return {
    ...serving,
    tellsHead: frontSettings(settings)['head-header'] === 'always',
    tellsClients: true,
    server: httpServer,
    methods,
    privateKeyMethods: privateKeyMethods === 'unix' ? 'never' : privateKeyMethods,
  };
}

/** The parts that answer calls, pages beside them and metrics; some run until `stop`. */
interface AnsweringParts {
  readonly calls: CallParts;
  readonly clockOffset: ClockOffset | undefined;
  stop(): void;
}

function answeringParts(
  settings: ServedNode,
  parts: FrontParts,
  services: Services,
  { methods, server }: EndpointSettings,
  faults: FaultsOnDemand | undefined,
): AnsweringParts {
  const clockOffset = measureClockOffset(settings, services);
  if (clockOffset !== undefined) parts.threads.writer.follow(clockOffset);
  const heads = makeHeads(settings, services, parts);
  const [times, clients] = [new MethodTimes(), new CallsByClient(systemClock)];
  const watch = makeWatch(settings, parts, services, { times, clients, clockOffset, methods });
  const { rows, clock, parameters } = services;
  const explorer =
    frontSettings(settings).explorer === 'off'
      ? undefined
      : makeExplorer(settings, parts, services, sampledParts(parts, services, times, clockOffset));
  const health = healthPages({
    ...{
      server,
      rows,
      clock,
      blockIntervalSeconds: parameters.blockIntervalSeconds,
      clockOffset,
      hasFinality: parameters.hasFinality,
    },
    ...{ unixEndpoint: settings.front.listening.unixEndpoint, readyLag: settings.front.readyLag },
    ...parts.reports,
    networkLoad: () => watch.networkShare(),
    hardforks: () => hardforkStanding(rows, parameters),
  });
  return {
    calls: { services, heads, times, clients, faults, pages: { health, watch, explorer } },
    clockOffset,
    stop() {
      clockOffset?.stop();
      explorer?.stop();
      watch.stop();
    },
  };
}

/** Opens the ports and the socket for calls, each as soon as the one before is open; `opened` is called for each. */
async function listenEverywhere(
  { listening, serving }: FrontSettings,
  settings: EndpointSettings,
  calls: CallParts,
  opened: (server: HttpServer) => void,
): Promise<readonly number[]> {
  const { adminEndpoint, endpoints, unixEndpoint } = listening;
  // Where the operator trusts no caller of this machine with keys, none is trusted with the node either.
  const isOpen = adminEndpoint === undefined && settings.privateKeyMethods !== 'never';
  const open = isOpen ? settings : withoutAdministration(settings);
  const ports: number[] = [];
  const listen = async (place: ListeningPlace, to: EndpointSettings): Promise<HttpServer> => {
    const server = await listenForCalls(place, to, calls);
    opened(server);
    return server;
  };
  for (const endpoint of endpoints) ports.push((await listen(endpoint, open)).port);
  if (adminEndpoint !== undefined && adminEndpoint !== 'unix')
    ports.push((await listen(adminEndpoint, forAdministration(settings))).port);
  if (unixEndpoint !== undefined) {
    const { privateKeyMethods } = serving;
    await listen(
      { unixPath: unixEndpoint },
      forUnixSocket(settings, privateKeyMethods === 'unix' ? 'local' : privateKeyMethods),
    );
  }
  return ports;
}

/** Opens all servers; when one can't be opened, closes those already open. */
export async function openFront(settings: ServedNode, parts: FrontParts): Promise<Front> {
  const { log, front, writer } = settings;
  const { listening, serving } = front;
  const methods = await front.methods();
  const faults = writer.production?.ownTime === true ? new FaultsOnDemand(systemClock, [...methods.keys()]) : undefined;
  const { services, subscriptions } = composeServices(settings, parts, faults);
  const endpointSettings = makeEndpointSettings(settings, methods);
  const { calls, clockOffset, stop } = answeringParts(settings, parts, services, endpointSettings, faults);
  const servers: HttpServer[] = [];
  const close = async (): Promise<void> => {
    subscriptions.stop();
    stop();
    await Promise.all(servers.map((server) => server.close()));
  };
  try {
    const ports = await listenEverywhere(front, endpointSettings, calls, (server) => void servers.push(server));
    noteFewFiles(log, serving.limits.connections);
    const metricsServer =
      listening.metricsEndpoint === undefined
        ? undefined
        : await listenForMetrics(listening.metricsEndpoint, endpointSettings, {
            services,
            health: calls.pages.health,
            measured: measuredParts(parts, calls, clockOffset, {
              server: endpointSettings.server,
              servers: [...servers],
              subscriptions,
            }),
          });
    if (metricsServer !== undefined) servers.push(metricsServer);
    const { unixEndpoint } = listening;
    return {
      services,
      ports,
      unixEndpoint,
      metricsPort: metricsServer?.port,
      httpServer: serverLine(endpointSettings.server),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function measuredParts(
  { threads, reports, dataFolder }: FrontParts,
  { services, times, pages }: CallParts,
  clockOffset: ClockOffset | undefined,
  calls: Omit<MeasuredCalls, 'times'>,
): MeasuredParts {
  const { rows, clock, parameters } = services;
  const { stalls, network, sink } = reports;
  return {
    chain: {
      ...{ rows, clock, clockOffset, blockIntervalSeconds: parameters.blockIntervalSeconds },
      hardforks: () => hardforkStanding(rows, parameters),
    },
    calls: { ...calls, times },
    threads: { ...threads, stalls },
    ...{ dataFolder, watch: pages.watch, network, sink },
  };
}

/** The operator's methods about production, carried out by the writer. */
export function productionOperations(writer: WriterClient): ProductionOperations {
  return {
    describe: async () => {
      const { isPaused, witnesses, standby, offers } = await writer.ask({ kind: 'production' });
      return {
        isPaused,
        offers,
        standby: standby && describedStandby(standby),
        witnesses: witnesses.map(({ witness, obstacle = '', advice, missedSlots, nextSlot, slots }) => ({
          witness,
          obstacle,
          advice,
          missedSlots,
          nextSlot,
          slots,
        })),
      };
    },
    pause: async () => await writer.ask({ kind: 'pause', isPaused: true }),
    restartChain: async () => await writer.ask({ kind: 'restart_chain' }),
    voting: async () => await writer.ask({ kind: 'voting' }),
    resetFinality: async () => await writer.ask({ kind: 'declare_votes_whole' }),
    resume: async () => await writer.ask({ kind: 'pause', isPaused: false }),
  };
}

function describedStandby(report: StandbyReport): StandbyDescription {
  const { witness, since, hasTakenOver, obstacle, advice, signed, expires } = report;
  return { witness, since, hasTakenOver, obstacle: obstacle ?? '', advice, signed, expires };
}
