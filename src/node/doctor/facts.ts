import { Fault } from '../../base/fault.ts';
import { parametersOf } from '../chain_settings.ts';
import { chainSettingsOf } from '../config/chain_settings_of.ts';
import type { OptionValues } from '../config/options.ts';
import { dataDirOf } from '../config/standby_settings.ts';
import { holderOf } from '../data_folder/folder_lock.ts';
import { askNode, type RunningNode } from './running_node.ts';

/** What all checks begin from. */
export interface Facts {
  readonly values: OptionValues;
  /** What a node would warn of with these settings. */
  readonly notices: readonly string[];
  readonly dataFolder: string;
  /** The process that has the data folder. */
  readonly holder: { readonly pid: number; readonly command: string } | undefined;
  /** What a node says that answers at the address of the settings; undefined when none does. */
  readonly running: RunningNode | undefined;
  /** The address of that node. */
  readonly url: string;
}

/** Asks the machine and the node. `url` overrides where the settings say the node answers. */
export async function gatherFacts(values: OptionValues, notices: readonly string[], url = urlOf(values)): Promise<Facts> {
  const dataFolder = dataDirOf(values);
  const holder = holderOf(dataFolder);
  return { values, notices, dataFolder, holder, url, running: await askNode(url, witnessesOf(values)) };
}

/** The chain that the settings name; undefined where they name none: the check of settings says so. */
export function chainIdOf(values: OptionValues): string | undefined {
  try {
    return parametersOf(chainSettingsOf(values)).chainId;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Whose blocks a node with these settings makes, or stands by to make. */
export function witnessesOf({ witness = [], 'standby-for': standbyFor }: OptionValues): readonly string[] {
  return standbyFor === undefined ? witness : [...witness, standbyFor];
}

/** Where a node with these settings answers programs of its own machine, its administration first. */
function urlOf({ 'admin-endpoint': admin, 'webserver-http-endpoint': http, 'webserver-ws-endpoint': ws }: OptionValues): string {
  const { host, port } = admin ?? http ?? ws ?? { host: '127.0.0.1', port: 9193 };
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}
