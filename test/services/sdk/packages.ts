import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../../scripts/setup/lock.js';
import { project } from '../commands.ts';

/** HTTP packages of SDKs and scripts of the lineage's time, and their present replacements. */
const packages = {
  'node-fetch-1': 'npm:node-fetch@1.7.3',
  'node-fetch-2': 'npm:node-fetch@2.7.0',
  'cross-fetch-1': 'npm:cross-fetch@1.1.1',
  'cross-fetch': '4.1.0',
  axios: '1.7.9',
  'ws-3': 'npm:ws@3.3.3',
} as const;

const quietly = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--loglevel=error',
  '--prefer-offline',
];

/** Programs of other people that make a client from an OpenRPC document, and what such a client needs to run. */
const generators = {
  '@open-rpc/generator': '1.22.3',
  '@open-rpc/client-js': '1.8.1',
  // A client that it has made asks for this version; itself it needs a later one.
  'schema-utils-of-client': 'npm:@open-rpc/schema-utils-js@1.15.0',
  lodash: '4.17.21',
  'json-schema-to-typescript': '16.0.0',
} as const;

/** Runners of tests that people use besides that of Node. */
const runners = { vitest: '5.1.2', jest: '30.5.2' } as const;

/** A bundler that people use besides esbuild. */
const bundlers = { vite: '8.3.8' } as const;

/** The package.json of a project that has the SDKs' packages: fetched once and kept in build/. */
export function sdkPackages(): string {
  return fetchedOnce('sdk-packages', packages);
}

/** The same for generators of clients. */
export function generatorPackages(): string {
  return fetchedOnce('generator-packages', generators);
}

/** The same for runners of tests. */
export function runnerPackages(): string {
  return fetchedOnce('runner-packages', runners);
}

/** The same for bundlers. */
export function bundlerPackages(): string {
  return fetchedOnce('bundler-packages', bundlers);
}

function fetchedOnce(name: string, wanted: Readonly<Record<string, string>>): string {
  const folder = join(project, 'build', 'services', name);
  mkdirSync(join(folder, '..'), { recursive: true });
  withLock(
    `${folder}.lock`,
    () => undefined,
    () => {
      if (!existsSync(folder)) install(folder, wanted);
    },
  );
  return join(folder, 'package.json');
}

function install(folder: string, wanted: Readonly<Record<string, string>>): void {
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished);
  writeFileSync(join(unfinished, 'package.json'), JSON.stringify({ private: true, dependencies: wanted }));
  const { status, error, stderr } = spawnSync('npm', ['install', ...quietly], { cwd: unfinished, encoding: 'utf8' });
  assert.equal(status, 0, `npm install: ${error?.message ?? stderr}`);
  renameSync(unfinished, folder);
}
