import type { Log } from '../base/log.ts';
import type { HttpServerName } from '../jsonrpc/http/http_server.ts';
import type { Limits } from '../jsonrpc/limits.ts';
import type { Methods } from '../rpc/method.ts';
import type { Endpoint } from './config/options.ts';
import type { DataFolder } from './data_folder/data_folder.ts';
import type { WriterSettings } from './threads/messages.ts';

/** Everything that a node is built from. */
export interface NodeSettings {
  /** The folder of the chain, locked; the node releases it. */
  readonly folder: DataFolder;
  /** The block that is taken for the head although the folder promises others. */
  readonly acceptHead?: number | undefined;
  /** Bytes of the database's files that are kept in memory; a part of the machine's memory when left out. */
  readonly cacheBytes?: number | undefined;
  readonly writer: Omit<WriterSettings, 'storeHandle' | 'folder'>;
  readonly endpoints: readonly Endpoint[];
  /** Where figures are shown; nowhere when left out. */
  readonly metricsEndpoint?: Endpoint | undefined;
  /** Loads what is served: the methods are most of the program, and the writer need not wait for them. */
  readonly methods: () => Promise<Methods>;
  readonly limits: Limits;
  readonly verifierThreads: number;
  /** The one in use in this process unless said. */
  readonly httpServer?: HttpServerName;
  readonly corsOrigin: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly privateKeysAllowed: boolean;
  readonly log: Log;
}
