import { MEBIBYTE } from '../../base/bytes.ts';
import { Fault } from '../../base/fault.ts';
import { logLevelOf, type LogLevel } from '../../base/log.ts';
import { isNetwork } from '../../jsonrpc/http/clients.ts';
import { chosenHttpServer } from '../../jsonrpc/http/listen.ts';
import { isLoopback } from '../../jsonrpc/http/loopback.ts';
import { PUBLIC_CALLS_PER_SECOND, type Limits } from '../../jsonrpc/limits.ts';
import type { PrivateKeyMethods } from '../../jsonrpc/private_keys.ts';
import { profileNamed } from '../chain_settings.ts';
import type { NodeSettings } from '../node_settings.ts';
import { defaultVerifierThreads } from '../threads/verifier_threads.ts';
import { chainSettingsOf } from './chain_settings_of.ts';
import { checkpointsOf } from './checkpoints_of.ts';
import { limitsOf } from './limit_options.ts';
import type { Endpoint, OptionValues } from './options.ts';
import { p2pSettingsOf } from './p2p_settings.ts';
import { productionSettingsOf } from './production_settings.ts';
import { sinkSettingsOf } from './sink_settings.ts';
import { snapshotSettingsOf } from './snapshot_settings.ts';

/** How much is logged. Throws Fault `configuration`. */
export function levelOf(values: OptionValues): LogLevel {
  const text = values['log-level'] ?? 'info';
  return logLevelOf(text) ?? fail(`log-level: debug, info, notice, warning or error expected, got "${text}"`);
}

/** All settings of a node, each checked. Throws Fault `configuration`, which names the key. */
export async function nodeSettingsOf(values: OptionValues, log: NodeSettings['log']): Promise<Omit<NodeSettings, 'folder'>> {
  const endpoints = [values['webserver-http-endpoint'], values['webserver-ws-endpoint']].filter((endpoint) => endpoint !== undefined);
  const [first] = endpoints;
  const p2p = withSwitches(p2pSettingsOf(values), values);
  const produced = await productionSettingsOf(values, p2p);
  const cacheMib = values['database-cache-mib'];
  const isOnePort = endpoints.length === 2 && endpoints.every(({ host, port }) => host === first?.host && port === first.port);
  return {
    acceptHead: values['accept-head'],
    cacheBytes: cacheMib === undefined ? undefined : cacheMib * MEBIBYTE,
    writer: {
      chain: chainSettingsOf(values),
      durable: (values.sync ?? 'every-block') === 'every-block',
      checkpoints: checkpointsOf(values.checkpoint),
      blocksKept: blocksKeptOf(values),
      production: produced,
      logLevel: levelOf(values),
    },
    p2p,
    sink: sinkSettingsOf(values),
    snapshots: snapshotSettingsOf(values),
    endpoints: isOnePort ? endpoints.slice(0, 1) : endpoints,
    methods: async () =>
      (await import('../served_methods.ts')).servedMethods(
        profileNamed(values.profile ?? 'default'),
        values.plugin ?? [],
        p2p !== undefined,
        produced !== undefined,
      ),
    limits: limitsFor(values),
    metricsEndpoint: values['metrics-endpoint'],
    verifierThreads: values['webserver-thread-pool-size'] ?? defaultVerifierThreads(),
    httpServer: chosenHttpServer({ named: values['webserver-http-server'], uwsModule: values['webserver-uws-module'] }),
    corsOrigins: values['http-cors'] ?? [],
    allowedHosts: values['allowed-host'] ?? [],
    guardsMemos: isOn('memo-guard', values),
    explorer: isOn('explorer', values),
    tellsHead: tellsHead(values),
    readyLag: { blocks: positive('ready-lag-blocks', values), seconds: positive('ready-lag-seconds', values) },
    trustedProxies: trustedProxies(values),
    privateKeyMethods: privateKeyMethods(values),
    adminEndpoint: adminEndpoint(values),
    log,
  };
}

/** A standby alone takes switches of peers. */
function withSwitches(p2p: NodeSettings['p2p'], { 'standby-for': standbyFor }: OptionValues): NodeSettings['p2p'] {
  return p2p && { ...p2p, takesSwitches: standbyFor !== undefined };
}

/** A limit that is said holds for everybody; the one that isn't, for clients of other machines. */
function limitsFor(values: OptionValues): Limits {
  const limits = limitsOf(values);
  const isSaid = values['max-calls-per-second'] !== undefined;
  return isSaid ? { ...limits, countsLocalCalls: true } : { ...limits, callsPerSecond: PUBLIC_CALLS_PER_SECOND };
}

function isOn(key: 'memo-guard' | 'explorer', { [key]: text = 'on' }: OptionValues): boolean {
  return text === 'on' || text === 'off' ? text === 'on' : fail(`${key}: on or off expected, got "${text}"`);
}

function tellsHead({ 'head-header': text = 'asked' }: OptionValues): boolean {
  return text === 'asked' || text === 'always' ? text === 'always' : fail(`head-header: asked or always expected, got "${text}"`);
}

function trustedProxies({ 'trusted-proxy': networks = [] }: OptionValues): readonly string[] {
  for (const network of networks)
    if (!isNetwork(network)) fail(`trusted-proxy: an address or a network such as 10.0.0.0/8 expected, got ${network}`);
  return networks;
}

function privateKeyMethods({ 'private-key-methods': text = 'local' }: OptionValues): PrivateKeyMethods {
  return text === 'local' || text === 'always' || text === 'never'
    ? text
    : fail(`private-key-methods: local, always or never expected, got "${text}"`);
}

function adminEndpoint({ 'admin-endpoint': endpoint }: OptionValues): Endpoint | undefined {
  if (endpoint !== undefined && !isLoopback(endpoint.host))
    fail(`admin-endpoint: an address of this machine only, such as 127.0.0.1, expected, got ${endpoint.host}`);
  return endpoint;
}

function positive(key: 'ready-lag-blocks' | 'ready-lag-seconds', { [key]: count }: OptionValues): number | undefined {
  return count === 0 ? fail(`${key}: a positive number expected`) : count;
}

function blocksKeptOf({ 'blocks-kept': count }: OptionValues): number | undefined {
  return count === 0 ? fail('blocks-kept: a positive number expected; leave it out to keep all blocks') : count;
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
