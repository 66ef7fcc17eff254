import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../scripts/setup/lock.js';
import { project } from './commands.ts';

/** The Nodes that Pharos is for, newest first, each in one version, so that a test fails because of us and not of a release. */
export const nodeVersions = ['24.21.0', '22.23.3', '20.20.2'] as const;
export type NodeVersion = (typeof nodeVersions)[number];

/** Those that programs are still run on which ask a node. */
export const clientNodes = [...nodeVersions, '18.20.8'] as const;

const majorOf = (version: string): string => version.split('.')[0] ?? '';

/** Those that the rest of the tests doesn't run on. */
export const otherNodes = nodeVersions.filter((version) => majorOf(version) !== majorOf(process.versions.node));

const folder = join(project, 'build', 'services');

/** The path of the program of that version: of the package that npm's package `node` installs, fetched once and kept in build/. */
export function nodeOf(version: (typeof clientNodes)[number]): string {
  const program = join(folder, `node-${version}`);
  mkdirSync(folder, { recursive: true });
  withLock(
    `${program}.lock`,
    () => undefined,
    () => {
      if (!existsSync(program)) fetchNode(version, program);
    },
  );
  return program;
}

function fetchNode(version: string, program: string): void {
  const packageName = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const unpacked = `${program}.unpacked`;
  mkdirSync(unpacked, { recursive: true });
  succeedNow('npm', 'pack', '--silent', `${packageName}@${version}`, '--pack-destination', unpacked);
  succeedNow('tar', '-xzf', join(unpacked, `${packageName}-${version}.tgz`), '-C', unpacked, 'package/bin/node');
  renameSync(join(unpacked, 'package', 'bin', 'node'), program);
  rmSync(unpacked, { recursive: true });
}

function succeedNow(command: string, ...args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
