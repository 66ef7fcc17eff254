import type { Log } from '../base/log.ts';
import { readChainSettings, readProfile } from './read_chain_settings.ts';
import { publicLimits } from './limit_options.ts';
import { readLogSettings } from './log_settings.ts';
import { readThreadMemory } from './memory_settings.ts';
import type { NodeSettings } from './node_settings.ts';
import { pickSettings, type OptionValues } from './options.ts';
import { readP2pSettings } from './p2p_settings.ts';
import { readProductionSettings } from './production_settings.ts';
import { readListeningSettings, readReadyLag, readServingSettings } from './server_settings.ts';
import { readNatsSettings } from './sink_settings.ts';
import { readSnapshotSettings } from './snapshot_settings.ts';
import { takesSwitches } from './standby_settings.ts';
import { readStoreSettings } from './store_settings.ts';
import { readVerifierSettings } from './verifier_settings.ts';
import { readTraceSettings } from './trace_settings.ts';
import { readWriterSettings } from './writer_settings.ts';

/** All settings of a node, each checked by its reader. Throws Fault `configuration`, which names the key. */
export async function readNodeSettings(values: OptionValues, log: Log): Promise<Omit<NodeSettings, 'folder'>> {
  const p2p = readP2pSettings(values);
  const production = await readProductionSettings(values, p2p);
  const memory = readThreadMemory(values);
  return {
    store: readStoreSettings(values),
    writer: {
      chain: readChainSettings(values),
      ...readWriterSettings(values),
      ...memory,
      production,
      log: readLogSettings(values),
    },
    verifiers: { ...readVerifierSettings(values), ...memory },
    network: p2p && { p2p: { ...p2p, takesSwitches: takesSwitches(values) } },
    sink: readSinkSettings(values),
    snapshots: readSnapshotSettings(values),
    traces: readTraceSettings(values),
    front: {
      methods: async () =>
        (await import('./served_methods.ts')).servedMethods(values, readProfile(values), {
          network: p2p !== undefined,
          production: production !== undefined,
        }),
      listening: readListeningSettings(values),
      serving: readServingSettings(values, publicLimits(values)),
      readyLag: readReadyLag(values),
      said: pickSettings('front', values),
    },
    log,
  };
}

function readSinkSettings(values: OptionValues): NodeSettings['sink'] {
  const nats = readNatsSettings(values);
  return nats && { nats };
}
