import { Fault } from '../base/fault.ts';
import type { Methods } from '../rpc/method.ts';
import { listMethods } from '../rpc/methods.ts';
import type { Profile } from '../values/profile.ts';
import { nearest } from '../base/nearest.ts';
import type { SettingsOf } from './options.ts';

/** Groups that act on the node or its chain as only its operator may. */
export const ADMINISTRATION_GROUPS: ReadonlySet<string> = new Set([
  'debug_api',
  'network_node_api',
  'witness_node_api',
  'snapshot_api',
]);

/** Plugins in the lineage's files that serve no methods: they are always active, or have no counterpart here. */
const SILENT_PLUGINS: readonly string[] = [
  ...[
    'chain',
    'p2p',
    'webserver',
    'json_rpc',
    'jsonrpc',
    'witness',
    'account_history',
    'account_by_key',
    'block_log_info',
    'debug_node',
    'test_api',
    'debug_node_api',
    // Served where there is a network.
    'network_node_api',
    // Served where there are witnesses.
    'witness_node_api',
  ],
];

/** The methods of the groups that `plugin =` lines name; all when there is no such line. Fault `configuration`. */
export function servedMethods(
  { plugin: plugins = [] }: SettingsOf<'methods'>,
  profile: Profile,
  { network, production }: { readonly network: boolean; readonly production: boolean },
): Methods {
  const all = listMethods(profile, { network, production, snapshots: true });
  if (plugins.length === 0) return all;
  const groups = new Set([...all.values()].map(({ group }) => group));
  for (const plugin of plugins) {
    if (groups.has(plugin) || SILENT_PLUGINS.includes(plugin)) continue;
    throw new Fault(
      'configuration',
      `unable to find plugin: ${plugin}; the nearest known one is ${nearest(plugin, [...groups, ...SILENT_PLUGINS])}`,
    );
  }
  // The command `peers` of this program asks for it, whatever clients are served.
  return listMethods(profile, {
    network,
    production,
    snapshots: true,
    serves: (group) => plugins.includes(group) || ADMINISTRATION_GROUPS.has(group),
  });
}
