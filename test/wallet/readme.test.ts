import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { quietPort, startChain, temporaryFolder } from './programs.ts';

// The session in README.md, section "Wallet", typed line by line into a shell. `…` stands for anything.

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
const session = /## Wallet\n[^]*?```console\n([^]*?)```/.exec(readme)?.[1] ?? '';
const cli = fileURLToPath(new URL('../../program/node/cli.js', import.meta.url));

/** The typed lines, each with what is shown after it. */
const steps = session
  .split(/^\$ /m)
  .slice(1)
  .map((step) => ({ typed: step.slice(0, step.indexOf('\n')), shown: step.slice(step.indexOf('\n') + 1) }));

/** A `pharos` that speaks to the chain of this test. */
function writeCommand(folder: string, port: number): void {
  mkdirSync(join(folder, 'bin'));
  const file = join(folder, 'bin', 'pharos');
  writeFileSync(file, `#!/bin/sh\nshift\nexec "${process.execPath}" "${cli}" wallet --server ws://127.0.0.1:${port} "$@"\n`);
  chmodSync(file, 0o700);
}

function pattern(shown: string): RegExp {
  const literal = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('[^]*?')}$`);
}

test('the session in the README happens as it stands there', async () => {
  assert.ok(steps.length >= 8, 'the session is found');
  const folder = temporaryFolder();
  const chain = await startChain(join(folder, 'chain'), await quietPort(), '--fresh', '--block-interval-ms', '3000');
  writeCommand(folder, chain.port);
  const mark = '--- end of step ---';
  const script = steps.map(({ typed }) => `${typed}\n_code=$?; echo '${mark}'; (exit $_code)`).join('\n');
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` };
  const { stdout } = spawnSync('sh', ['-c', `exec 2>&1\n${script}`], { cwd: folder, env, encoding: 'utf8' });
  await chain.stop();
  const answers = stdout.split(`${mark}\n`);
  for (const [k, { typed, shown }] of steps.entries()) assert.match(answers[k] ?? '', pattern(shown), `$ ${typed}`);
});
