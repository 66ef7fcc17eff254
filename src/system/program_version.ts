import { readFileSync } from 'node:fs';
import { assert } from '../base/assert.ts';
import { membersIn } from './json_members.ts';

/** The version in package.json. */
export const PROGRAM_VERSION: string = versionOf(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
);

function versionOf(packageJson: string): string {
  const { version } = membersIn(packageJson) ?? {};
  assert(typeof version === 'string', 'a version in package.json');
  return version;
}
