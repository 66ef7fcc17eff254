import { readdirSync, readlinkSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { findHolder } from './folder_lock.ts';

/** A data folder that a running process of this machine has under a relative name. */
export interface FolderElsewhere {
  readonly folder: string;
  readonly pid: number;
}

/** The working directory of a process; undefined where the system doesn't tell this user. */
function workingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined; // another user's process, or none any more
  }
}

/** Returns the start folder of the process, if the folder of that name there is its own. */
export function placeOfNode(pid: number, dataFolder: string): string | undefined {
  const place = workingDirectory(pid);
  return place !== undefined && findHolder(resolve(place, dataFolder))?.pid === pid ? place : undefined;
}

/**
 * The folder of that relative name that a process started elsewhere has. Operators name a folder as the settings do,
 * and stand in another one. Undefined for an absolute path, and where no process has such a folder or the system
 * doesn't tell.
 */
export function folderElsewhere(named: string): FolderElsewhere | undefined {
  if (isAbsolute(named)) return undefined;
  for (const pid of processes()) {
    const place = placeOfNode(pid, named);
    if (place !== undefined) return { folder: resolve(place, named), pid };
  }
  return undefined;
}

function processes(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
  } catch {
    return [];
  }
}
