import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../../scripts/setup/lock.js';
import { project } from '../commands.ts';

/** What SDKs and scripts of the lineage's time asked with, and what their users put in its place since. */
const packages = {
  'node-fetch-1': 'npm:node-fetch@1.7.3',
  'node-fetch-2': 'npm:node-fetch@2.7.0',
  'cross-fetch-1': 'npm:cross-fetch@1.1.1',
  'cross-fetch': '4.1.0',
  axios: '1.7.9',
  'ws-3': 'npm:ws@3.3.3',
} as const;

const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error', '--prefer-offline'];

/** The package.json of a project that has them: fetched once and kept in build/. */
export function sdkPackages(): string {
  const folder = join(project, 'build', 'services', 'sdk-packages');
  mkdirSync(join(folder, '..'), { recursive: true });
  withLock(
    `${folder}.lock`,
    () => undefined,
    () => {
      if (!existsSync(folder)) install(folder);
    },
  );
  return join(folder, 'package.json');
}

function install(folder: string): void {
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished);
  writeFileSync(join(unfinished, 'package.json'), JSON.stringify({ private: true, dependencies: packages }));
  const { status, error, stderr } = spawnSync('npm', ['install', ...quietly], { cwd: unfinished, encoding: 'utf8' });
  assert.equal(status, 0, `npm install: ${error?.message ?? stderr}`);
  renameSync(unfinished, folder);
}
