import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../../../base/fault.ts';
import { parametersOf } from '../../chain_settings.ts';
import { chainSettingsOf } from '../../config/chain_settings_of.ts';
import type { OptionValues } from '../../config/options.ts';
import { promiseOf } from '../../data_folder/folder_promise.ts';
import { requireIdentity } from '../../data_folder/identity.ts';
import { onDisk } from '../../system_error.ts';
import type { Check } from '../check.ts';
import { ok, wrong, type Finding } from '../finding.ts';

/** Whether the folder holds a chain that this program can go on with, and is of one owner; the database itself stays closed. */
export const dataFolder: Check = ({ values, dataFolder: folder }) => {
  if (!existsSync(folder)) return [ok(`there is no ${folder} yet; the first start makes it`)];
  try {
    return [chainIn(folder, values), ...onDisk(`cannot read ${folder}`, () => owners(folder))];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [wrong(error.message, 'run pharos doctor as the user that runs the node')];
  }
};

function chainIn(folder: string, values: OptionValues): Finding {
  const promise = onDisk(`cannot read ${folder}`, () => promiseOf(folder));
  if (promise === undefined) return ok(`${folder} holds no chain yet; the first start begins it`);
  if (promise instanceof Fault) return wrong(promise.message, 'pharos verify reads what is there');
  try {
    requireIdentity(promise.identity, chainIdOf(values) ?? idIn(promise.identity));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return wrong(error.message, 'name the data-dir or the genesis-json that belongs to it');
  }
  return ok(`${folder} holds the chain, with block ${promise.head.number} or later`);
}

/** Undefined where the settings name no chain: the check of settings says so. */
function chainIdOf(values: OptionValues): string | undefined {
  try {
    return parametersOf(chainSettingsOf(values)).chainId;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

function idIn(identity: Parameters<typeof requireIdentity>[0]): string {
  return identity.state === 'complete' ? identity.chainId : '';
}

/** A file of root, from a command that was tried as root, stops the node at a time that nobody expects. */
function owners(folder: string): Finding[] {
  const { uid } = lstatSync(folder);
  const strange = readdirSync(folder).filter((name) => (ownerOf(join(folder, name)) ?? uid) !== uid);
  const [first] = strange;
  if (first === undefined) return [];
  const which = strange.length > 1 ? `${join(folder, first)} and ${strange.length - 1} others belong` : `${join(folder, first)} belongs`;
  return [wrong(`${which} to another user than ${folder}`, `chown -R --reference=${folder} ${folder}`)];
}

/** Undefined for a file that has gone meanwhile, as those of a database do. */
function ownerOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.uid;
}
