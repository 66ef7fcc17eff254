import { MEBIBYTE } from '../base/bytes.ts';
import { Fault } from '../base/fault.ts';
import { parseEndpoint, parseTarget, type Target } from '../wire/addresses.ts';
import { readP2pParameters } from './p2p_parameters.ts';
import type { Endpoint, SettingsOf } from './options.ts';
import type { PeerLimits } from '../p2p/peers/network_settings.ts';

const MOST_CONNECTIONS = 1000; // what memory is for: each may leave 64 MiB unread
const MOST_PUBLIC_ENDPOINTS = 4;
const NODE_ID = /^[0-9a-f]{64}$/;

/**
 * The settings of the network; undefined when neither an endpoint nor a seed is given. Throws Fault `configuration`.
 */
export function readP2pSettings(values: SettingsOf<'p2p'>): P2pSettings | undefined {
  const trusted = (values['p2p-trusted-node'] ?? []).map(parseTrusted);
  const seeds = [...(values['p2p-seed-node'] ?? []).map(parseSeed), ...trusted];
  const endpoint = values['p2p-endpoint'];
  if (endpoint === undefined && seeds.length === 0) return undefined;
  const publicEndpoints = values['p2p-public-endpoint'] ?? [];
  if (publicEndpoints.length > MOST_PUBLIC_ENDPOINTS)
    fail(`p2p-public-endpoint: at most ${MOST_PUBLIC_ENDPOINTS} expected`);
  for (const text of publicEndpoints)
    if (parseEndpoint(text) === undefined) fail(`p2p-public-endpoint: address:port expected, got "${text}"`);
  const allowed = values['p2p-allowed-node'] ?? [];
  for (const id of allowed) if (!NODE_ID.test(id)) fail(`p2p-allowed-node: 64 hex digits expected, got "${id}"`);
  const parameters = readP2pParameters(values['p2p-parameters'] ?? '{}');
  const maxConnections = parameters.maxConnections ?? positive('p2p-max-connections', values['p2p-max-connections']);
  if (maxConnections > MOST_CONNECTIONS)
    fail(`p2p-max-connections: at most ${MOST_CONNECTIONS} expected, got ${maxConnections}`);
  return {
    endpoint,
    publicEndpoints,
    seeds,
    trusted: trusted.map(({ id }) => id),
    allowed,
    maxConnections,
    targetPeers: parameters.targetPeers ?? values['p2p-target-peers'] ?? 0,
    exchangesPeers: values['p2p-peer-exchange'] !== false,
    takesTransactions: values['p2p-accept-transactions'] !== false,
    syncRate: positive('p2p-sync-rate', values['p2p-sync-rate']) * MEBIBYTE,
    limits: parameters.limits,
    poolBytes: positive('p2p-pool-mib', values['p2p-pool-mib']) * MEBIBYTE,
    keyFile: values['p2p-key-file'],
  };
}

function parseSeed(text: string): Target {
  return parseTarget(text) ?? fail(`p2p-seed-node: host:port or id@host:port expected, got "${text}"`);
}

function parseTrusted(text: string): Target & { readonly id: string } {
  const target = parseTarget(text);
  return target?.id === undefined
    ? fail(`p2p-trusted-node: id@host:port expected, got "${text}"`)
    : { ...target, id: target.id };
}

function positive(key: string, value: number | undefined): number {
  return value === undefined || value === 0 ? fail(`${key}: a positive number expected`) : value;
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}

/** The operator's settings of the network. */
export interface P2pSettings {
  /** The address for inbound peers; undefined for none. */
  readonly endpoint: Endpoint | undefined;
  /** The addresses under which others can reach this node, as it tells them. */
  readonly publicEndpoints: readonly string[];
  readonly seeds: readonly Target[];
  /** Ids of nodes among the seeds whose word is taken for who signed transactions. */
  readonly trusted: readonly string[];
  /** Ids of nodes; everybody may be a peer when there is none. */
  readonly allowed: readonly string[];
  readonly maxConnections: number;
  readonly targetPeers: number;
  readonly exchangesPeers: boolean;
  readonly takesTransactions: boolean;
  /** Bytes of blocks a second that those who are behind get together. */
  readonly syncRate: number;
  readonly limits: PeerLimits;
  readonly poolBytes: number;
  /** True when it takes key switches of a witness that it stands by for. */
  readonly takesSwitches?: boolean | undefined;
  /** The file of the secret that says who the node is; one in the data folder when undefined. */
  readonly keyFile?: string | undefined;
}
