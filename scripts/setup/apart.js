import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { inProject } from '../place.js';
import { SetupFailure } from './failure.js';
import { networkMissing, npm } from './npm.js';

const flags = [
  '--ignore-scripts',
  '--include=dev',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--loglevel=error',
];

/**
 * Installs what a lock file of its own pins into a folder below build/, so that installing the rest needn't wait for it. A failure leaves nothing.
 * @param {{ what: string, pinnedIn: string, folder: string }} packages
 */
export async function installApart({ what, pinnedIn, folder }) {
  removeApart(folder);
  mkdirSync(inProject(folder), { recursive: true });
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(inProject(pinnedIn, name), inProject(folder, name));
  const missing = await networkMissing();
  const { status, output } = await npm(['ci', ...flags, ...(missing === undefined ? [] : ['--offline'])], {
    cwd: inProject(folder),
  });
  if (status === 0) return;
  removeApart(folder);
  if (missing !== undefined)
    throw new SetupFailure(
      `${missing}, and npm's cache lacks packages: connect to the network, and run the same command again`,
      output,
    );
  throw new SetupFailure(`installing ${what} failed, npm says why above`, output);
}

/** Deletes such a folder; whoever needs it again gets it from npm's cache as a rule. @param {string} folder */
export function removeApart(folder) {
  rmSync(inProject(folder), { recursive: true, force: true });
}
