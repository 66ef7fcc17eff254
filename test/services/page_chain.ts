import assert from 'node:assert/strict';
import { join } from 'node:path';
import { waitUntil } from '../outside/wait_until.ts';
import { project, start, temporaryFolder, type Running } from './commands.ts';
import { makeCaller, type CallChain } from './every_kind.ts';

/** A development chain whose pages are looked at. */
export interface DevChain {
  readonly url: string;
  readonly port: number;
  readonly call: CallChain;
  readonly program: Running;
}

/** Starts one; without `more` it makes blocks only when it is told to. */
export async function startChain(
  port: number,
  folder: string = temporaryFolder(),
  more: readonly string[] = ['--no-mining'],
): Promise<DevChain> {
  const args = ['dev', '--silent', '--port', String(port), '--data-dir', folder, ...more];
  const program = start(process.execPath, [join(project, 'build/program/node/cli.js'), ...args], { folder: project });
  await waitUntil('the development chain', () => program.said.stdout.includes('Ctrl-C stops') || undefined);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(program.said.stdout)?.[0] ?? assert.fail(program.said.stdout);
  return { url: `${url}/`, port: Number(new URL(url).port), call: makeCaller(url), program };
}
