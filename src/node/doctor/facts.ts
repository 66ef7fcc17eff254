import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { parametersOf } from '../chain_settings.ts';
import { chainSettingsOf } from '../config/chain_settings_of.ts';
import type { OptionValues } from '../config/options.ts';
import { dataDirOf } from '../config/standby_settings.ts';
import { holderOf } from '../data_folder/folder_lock.ts';
import { holderOfPort, workingDirectory } from './port_holder.ts';
import { askNode, type RunningNode } from './running_node.ts';

const OWN_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

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
  /** The process of this machine that listens at that address; undefined where the system doesn't tell this user. */
  readonly runningPid: number | undefined;
}

/**
 * Asks the machine and the node. `url` overrides where the settings say the node answers. Relative paths are those of the running node:
 * where it was started in another folder, this process goes there.
 */
export async function gatherFacts(values: OptionValues, notices: readonly string[], url = urlOf(values)): Promise<Facts> {
  const running = await askNode(url, witnessesOf(values));
  const runningPid = running && listenerAt(url);
  const named = dataDirOf(values);
  const place = holderOf(named) === undefined && runningPid !== undefined ? placeOfNode(runningPid, named) : undefined;
  if (place !== undefined) process.chdir(place);
  const dataFolder = place === undefined ? named : resolve(named);
  return { values, notices, dataFolder, holder: holderOf(dataFolder), url, running, runningPid };
}

/** Where the process was started, if the folder of that name there is its own. Another node may answer at the address. */
export function placeOfNode(pid: number, dataFolder: string): string | undefined {
  const place = workingDirectory(pid);
  return place !== undefined && holderOf(resolve(place, dataFolder))?.pid === pid ? place : undefined;
}

function listenerAt(url: string): number | undefined {
  const { hostname, port } = new URL(url);
  return OWN_HOSTS.has(hostname) && port !== '' ? holderOfPort(Number(port))?.pid : undefined;
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
