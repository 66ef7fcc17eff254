import { Fault } from '../base/fault.ts';
import type { PrivateKeyMethods } from '../jsonrpc/envelope/private_keys.ts';
import { isNetwork } from '../jsonrpc/http/clients.ts';
import type { Compresses } from '../jsonrpc/http/compression.ts';
import type { HttpServerKind } from '../jsonrpc/http/http_server.ts';
import { chosenHttpServer } from '../jsonrpc/http/listen.ts';
import { isLoopback } from '../jsonrpc/http/loopback.ts';
import { requireSocketPath } from '../jsonrpc/http/unix_socket.ts';
import type { Limits } from '../jsonrpc/limits/limits.ts';
import type { Endpoint, OptionKey, SettingsOf } from './options.ts';

/** The addresses of a node. */
export interface ListeningSettings {
  readonly endpoints: readonly Endpoint[];
  /** The path of a Unix socket that answers, too; none when left out. */
  readonly unixEndpoint?: string | undefined;
  /** The address of the metrics; undefined for none. */
  readonly metricsEndpoint?: Endpoint | undefined;
  /**
   * The only port for methods that take a private key and for the node's administration, or `unix` for none; all ports
   * when left out.
   */
  readonly adminEndpoint?: Endpoint | 'unix' | undefined;
}

/** The HTTP server, and its clients. */
export interface ServingSettings {
  /** The one in use in this process by default. */
  readonly httpServer?: HttpServerKind;
  readonly limits: Limits;
  readonly corsOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  /** Addresses and networks of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** The clients whose answers are compressed; undefined for none. */
  readonly compresses: Compresses | undefined;
  /** `unix`: who calls by the Unix socket. */
  readonly privateKeyMethods: PrivateKeyMethods | 'unix';
}

/** The largest lag of a ready node. */
export interface ReadyLag {
  /** Blocks that peers have and it has not. */
  readonly blocks: number | undefined;
  /** The age of its head. */
  readonly seconds: number | undefined;
}

type ServerValues = SettingsOf<'servers'>;

/** The ports and the socket of a node. Throws Fault `configuration`. */
export function readListeningSettings(values: ServerValues): ListeningSettings {
  const endpoints = [values['webserver-http-endpoint'], values['webserver-ws-endpoint']].filter(
    (endpoint) => endpoint !== undefined,
  );
  const [first] = endpoints;
  const isOnePort =
    endpoints.length === 2 && endpoints.every(({ host, port }) => host === first?.host && port === first.port);
  return {
    endpoints: isOnePort ? endpoints.slice(0, 1) : endpoints,
    unixEndpoint: requireSocketPath(values['webserver-unix-endpoint'], 'webserver-unix-endpoint'),
    metricsEndpoint: values['metrics-endpoint'],
    adminEndpoint: adminEndpoint(values),
  };
}

/** Reads the server's kind and its access rules. Throws Fault `configuration`. */
export function readServingSettings(values: ServerValues, limits: Limits): ServingSettings {
  const proxies = trustedProxies(values);
  return {
    httpServer: readHttpServer(values),
    limits,
    corsOrigins: values['http-cors'] ?? [],
    allowedHosts: values['allowed-host'] ?? [],
    trustedProxies: proxies,
    compresses: values['http-compression'] !== 'off' && proxies.length === 0 ? 'remote' : undefined,
    privateKeyMethods: privateKeyMethods(values),
  };
}

/** When the node is ready. Throws Fault `configuration`. */
export function readReadyLag(values: ServerValues): ReadyLag {
  return { blocks: positive('ready-lag-blocks', values), seconds: positive('ready-lag-seconds', values) };
}

/** The HTTP server that the settings choose. Fault `configuration` for one that can't be had. */
export function readHttpServer({
  'webserver-http-server': named,
  'webserver-uws-module': uwsModule,
  'trusted-proxy': proxies = [],
}: ServerValues): HttpServerKind {
  return chosenHttpServer({ named, uwsModule, isBehindProxy: proxies.length > 0 });
}

function trustedProxies({ 'trusted-proxy': networks = [] }: ServerValues): readonly string[] {
  for (const network of networks)
    if (!isNetwork(network)) fail(`trusted-proxy: an address or a network such as 10.0.0.0/8 expected, got ${network}`);
  return networks;
}

function privateKeyMethods({
  'private-key-methods': text = 'local',
  ...values
}: ServerValues): ServingSettings['privateKeyMethods'] {
  if (text === 'unix') requireUnixEndpoint('private-key-methods', values);
  return text;
}

function requireUnixEndpoint(
  key: OptionKey,
  { 'webserver-unix-endpoint': path }: Pick<ServerValues, 'webserver-unix-endpoint'>,
): void {
  if (path === undefined) fail(`${key}: unix is the socket that webserver-unix-endpoint names; name one`);
}

function adminEndpoint({ 'admin-endpoint': endpoint, ...values }: ServerValues): ListeningSettings['adminEndpoint'] {
  if (endpoint === 'unix') requireUnixEndpoint('admin-endpoint', values);
  else if (endpoint !== undefined && !isLoopback(endpoint.host))
    fail(`admin-endpoint: an address of this machine only, such as 127.0.0.1, expected, got ${endpoint.host}`);
  return endpoint;
}

function positive(key: 'ready-lag-blocks' | 'ready-lag-seconds', { [key]: count }: ServerValues): number | undefined {
  return count === 0 ? fail(`${key}: a positive number expected`) : count;
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
