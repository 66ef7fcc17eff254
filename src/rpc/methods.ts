import type { Profile } from '../values/profile.ts';
import { accountBandwidthApi } from './account_bandwidth_api/index.ts';
import { accountByKeyApi } from './account_by_key_api/index.ts';
import { accountHistoryApi } from './account_history_api/index.ts';
import { alexandriaApi } from './alexandria_api/index.ts';
import { blockApi } from './block_api/index.ts';
import { chainApi } from './chain_api/index.ts';
import { customApi } from './custom_api/index.ts';
import { databaseApi } from './database_api/index.ts';
import { debugApi } from './debug_api/index.ts';
import { jsonrpc } from './jsonrpc/index.ts';
import { legacy } from './legacy/index.ts';
import { registerMethods, type Methods } from './method.ts';
import { networkBroadcastApi } from './network_broadcast_api/index.ts';
import { networkNodeApi } from './network_node_api/index.ts';
import { rpc } from './rpc/index.ts';
import { snapshotApi } from './snapshot_api/index.ts';
import { subscribeApi } from './subscribe_api/index.ts';
import { transactionStatusApi } from './transaction_status_api/index.ts';
import { witnessNodeApi } from './witness_node_api/index.ts';

/** The group whose methods can be called by their bare names in the legacy dialect. */
export const GROUP_OF_BARE_NAMES = 'alexandria_api';

/**
 * The method groups that a node serves: all but `debug_api`, `network_node_api`, `witness_node_api` and `snapshot_api`
 * by default.
 */
export interface ServedGroups {
  readonly serves?: (group: string) => boolean;
  /** True if the chain is a development chain, which any client may move. */
  readonly debug?: boolean;
  /** True if the node speaks to others. */
  readonly network?: boolean;
  /** True if the node has witnesses. */
  readonly production?: boolean;
  /** True if the node writes snapshots when it is told to. */
  readonly snapshots?: boolean;
}

/** All methods of a node for a chain with this profile, in the groups that it serves; `jsonrpc` lists these. */
export function listMethods(
  profile: Pick<Profile, 'fiatConversion'>,
  { serves = () => true, debug = false, network = false, production = false, snapshots = false }: ServedGroups = {},
): Methods {
  const groups = [
    alexandriaApi(profile),
    databaseApi,
    networkBroadcastApi,
    accountHistoryApi,
    blockApi,
    chainApi,
    customApi,
    subscribeApi,
    accountByKeyApi,
    accountBandwidthApi,
    transactionStatusApi,
    debug ? debugApi : [],
    network ? networkNodeApi : [],
    production ? witnessNodeApi : [],
    snapshots ? snapshotApi : [],
  ];
  const served = groups.flat().filter(({ group }) => serves(group));
  const methods: Methods = registerMethods(
    jsonrpc(() => methods),
    rpc(() => methods),
    legacy(() => methods, GROUP_OF_BARE_NAMES),
    served,
  );
  return methods;
}
