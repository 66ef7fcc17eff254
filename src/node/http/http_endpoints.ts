import { Dispatcher } from '../../jsonrpc/dispatcher.ts';
import type {
  HttpServer,
  HttpServerKind,
  HttpServerOptions,
  Page,
  PageRequestSource,
} from '../../jsonrpc/http/http_server.ts';
import { unixServer } from '../../jsonrpc/http/listen.ts';
import type { Heads } from '../../jsonrpc/envelope/heads.ts';
import { defaultLimits } from '../../jsonrpc/limits/limits.ts';
import type { PrivateKeyMethods } from '../../jsonrpc/envelope/private_keys.ts';
import { makeHost } from '../../rpc/host.ts';
import type { Methods } from '../../rpc/method.ts';
import type { CallsByClient } from '../../jsonrpc/limits/calls_by_client.ts';
import type { MethodTimes } from '../../jsonrpc/limits/method_times.ts';
import { GROUP_OF_BARE_NAMES } from '../../rpc/methods.ts';
import { openRpcTexts } from '../../rpc/rpc/index.ts';
import type { VerifierCall, Services } from '../../rpc/services.ts';
import type { Endpoint } from '../../settings/options.ts';
import type { FaultsOnDemand } from './faults_on_demand.ts';
import { metricsPage, nodeMetrics, type MeasuredParts } from './node_metrics.ts';
import type { ExplorerPages } from './explorer_pages.ts';
import { FIGURES_PATH } from '../../rpc/figure_pages.ts';
import { filesOfThisProcess } from '../../system/open_files.ts';
import { ADMINISTRATION_GROUPS } from '../../settings/served_methods.ts';
import type { NodeWatch } from '../watch/node_watch.ts';
import { profilePage } from '../watch/profile_page.ts';
import { topPage } from '../watch/top_page.ts';
import { documentPage } from './document_page.ts';
import type { HealthPages } from './pages.ts';
import type { ServingSettings } from '../../settings/server_settings.ts';

/** The methods and pages of a port, and its clients. */
export interface EndpointSettings extends Omit<ServingSettings, 'httpServer' | 'privateKeyMethods'> {
  readonly methods: Methods;
  readonly server: HttpServerKind;
  readonly privateKeyMethods: PrivateKeyMethods;
  /** True if every answer tells of its head, asked or not. */
  readonly tellsHead: boolean;
  /** True if programs of this machine are told who calls the node. */
  readonly tellsClients: boolean;
}

/** The same for ports beside one for the administration of the node. */
export function withoutAdministration({ methods, ...settings }: EndpointSettings): EndpointSettings {
  const open = [...methods].filter(([, { group }]) => !ADMINISTRATION_GROUPS.has(group));
  return { ...settings, methods: new Map(open), privateKeyMethods: 'never', tellsClients: false };
}

/**
 * The same for the port of the administration: no proxy knows it, so who calls it from the address of one is a program
 * of this machine.
 */
export function forAdministration(settings: EndpointSettings): EndpointSettings {
  return { ...settings, trustedProxies: [] };
}

/**
 * The same for a Unix socket. Its mode says who may open it, and no page of a browser can, under whatever name. A proxy
 * that is sent there shows itself and is not local.
 */
export function forUnixSocket(settings: EndpointSettings, privateKeyMethods: PrivateKeyMethods): EndpointSettings {
  return {
    ...settings,
    server: unixServer,
    privateKeyMethods,
    allowedHosts: ['*'],
    trustedProxies: [],
    compresses: undefined,
  };
}

/** The place at which a server listens: a port, or a Unix socket. */
export type ListeningPlace = Endpoint | { readonly unixPath: string };

/** The parts that answer calls. */
export interface CallParts {
  readonly services: Services;
  readonly heads: Heads;
  readonly times: MethodTimes;
  readonly clients: CallsByClient;
  /** On development chains. */
  readonly faults: FaultsOnDemand | undefined;
  readonly pages: PageParts;
}

/** The pages that are served beside calls. */
export interface PageParts {
  readonly health: HealthPages;
  readonly watch: NodeWatch;
  /** The pages for browsers; undefined where the operator has switched them off. */
  readonly explorer: ExplorerPages | undefined;
}

