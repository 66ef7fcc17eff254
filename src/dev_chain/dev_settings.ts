import { MEBIBYTE } from '../base/bytes.ts';
import { openLog, type Log, type LogSettings } from '../base/log.ts';
import { chosenHttpServer } from '../jsonrpc/http/listen.ts';
import { requireSocketPath } from '../jsonrpc/http/unix_socket.ts';
import { OWN_MACHINE } from '../jsonrpc/http/origins.ts';
import type { Target } from '../wire/addresses.ts';
import { usualLimits } from '../p2p/peers/network_settings.ts';
import { readParameters, profileNamed } from '../settings/chain_settings.ts';
import type { Endpoint } from '../settings/options.ts';
import type { Limits } from '../jsonrpc/limits/limits.ts';
import { readLimits } from '../settings/limit_options.ts';
import type { ServingSettings } from '../settings/server_settings.ts';
import type { NodeSettings } from '../settings/node_settings.ts';
import type { NatsSinkSettings } from '../sinks/nats/nats_settings.ts';
import type { Mining } from '../rpc/mining.ts';
import { defaultVerifierThreads } from '../settings/verifier_settings.ts';
import { devPublicKey, devSecret, listDevWitnesses, IMPERSONATOR } from './dev_genesis.ts';
import type { JoinedChain } from './joined_chain.ts';
import type { P2pSettings } from '../settings/p2p_settings.ts';

/** A development chain listens on this port, and commands look for a node there. */
export const DEFAULT_PORT = 9193;

/** So far back a chain can be taken: eight hours of blocks, whose undo records need less room than the blocks. */
const USUAL_UNDO_BLOCKS = 10_000;

/**
 * For a chain that has little data when it is started, as most development chains: what is no longer in use fills a
 * larger cache as well.
 */
const YOUNG_CHAIN = { cacheBytes: 32 * MEBIBYTE, rowCacheMib: 12 };
const MOST_OF_YOUNG = 256 * MEBIBYTE; // a quarter of it may be the database's log

/** The flags of a development chain's user. */
export interface DevOptions {
  readonly port: number;
  readonly blockIntervalMs?: number;
  readonly mining: boolean;
  readonly automine?: true;
  readonly undoBlocks?: number;
  readonly metricsPort?: number;
  readonly acceptHead?: number;
  /** The bytes of the data folder; left out where there is none. */
  readonly dataBytes?: number | undefined;
  readonly httpCors?: readonly string[];
  readonly allowedHost?: readonly string[];
  /** `uws` or `node`. */
  readonly webserverHttpServer?: string;
  readonly webserverUwsModule?: string;
  readonly webserverUnixEndpoint?: string;
  readonly blocksKept?: number;
  readonly p2pEndpoint?: Endpoint;
  readonly join?: Target;
  readonly sink?: NatsSinkSettings | undefined;
  /** The folder of requested snapshots; requests are refused without it. */
  readonly snapshotDir?: string | undefined;
}

/** When blocks are made, as the flags say. */
export function readMining({ mining, automine }: Pick<DevOptions, 'mining' | 'automine'>): Mining {
  if (!mining) return 'none';
  return automine === true ? 'automine' : 'interval';
}

/** A development chain's peers are of the same user: few, and as many as he starts on one machine. */
function readNetwork({ p2pEndpoint, join: target }: DevOptions): P2pSettings | undefined {
  if (p2pEndpoint === undefined && target === undefined) return undefined;
  const seeds = target === undefined ? [] : [target];
  return {
    ...{
      endpoint: p2pEndpoint,
      publicEndpoints: [],
      seeds,
      trusted: [],
      allowed: [],
      maxConnections: 40,
      targetPeers: 8,
    },
    ...{
      exchangesPeers: false,
      takesTransactions: true,
      syncRate: 64 * MEBIBYTE,
      limits: usualLimits,
      poolBytes: 64 * MEBIBYTE,
    },
  };
}

/** The witnesses of a development chain's node. */
interface DevRound {
  readonly isFork: boolean;
  /** Several witnesses share the slots. */
  readonly isShared: boolean;
}

/**
 * The only witness makes blocks here, or each, unless they are made by the node that is joined. A fork's time
 * goes on from its state's, which may be years old: what its witnesses missed since is nothing that happened on it.
 */
