import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

const program = fileURLToPath(new URL('../../program/', import.meta.url));

test('an error in a thread of the program names the line of the source', async () => {
  const file = pathToFileURL(join(program, 'node/signing_thread.js'));
  // A request without a profile: nothing that the program would send.
  const worker = new Worker(file, { workerData: { first: 0, count: 1, batch: 1 } });
  const error = await new Promise<unknown>((resolve) => worker.on('error', resolve).on('exit', () => resolve('no error')));
  assert.ok(error instanceof Error, String(error));
  assert.match(error.stack ?? '', /\/src\/node\/load\/sign_transfers\.ts:\d+:\d+/);
  assert.doesNotMatch(error.stack ?? '', /build\/program/);
});

test('the program carries the licences of the libraries whose code it has', () => {
  const licenses = readFileSync(join(program, 'LICENSES'), 'utf8');
  const bundled = new Set<string>();
  for (const file of readdirSync(join(program, 'node')).filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(join(program, 'node', file), 'utf8');
    for (const [, name = ''] of text.matchAll(/^\s*(?:\/\/|")\s?node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)) bundled.add(name);
  }
  assert.ok(bundled.has('pino') && bundled.has('typebox'), [...bundled].join(' '));
  for (const name of bundled) assert.match(licenses, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\([^)]+\\)\\n\\n.+`, 'm'));
});

test('what is bundled names nothing of the machine that did it', () => {
  for (const file of readdirSync(join(program, 'node'))) {
    const text = readFileSync(join(program, 'node', file), 'utf8');
    assert.ok(!text.includes(fileURLToPath(new URL('../../../', import.meta.url))), file);
  }
});
