import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { readParameters } from '../../settings/chain_settings.ts';
import { parseUnixPath } from '../../client/unix_address.ts';
import { readAddresses } from '../../settings/node_address.ts';
import { readChainSettings } from '../../settings/read_chain_settings.ts';
import type { OptionValues } from '../../settings/options.ts';
import { readDataDir } from '../../settings/store_settings.ts';
import { findHolder } from '../../data_folder/folder_lock.ts';
import { placeOfNode } from '../../data_folder/folder_elsewhere.ts';
import { holderOfPort } from './port_holder.ts';
import { askNode, type RunningNode } from './running_node.ts';

const OWN_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** The facts that all checks share. */
export interface Facts {
  readonly values: OptionValues;
  /** The warnings of a node with these settings. */
  readonly notices: readonly string[];
  readonly dataFolder: string;
  /** The process that has the data folder. */
  readonly holder: { readonly pid: number; readonly command: string } | undefined;
  /** The report of the node that answers at the address of the settings; undefined when none does. */
  readonly running: RunningNode | undefined;
  /** The address of that node. */
  readonly url: string;
  /** The process of this machine that listens at that address; undefined where the system doesn't tell this user. */
  readonly runningPid: number | undefined;
}

/**
 * Asks the machine and the node. `given` overrides where the settings say the node answers. Relative paths are those of
 * the running node: where it was started in another folder, this process goes there.
 */
export async function gatherFacts(values: OptionValues, notices: readonly string[], given?: string): Promise<Facts> {
  const addresses = given === undefined ? readAddresses(values) : ([given] as const);
  const { url, running } = await findNode(addresses, listWitnesses(values));
  // The system tells the process of a port, but not of a Unix socket.
  const runningPid = running && addresses.map(listenerPid).find((pid) => pid !== undefined);
  const named = readDataDir(values);
  // Another node may answer at the address.
  const place =
    findHolder(named) === undefined && runningPid !== undefined ? placeOfNode(runningPid, named) : undefined;
  if (place !== undefined) process.chdir(place);
  const dataFolder = place === undefined ? named : resolve(named);
  return { values, notices, dataFolder, holder: findHolder(dataFolder), url, running, runningPid };
}

/** The first address where a node answers; the first of all where none does. */
async function findNode(
  [first, ...others]: readonly [string, ...string[]],
  witnesses: readonly string[],
): Promise<Pick<Facts, 'url' | 'running'>> {
  for (const url of [first, ...others]) {
    const running = await askNode(url, witnesses);
    if (running !== undefined) return { url, running };
  }
  return { url: first, running: undefined };
}

function listenerPid(url: string): number | undefined {
  if (parseUnixPath(url) !== undefined) return undefined;
  const { hostname, port } = new URL(url);
  return OWN_HOSTS.has(hostname) && port !== '' ? holderOfPort(Number(port))?.pid : undefined;
}

/** The chain that the settings name; undefined where they name none: the check of settings says so. */
export function readChainId(values: OptionValues): string | undefined {
  try {
    return readParameters(readChainSettings(values)).chainId;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** Returns the witnesses for which a node with these settings produces or stands by. */
export function listWitnesses({ witness = [], 'standby-for': standbyFor }: OptionValues): readonly string[] {
  return standbyFor === undefined ? witness : [...witness, standbyFor];
}