function readProduction(
  options: DevOptions,
  seed: string,
  { isFork, isShared }: DevRound,
): NodeSettings['writer']['production'] {
  if (options.join !== undefined) return undefined;
  const [secrets, everyMs, mining] = [[devSecret('initminer', seed)], options.blockIntervalMs, readMining(options)];
  const [everyWitness, goesOnFromHead] = [isFork || isShared, isFork];
  const witnesses = ['initminer'];
  return {
    witnesses,
    everyWitness,
    secrets,
    allowStale: true,
    requiredParticipation: 0,
    ownTime: true,
    goesOnFromHead,
    everyMs,
    mining,
  };
}

/** Others would not follow a chain below what they know as irreversible. */
function readUndoBlocks({
  join: target,
  p2pEndpoint,
  blocksKept = Infinity,
  undoBlocks,
}: DevOptions): number | undefined {
  if (target !== undefined || p2pEndpoint !== undefined) return undefined;
  // What the oldest block that is kept follows is gone, so that one stays.
  return undoBlocks ?? Math.min(USUAL_UNDO_BLOCKS, blocksKept - 1);
}

/** Undefined where the chain has no impersonator, or one of another seed. */
function findImpersonatorSecret(genesisText: string, profileName: string, seed: string): Uint8Array | undefined {
  return genesisText.includes(devPublicKey(IMPERSONATOR, profileNamed(profileName), seed))
    ? devSecret(IMPERSONATOR, seed)
    : undefined;
}

/** A development chain has no proxy: all its callers are programs of its user. */
function readServing(
  { webserverHttpServer, webserverUwsModule, httpCors = [], allowedHost = [] }: DevOptions,
  limits: Limits,
): ServingSettings {
  return {
    httpServer: chosenHttpServer({ named: webserverHttpServer, uwsModule: webserverUwsModule }),
    limits,
    corsOrigins: [OWN_MACHINE, ...httpCors],
    allowedHosts: allowedHost,
    privateKeyMethods: 'local',
    trustedProxies: [],
    compresses: undefined,
  };
}

/** The settings of the node of a development chain; `limits` are those given as flags, by key. */
export function devSettings(
  options: DevOptions,
  { profileName, genesisText, seed = '' }: JoinedChain & { readonly seed?: string },
  limits: Readonly<Record<string, unknown>> = {},
  log: Log = openLog({ level: 'warning' }, 'front'),
): Omit<NodeSettings, 'folder'> {
  const { port, metricsPort, acceptHead, dataBytes = 0, blocksKept, snapshotDir } = options;
  const p2p = readNetwork(options);
  // Who joins wants to see how far it is.
  const theirLog: LogSettings = { level: options.join === undefined ? 'warning' : 'notice' };
  const chain = { profileName, genesisText, initialSigningKey: undefined };
  const caches = dataBytes < MOST_OF_YOUNG ? YOUNG_CHAIN : undefined;
  const kinds = { debug: options.join === undefined, network: p2p !== undefined, snapshots: snapshotDir !== undefined };
  return {
    store: { acceptHead, cacheBytes: caches?.cacheBytes },
    network: p2p && { p2p, log: theirLog },
    sink: options.sink && { nats: options.sink, log: theirLog },
    snapshots: snapshotDir === undefined ? undefined : { folder: snapshotDir, everyBlocks: undefined, kept: undefined },
    ownsTime: true,
    writer: {
      chain,
      durable: true,
      checkpoints: [],
      rowCacheMib: caches?.rowCacheMib,
      blocksKept,
      undoBlocks: readUndoBlocks(options),
      production: readProduction(options, seed, {
        isFork: readParameters(chain).fork !== undefined,
        isShared: listDevWitnesses(genesisText).length > 0,
      }),
      log: { level: 'warning' },
    },
    verifiers: { threads: defaultVerifierThreads() },
    front: {
      methods: async () => (await import('../rpc/methods.ts')).listMethods(profileNamed(profileName), kinds),
      listening: {
        endpoints: [{ host: '127.0.0.1', port }],
        unixEndpoint: requireSocketPath(options.webserverUnixEndpoint, 'webserver-unix-endpoint'),
        metricsEndpoint: metricsPort === undefined ? undefined : { host: '127.0.0.1', port: metricsPort },
      },
      serving: readServing(options, readLimits({ ...limits })),
      impersonatorSecret:
        options.join === undefined ? findImpersonatorSecret(genesisText, profileName, seed) : undefined,
    },
    log,
  };
}
