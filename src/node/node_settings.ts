import type { ReadyLag } from './pages.ts';
import type { PrivateKeyMethods } from '../jsonrpc/private_keys.ts';
import type { Log, LogLevel } from '../base/log.ts';
import type { HttpServerKind } from '../jsonrpc/http/http_server.ts';
import type { Limits } from '../jsonrpc/limits.ts';
import type { Methods } from '../rpc/method.ts';
import type { NatsSinkSettings } from '../sinks/nats/nats_settings.ts';
import type { Endpoint } from './config/options.ts';
import type { DataFolder } from './data_folder/data_folder.ts';
import type { P2pSettings } from './network/network_messages.ts';
import type { SnapshotSettings } from './snapshot/snapshots.ts';
import type { WriterSettings } from './threads/messages.ts';

/** Everything that a node is built from. */
export interface NodeSettings {
  /** The folder of the chain, locked; the node releases it. */
  readonly folder: DataFolder;
  /** The block that is accepted as the head although the folder promises another. */
  readonly acceptHead?: number | undefined;
  /** Bytes of database files that are kept in memory; a share of the machine's memory when left out. */
  readonly cacheBytes?: number | undefined;
  readonly writer: Omit<WriterSettings, 'storeHandle' | 'folder'>;
  /** What the operator says of the network; the node speaks to no peers when left out. */
  readonly p2p?: P2pSettings | undefined;
  /** Where the chain's events go; nowhere when left out. */
  readonly sink?: NatsSinkSettings | undefined;
  /** Which snapshots it writes; none when left out. */
  readonly snapshots?: SnapshotSettings | undefined;
  /** The chain moves its own time, here or at the node that is followed: no clock tells whether a block is from the future. */
  readonly ownsTime?: boolean | undefined;
  /** The secret of the chain's impersonator, which signs for every account of a development chain. */
  readonly impersonatorSecret?: Uint8Array | undefined;
  /** Which lines of the network are logged; those that the writer logs, too, unless said. */
  readonly networkLogLevel?: LogLevel | undefined;
  readonly endpoints: readonly Endpoint[];
  /** Where metrics are served; nowhere when left out. */
  readonly metricsEndpoint?: Endpoint | undefined;
  /** Loads the served methods: they are most of the program, and the writer shouldn't wait for them. */
  readonly methods: () => Promise<Methods>;
  readonly limits: Limits;
  readonly verifierThreads: number;
  /** Whether memos are looked at for keys of their senders; true by default. */
  readonly guardsMemos?: boolean | undefined;
  /** The one in use in this process by default. */
  readonly httpServer?: HttpServerKind;
  readonly corsOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  /** Addresses and networks of proxies that are believed whom they speak for. */
  readonly trustedProxies: readonly string[];
  /** Whether browsers are shown pages; true by default. */
  readonly explorer?: boolean | undefined;
  /** Whether every answer tells of its head; only those that are asked for one by default. */
  readonly tellsHead?: boolean | undefined;
  readonly readyLag?: ReadyLag | undefined;
  readonly privateKeyMethods: PrivateKeyMethods;
  /** The only port for methods that take a private key and for the node's administration; all ports when left out. */
  readonly adminEndpoint?: Endpoint | undefined;
  readonly log: Log;
}