/** Opens a port or a Unix socket for calls; it also serves the health pages and the OpenRPC document. */
export async function listenForCalls(
  place: ListeningPlace,
  { methods, server, tellsHead, tellsClients, ...settings }: EndpointSettings,
  { services, heads, times, clients, faults, pages }: CallParts,
): Promise<HttpServer> {
  const { health, watch, explorer } = pages;
  const reporting = makeHost(services, settings.privateKeyMethods, heads);
  const host: typeof reporting = {
    ...reporting,
    report(error, method) {
      times.internalErrors++;
      reporting.report(error, method);
    },
  };
  const dispatcher = new Dispatcher({
    methods,
    host,
    limits: settings.limits,
    bareNamesOf: GROUP_OF_BARE_NAMES,
    times,
    clients,
  });
  const document = documentPage(() => openRpcTexts(methods, services), services.clock);
  const top = tellsClients ? topPage(watch) : () => undefined;
  const profile = tellsClients ? profilePage(services.clock) : () => undefined;
  return await server.open({
    ...('unixPath' in place ? { ...NO_PORT, unixPath: place.unixPath } : place),
    ...settings,
    clock: services.clock,
    files: filesOfThisProcess(),
    ...makeAnswers(dispatcher, faults),
    head: (minHead) => (tellsHead || minHead !== '' ? heads.line() : undefined),
    page: (path, requestSource) =>
      health(path, requestSource) ??
      document(path, requestSource) ??
      top(path, requestSource) ??
      profile(path, requestSource) ??
      countedPage(path, requestSource, dispatcher, explorer) ??
      explorer?.page(path, requestSource, () => health('/readyz', requestSource)?.body ?? 'null'),
  });
}

/** A page of figures of the chain. It counts as a call, so that a client gets no more of the node by pages. */
function countedPage(
  path: string,
  requestSource: PageRequestSource,
  dispatcher: Dispatcher<VerifierCall>,
  explorer: ExplorerPages | undefined,
): Page | Promise<Page> | undefined {
  if (!path.startsWith(FIGURES_PATH)) return undefined;
  if (explorer === undefined) return SWITCHED_OFF;
  return dispatcher.takePage(requestSource, PAGE_WEIGHT) ? explorer.chainPage(path) : TOO_MANY;
}

/** Fifty rows, as methods weigh the rows that they read. */
const PAGE_WEIGHT = 5;
const SWITCHED_OFF: Page = {
  status: 404,
  contentType: 'text/plain',
  body: 'this node shows no pages of figures: its operator has set explorer = off; call its methods by POST instead',
};
const TOO_MANY: Page = {
  status: 429,
  contentType: 'text/plain',
  body: 'too many calls and pages from this address in a second (max-calls-per-second); wait a second',
  headers: [['Retry-After', '1']],
};

/** Of a Unix socket. */
const NO_PORT = { host: 'localhost', port: 0 };

/** The answers to bodies; a production node has no fault to look for. */
function makeAnswers(
  dispatcher: Dispatcher<VerifierCall>,
  faults: FaultsOnDemand | undefined,
): Pick<HttpServerOptions, 'answer' | 'fromCache'> {
  if (faults === undefined)
    return {
      answer: (body, requestSource) => dispatcher.dispatch(body, requestSource),
      fromCache: (body, requestSource) => dispatcher.fromCache(body, requestSource),
    };
  return {
    answer: (body, requestSource) => faults.late(body, () => dispatcher.dispatch(body, requestSource)),
    fromCache: (body, requestSource) => (faults.delays(body) ? undefined : dispatcher.fromCache(body, requestSource)),
  };
}

/** The parts of the port for metrics. */
export interface MetricsParts {
  readonly services: Services;
  readonly health: HealthPages;
  readonly measured: MeasuredParts;
}

/** Opens a port for metrics and health, with its own limits: it responds however busy the other ports are. */
export async function listenForMetrics(
  endpoint: Endpoint,
  { server, allowedHosts }: EndpointSettings,
  { services, health, measured }: MetricsParts,
): Promise<HttpServer> {
  const metrics = metricsPage(nodeMetrics(measured));
  const host = makeHost(services, 'never');
  const noMethods = new Dispatcher({
    methods: new Map(),
    host,
    limits: defaultLimits,
    bareNamesOf: GROUP_OF_BARE_NAMES,
  });
  return await server.open({
    ...endpoint,
    ...{
      limits: defaultLimits,
      clock: services.clock,
      files: filesOfThisProcess(),
      allowedHosts,
      corsOrigins: [],
      trustedProxies: [],
      compresses: undefined,
    },
    answer: (body) => noMethods.dispatch(body),
    page: (path, requestSource) => metrics(path) ?? health(path, requestSource),
  });
}
