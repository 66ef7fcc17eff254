import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { stepsOf, typeSession } from '../builders/typed_session.ts';
import { quietPort, startChain, temporaryFolder } from './programs.ts';

// The session in README.md, section "Wallet", typed line by line into a shell. `…` stands for anything.

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
const session = /## Wallet\n[^]*?```console\n([^]*?)```/.exec(readme)?.[1] ?? '';
const cli = fileURLToPath(new URL('../../program/node/cli.js', import.meta.url));

const steps = stepsOf(session);

/** A `pharos` that speaks to the chain of this test. */
function writeCommand(folder: string, port: number): void {
  mkdirSync(join(folder, 'bin'));
  const file = join(folder, 'bin', 'pharos');
  writeFileSync(file, `#!/bin/sh\nshift\nexec "${process.execPath}" "${cli}" wallet --server ws://127.0.0.1:${port} "$@"\n`);
  chmodSync(file, 0o700);
}

test('the session in the README happens as it stands there', async () => {
  assert.ok(steps.length >= 8, 'the session is found');
  const folder = temporaryFolder();
  const chain = await startChain(join(folder, 'chain'), await quietPort(), '--fresh', '--block-interval-ms', '3000');
  writeCommand(folder, chain.port);
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
  try {
    typeSession(steps, folder, env);
  } finally {
    await chain.stop();
  }
});
