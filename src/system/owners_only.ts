import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Fault } from '../base/fault.ts';
import { onDisk } from './system_error.ts';

const OF_OTHERS = 0o077;

/** For files with a secret: whoever else may read it could use it. Fault `configuration` that says what to do. */
export function requireOwnersOnly(path: string): void {
  if (!existsSync(path)) throw new Fault('configuration', `there is no file ${path}`);
  const found = onDisk(`cannot read ${path}`, () => statSync(path));
  if (found.isDirectory()) throw new Fault('configuration', `${path} is a folder; name a file in it`);
  if ((found.mode & OF_OTHERS) !== 0 && !isCredential(path))
    throw new Fault('configuration', `${path}: others than its owner may read or write it; chmod 600 ${path}`);
}

/**
 * Returns whether systemd has given the file to this process alone (LoadCredential). It is root's and read by an access list, so
 * its mode says nothing.
 */
export function isCredential(
  path: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): boolean {
  const { CREDENTIALS_DIRECTORY: folder = '' } = environment;
  return folder !== '' && dirname(resolve(path)) === resolve(folder);
}
