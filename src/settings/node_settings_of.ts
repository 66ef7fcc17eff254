import type { Log } from '../base/log.ts';
import { chainSettingsOf, profileOf } from './chain_settings_of.ts';
import { publicLimits } from './limit_options.ts';
import { levelOf } from './log_level.ts';
import type { NodeSettings } from './node_settings.ts';
import { settingsOf, type OptionValues } from './options.ts';
import { p2pSettingsOf } from './p2p_settings.ts';
import { productionSettingsOf } from './production_settings.ts';
import { listeningSettingsOf, readyLagOf, servingSettingsOf } from './server_settings.ts';
import { sinkSettingsOf } from './sink_settings.ts';
import { snapshotSettingsOf } from './snapshot_settings.ts';
import { takesSwitches } from './standby_settings.ts';
import { storeSettingsOf } from './store_settings.ts';
import { verifierSettingsOf } from './verifier_settings.ts';
import { writerSettingsOf } from './writer_settings.ts';

/** All settings of a node, each checked by its reader. Throws Fault `configuration`, which names the key. */
export async function nodeSettingsOf(values: OptionValues, log: Log): Promise<Omit<NodeSettings, 'folder'>> {
  const p2p = p2pSettingsOf(values);
  const production = await productionSettingsOf(values, p2p);
  return {
    store: storeSettingsOf(values),
    writer: { chain: chainSettingsOf(values), ...writerSettingsOf(values), production, logLevel: levelOf(values) },
    verifiers: verifierSettingsOf(values),
    network: p2p && { p2p: { ...p2p, takesSwitches: takesSwitches(values) } },
    sink: sinkOf(values),
    snapshots: snapshotSettingsOf(values),
    front: {
      methods: async () =>
        (await import('./served_methods.ts')).servedMethods(values, profileOf(values), {
          network: p2p !== undefined,
          production: production !== undefined,
        }),
      listening: listeningSettingsOf(values),
      serving: servingSettingsOf(values, publicLimits(values)),
      readyLag: readyLagOf(values),
      said: settingsOf('front', values),
    },
    log,
  };
}

function sinkOf(values: OptionValues): NodeSettings['sink'] {
  const nats = sinkSettingsOf(values);
  return nats && { nats };
}
