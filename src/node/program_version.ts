import { readFileSync } from 'node:fs';

/** The version that package.json says. */
export const PROGRAM_VERSION: string = versionOf(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

function versionOf(packageJson: string): string {
  return String(JSON.parse(packageJson).version);
}
