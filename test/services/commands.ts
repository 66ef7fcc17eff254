import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const project = fileURLToPath(new URL('../../../', import.meta.url));

/** True to run everything, which takes many minutes, false for the part that fits into a minute. */
export const isLong = process.env['PHAROS_SERVICES_FORM'] === 'long';

/** The result of a command. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Settings of the tester's shell, of npm and of the test runner above must not reach what is tested. */
const ownEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(?:PHAROS_|NODE_(?!EXTRA_CA_CERTS$)|npm_package_|npm_lifecycle_|INIT_CWD)/.test(name),
  ),
);

/** A registry that stalls is asked again in half a minute; by default npm waits five, half of what a test file has. */
const patience = { npm_config_fetch_timeout: '30000', npm_config_fetch_retries: '5' };

const running = new Set<ChildProcess>();
const folders = new Set<string>();

/** Starts a command and waits for nothing. */
export function start(command: string, args: readonly string[], { folder, environment = {} }: Surroundings): Running {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...ownEnvironment, ...patience, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      running.delete(child);
      resolve({ code, ...said });
    });
  });
  return {
    said,
    finished,
    pid: child.pid ?? 0,
    exited: () => child.exitCode !== null || child.signalCode !== null,
    interrupt: () => void child.kill('SIGINT'),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** A command under way. */
export interface Running {
  readonly said: { readonly stdout: string; readonly stderr: string };
  readonly finished: Promise<Finished>;
  readonly pid: number;
  /** True when it has ended. */
  exited(): boolean;
  interrupt(): void;
  kill(): void;
}

/** Runs a command to its end. */
export async function run(command: string, args: readonly string[], surroundings: Surroundings): Promise<Finished> {
  return await start(command, args, surroundings).finished;
}

/** The same for one that must not fail; what it prints. */
export async function succeed(command: string, args: readonly string[], surroundings: Surroundings): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, surroundings);
  assert.equal(code, 0, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`);
  return stdout;
}

/** An empty folder that doesn't outlive the tests. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-services-'));
  folders.add(folder);
  return folder;
}

/** These files and folders of the project, in a folder of their own. */
export function copyOfProject(paths: readonly string[]): string {
  const folder = temporaryFolder();
  for (const path of paths) cpSync(join(project, path), join(folder, path), { recursive: true });
  return folder;
}

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});
// A test that hangs is ended by a signal, which by itself runs nothing of the above.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
