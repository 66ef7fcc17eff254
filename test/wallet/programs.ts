// Starts the real programs: a development chain, wallets as one command, as a daemon, at a pseudo-terminal.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownEnvironment } from '../builders/own_environment.ts';
import { secretOfWif } from '../builders/recorded_keys.ts';
import { sealedKeys } from '../builders/sealed_keys.ts';

const cli = fileURLToPath(new URL('../../program/node/cli.js', import.meta.url));

/**
 * A wallet file with these keys, made without the program because its scrypt is meant to be slow. Its password is `pw`.
 */
export async function writeWallet(path: string, ...wifs: readonly string[]): Promise<void> {
  writeFileSync(path, await sealedKeys('pw', wifs.map(secretOfWif)), { mode: 0o600 });
}

/** A port beside those that the system gives to outgoing connections, so that it is still free after a restart. */
export async function quietPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/** A folder that goes with the process. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-wallet-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A started program. */
export interface Started {
  readonly port: number;
  stop(): Promise<void>;
}

/** Runs a program until what it writes has a port in it. */
function start(args: readonly string[], pattern: RegExp, environment: NodeJS.ProcessEnv = {}): Promise<Started> {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { ...ownEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    let written = '';
    const hear = (chunk: Buffer): void => {
      written += chunk.toString();
      const port = pattern.exec(written)?.[1];
      if (port !== undefined) resolve({ port: Number(port), stop: () => stopped(child) });
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${written}`)));
  });
}

function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

/** A development chain with four blocks a second. */
export function startChain(folder: string, port = 0, ...more: readonly string[]): Promise<Started> {
  return start(
    ['dev', '--data-dir', folder, '--port', String(port), '--block-interval-ms', '250', ...more],
    /JSON-RPC +http:\/\/127\.0\.0\.1:(\d+)/,
  );
}

/** A node with settings of its own. */
export function startNode(...args: readonly string[]): Promise<Started> {
  return start(
    ['run', '--webserver-http-endpoint', '127.0.0.1:0', '--log-level', 'notice', ...args],
    /listening on (\d+)/,
  );
}

/** A daemon, and the header that shows its token. */
export interface Daemon extends Started {
  readonly headers: Readonly<Record<string, string>>;
}

/** A wallet that answers JSON-RPC, whose calls show a token. */
export async function startDaemon(...args: readonly string[]): Promise<Daemon> {
  const tokenFile = join(temporaryFolder(), 'token');
  const flags = ['--daemon', '--rpc-endpoint', '127.0.0.1:0', '--rpc-token-file', tokenFile];
  const started = await start(['wallet', ...flags, ...args], /wallet RPC on 127\.0\.0\.1:(\d+)/);
  return { ...started, headers: { Authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` } };
}

/** The output of a program that ran to its end. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** One command of the wallet. */
export function runWallet(
  args: readonly string[],
  options: { readonly input?: string; readonly password?: string } = {},
): Ended {
  const env =
    options.password === undefined ? ownEnvironment : { ...ownEnvironment, PHAROS_WALLET_PASSWORD: options.password };
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'wallet', ...args], {
    encoding: 'utf8',
    input: options.input ?? '',
    env,
  });
  return { code: status, out: stdout, err: stderr };
}

/** A shown text, and the line to type after it. */
export type Step = readonly [shown: string, typed: string];

/** Runs the wallet at a pseudo-terminal, as a person would. */
export function atTerminal(args: readonly string[], steps: readonly Step[]): string {
  const driver = fileURLToPath(new URL('../../../test/wallet/terminal.py', import.meta.url));
  const { stdout, stderr, status } = spawnSync(
    'python3',
    [driver, JSON.stringify(steps), process.execPath, cli, 'wallet', ...args],
    {
      encoding: 'utf8',
      env: ownEnvironment,
    },
  );
  if (status !== 0) throw new Error(`${stderr}\n${stdout}`);
  return stdout;
}
