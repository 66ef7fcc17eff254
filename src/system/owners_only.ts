import { existsSync, statSync } from 'node:fs';
import { Fault } from '../base/fault.ts';
import { onDisk } from './system_error.ts';

const OF_OTHERS = 0o077;

/** For files with a secret: whoever else may read it could use it. Fault `configuration` that says what to do. */
export function requireOwnersOnly(path: string): void {
  if (!existsSync(path)) throw new Fault('configuration', `there is no file ${path}`);
  const { mode } = onDisk(`cannot read ${path}`, () => statSync(path));
  if ((mode & OF_OTHERS) !== 0)
    throw new Fault('configuration', `${path}: others than its owner may read or write it; chmod 600 ${path}`);
}
