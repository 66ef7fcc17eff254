import { Dispatcher } from '../jsonrpc/dispatcher.ts';
import type { HttpServer, HttpServerKind, HttpServerOptions } from '../jsonrpc/http/http_server.ts';
import type { Heads } from '../jsonrpc/heads.ts';
import { defaultLimits, type Limits } from '../jsonrpc/limits.ts';
import type { PrivateKeyMethods } from '../jsonrpc/private_keys.ts';
import { hostOf } from '../rpc/host.ts';
import type { Methods } from '../rpc/method.ts';
import type { CallsByClient } from '../jsonrpc/calls_by_client.ts';
import type { MethodTimes } from '../jsonrpc/method_times.ts';
import { GROUP_OF_BARE_NAMES } from '../rpc/methods.ts';
import { openRpcTexts } from '../rpc/rpc/index.ts';
import type { Call, Services } from '../rpc/services.ts';
import type { ClockOffset } from './clock_offset.ts';
import type { Endpoint } from './config/options.ts';
import type { NetworkRecord } from './network/network_record.ts';
import type { FaultsOnDemand } from './dev/faults_on_demand.ts';
import { metricsPage, nodeMetrics, type MeasuredParts } from './node_metrics.ts';
import type { LastHour } from './last_hour.ts';
import { filesOfThisProcess } from './open_files.ts';
import { ADMINISTRATION_GROUPS } from './served_methods.ts';
import type { ProductionRecord } from './production_record.ts';
import type { SinkRecord } from './sinks/sink_record.ts';
import type { NodeWatch } from './watch/node_watch.ts';
import { topPage } from './watch/top_page.ts';
import { documentPage, healthPages, type ReadyLag } from './pages.ts';
import type { BrowserPages } from './browser_pages.ts';

/** What is served, and to which clients. */
export interface EndpointSettings {
  readonly methods: Methods;
  readonly server: HttpServerKind;
  readonly limits: Limits;
  readonly corsOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly privateKeyMethods: PrivateKeyMethods;
  /** Whether every answer tells of its head, asked or not. */
  readonly tellsHead: boolean;
  /** Whether programs of this machine are told who calls the node. */
  readonly tellsClients: boolean;
}

/** The same for ports beside one for the administration of the node. */
export function withoutAdministration({ methods, ...settings }: EndpointSettings): EndpointSettings {
  const open = [...methods].filter(([, { group }]) => !ADMINISTRATION_GROUPS.has(group));
  return { ...settings, methods: new Map(open), privateKeyMethods: 'never', tellsClients: false };
}

/** The same for the port of the administration: no proxy knows it, so who calls it from the address of one is a program of this machine. */
export function forAdministration(settings: EndpointSettings): EndpointSettings {
  return { ...settings, trustedProxies: [] };
}

/** The parts that the servers use. */
export interface Behind {
  readonly services: Services;
  readonly heads: Heads;
  readonly readyLag: ReadyLag | undefined;
  readonly times: MethodTimes;
  readonly clients: CallsByClient;
  readonly watch: NodeWatch;
  readonly clockOffset: ClockOffset | undefined;
  /** On development chains. */
  readonly faults?: FaultsOnDemand | undefined;
  readonly network: NetworkRecord | undefined;
  readonly production: ProductionRecord;
  readonly sink: SinkRecord | undefined;
  /** What a browser is shown; undefined where the operator has switched it off. */
  readonly browserPages: BrowserPages | undefined;
  readonly lastHour: LastHour | undefined;
}

/** Opens a port for calls; it also serves the health pages and the OpenRPC document. */
export async function listenForCalls(
  endpoint: Endpoint,
  { methods, server, tellsHead, tellsClients, ...settings }: EndpointSettings,
  { services, heads, readyLag, times, clients, watch, clockOffset, faults, network, production, sink, browserPages, lastHour }: Behind,
): Promise<HttpServer> {
  const host = hostOf(services, settings.privateKeyMethods, heads);
  const dispatcher = new Dispatcher({ methods, host, limits: settings.limits, bareNamesOf: GROUP_OF_BARE_NAMES, times, clients });
  const document = documentPage(() => openRpcTexts(methods, services), services.clock);
  const health = healthOf(services, { readyLag, clockOffset, network, production, sink, watch });
  const top = tellsClients ? topPage(watch) : () => undefined;
  return await server.open({
    ...endpoint,
    ...settings,
    clock: services.clock,
    files: filesOfThisProcess(),
    ...answersOf(dispatcher, faults),
    head: (minHead) => (tellsHead || minHead !== '' ? heads.line() : undefined),
    page: (path, asker) =>
      health(path) ??
      document(path) ??
      top(path, asker) ??
      lastHour?.page(path, asker, () => health('/readyz')?.body ?? 'null') ??
      browserPages?.page(path, asker),
  });
}

/** How bodies are answered; a production node has no fault to look for. */
function answersOf(dispatcher: Dispatcher<Call>, faults: FaultsOnDemand | undefined): Pick<HttpServerOptions, 'answer' | 'fromCache'> {
  if (faults === undefined)
    return { answer: (body, asker) => dispatcher.dispatch(body, asker), fromCache: (body, asker) => dispatcher.fromCache(body, asker) };
  return {
    answer: (body, asker) => faults.late(body, () => dispatcher.dispatch(body, asker)),
    fromCache: (body, asker) => (faults.delays(body) ? undefined : dispatcher.fromCache(body, asker)),
  };
}

/** Opens a port for metrics and health, with its own limits: it responds however busy the other ports are. */
export async function listenForMetrics(
  endpoint: Endpoint,
  { server, allowedHosts }: EndpointSettings,
  { services, readyLag, times, watch, clockOffset, network, production, sink }: Behind,
  parts: Pick<MeasuredParts, 'broadcasts' | 'dataFolder' | 'servers' | 'subscriptions' | 'writer' | 'stalls'>,
): Promise<HttpServer> {
  const { clock, rows, parameters } = services;
  const { blockIntervalSeconds } = parameters;
  const metrics = metricsPage(nodeMetrics({ ...parts, rows, clock, blockIntervalSeconds, times, watch, clockOffset, network, sink }));
  const health = healthOf(services, { readyLag, clockOffset, network, production, sink, watch });
  const host = hostOf(services, 'never');
  const noMethods = new Dispatcher({ methods: new Map(), host, limits: defaultLimits, bareNamesOf: GROUP_OF_BARE_NAMES });
  return await server.open({
    ...endpoint,
    ...{ limits: defaultLimits, clock, allowedHosts, corsOrigins: [], trustedProxies: [] },
    answer: (body) => noMethods.dispatch(body),
    page: (path) => metrics(path) ?? health(path),
  });
}

function healthOf(
  { rows, clock, parameters }: Services,
  parts: Pick<Behind, 'readyLag' | 'clockOffset' | 'network' | 'production' | 'sink' | 'watch'>,
): ReturnType<typeof healthPages> {
  return healthPages({
    ...parts,
    networkLoad: () => parts.watch.networkShare(),
    rows,
    clock,
    blockIntervalSeconds: parameters.blockIntervalSeconds,
  });
}
