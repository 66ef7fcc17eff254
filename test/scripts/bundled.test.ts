import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { Worker } from 'node:worker_threads';

const program = fileURLToPath(new URL('../../program/', import.meta.url));

test('an error in a thread of the program names the line of the source', async () => {
  const file = pathToFileURL(join(program, 'node/signing_thread.js'));
  // A request without a profile: nothing that the program would send.
  const worker = new Worker(file, { workerData: { first: 0, count: 1, batch: 1 } });
  const error = await new Promise<unknown>((resolve) => worker.on('error', resolve).on('exit', () => resolve('no error')));
  assert.ok(error instanceof Error, String(error));
  assert.match(error.stack ?? '', /\/src\/node\/load\/sign_transfers\.ts:\d+:\d+/);
  // All but what calls a module's body, which no source has.
  const frames = (error.stack ?? '').split('\n').filter((line) => !line.includes(' __init '));
  assert.doesNotMatch(frames.join('\n'), /build\/program/);
});

test('a node, its threads and commands start with functions that set-up has compiled, and V8 takes them', () => {
  const source = readFileSync(join(program, 'node/program.cjs'), 'latin1');
  for (const name of ['cli', 'node', 'writer_thread', 'verifier_thread', 'network_thread']) {
    const cachedData = readFileSync(join(program, 'node/code', `${process.version}-${process.arch}`, name));
    assert.equal(new Script(source, { cachedData }).cachedDataRejected, false, name);
  }
});

test('the program imports nothing while it runs, which V8 refuses to scripts whose functions it has not compiled itself', () => {
  assert.doesNotMatch(readFileSync(join(program, 'node/program.cjs'), 'latin1'), /(?:await|return|=>?|[(,]) ?import\(/);
});

test('without them, or with those of another program, the program does the same', (t) => {
  const folder = mkdtempSync(join(program, 'other-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['cli.js', 'load.js', 'program.cjs']) copyFileSync(join(program, 'node', name), join(folder, name));
  const keys = (): string => execFileSync(process.execPath, [join(folder, 'cli.js'), 'keys', '--brain-key', 'a b'], { encoding: 'utf8' });
  const expected = execFileSync(process.execPath, [join(program, 'node/cli.js'), 'keys', '--brain-key', 'a b'], { encoding: 'utf8' });
  assert.equal(keys(), expected);
  const code = join(folder, 'code', `${process.version}-${process.arch}`);
  mkdirSync(code, { recursive: true });
  writeFileSync(join(code, 'cli'), new Script('1').createCachedData());
  assert.equal(keys(), expected);
});

test('the program carries the licences of the libraries whose code it has', () => {
  const licenses = readFileSync(join(program, 'LICENSES'), 'utf8');
  const bundled = new Set<string>();
  for (const file of readdirSync(join(program, 'node')).filter((name) => /\.c?js$/.test(name))) {
    const text = readFileSync(join(program, 'node', file), 'utf8');
    for (const [, name = ''] of text.matchAll(/^\s*(?:\/\/|")\s?node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)) bundled.add(name);
  }
  assert.ok(bundled.has('pino') && bundled.has('typebox'), [...bundled].join(' '));
  for (const name of bundled) assert.match(licenses, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\([^)]+\\)\\n\\n.+`, 'm'));
});

test('what is bundled names nothing of the machine that did it', () => {
  for (const file of readdirSync(join(program, 'node')).filter((name) => name !== 'code')) {
    const text = readFileSync(join(program, 'node', file), 'utf8');
    assert.ok(!text.includes(fileURLToPath(new URL('../../../', import.meta.url))), file);
  }
});
