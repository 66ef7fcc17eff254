import { readFileSync } from 'node:fs';

/** The version in package.json. */
export const PROGRAM_VERSION: string = versionOf(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

function versionOf(packageJson: string): string {
  return manifestOf(packageJson).version;
}

function manifestOf(packageJson: string): { readonly version: string };
function manifestOf(packageJson: string): unknown {
  const manifest: unknown = JSON.parse(packageJson);
  return manifest;
}
