import { readFileSync } from 'node:fs';
import { assert } from '../base/assert.ts';
import { parseMembers } from './json_members.ts';

/** The version in package.json. */
export const PROGRAM_VERSION: string = readVersion(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);

function readVersion(packageJson: string): string {
  const { version } = parseMembers(packageJson) ?? {};
  assert(typeof version === 'string', 'a version in package.json');
  return version;
}
