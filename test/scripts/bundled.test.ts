import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { ownEnvironment } from '../builders/own_environment.ts';

const program = fileURLToPath(new URL('../../program/', import.meta.url));
const scripts = readdirSync(join(program, 'node')).filter((name) => name.endsWith('.cjs'));

function scriptNamed(name: string): string {
  return readFileSync(join(program, 'node', name), 'latin1');
}

test('an error in a thread of the program names the line of the source', async () => {
  const file = pathToFileURL(join(program, 'node/signing_thread.js'));
  // A request without a profile: nothing that the program would send.
  const worker = new Worker(file, { workerData: { thread: 'signing', settings: { first: 0, count: 1, batch: 1 } } });
  const error = await new Promise<unknown>((resolve) =>
    worker.on('error', resolve).on('exit', () => resolve('no error')),
  );
  assert.ok(error instanceof Error, String(error));
  assert.match(error.stack ?? '', /\/src\/load_test\/sign_transfers\.ts:\d+:\d+/);
  // All but what calls a module's body, which no source has.
  const frames = (error.stack ?? '').split('\n').filter((line) => !line.includes(' __init '));
  assert.doesNotMatch(frames.join('\n'), /build\/program/);
});

test('a node, its threads and commands start with functions that set-up has compiled, and V8 takes them', () => {
  const code = join(program, 'node/code', `${process.version}-${process.arch}`);
  const kept = ['cli', 'node', 'writer_thread', 'verifier_thread', 'network_thread'].map((name) => ({
    name,
    source: join(program, 'node', name.endsWith('_thread') ? `${name}.cjs` : 'program.cjs'),
    code: join(code, name),
  }));
  // In a process of its own, as V8 takes none where another test has set one of its flags.
  const look = `const { readFileSync } = require('node:fs'); const { Script } = require('node:vm');
    const takes = ({ source, code }) => !new Script(readFileSync(source, 'latin1'), { cachedData: readFileSync(code) }).cachedDataRejected;
    console.log(JSON.stringify(${JSON.stringify(kept)}.filter(takes).map(({ name }) => name)));`;
  const taken = execFileSync(process.execPath, ['-e', look], { encoding: 'utf8', env: ownEnvironment });
  assert.deepEqual(
    JSON.parse(taken),
    kept.map(({ name }) => name),
  );
});

test('the program imports nothing while it runs, which V8 refuses to scripts whose functions it has not compiled itself', () => {
  assert.equal(scripts.length, 4);
  for (const name of scripts) assert.doesNotMatch(scriptNamed(name), /(?:await|return|=>?|[(,]) ?import\(/, name);
});

test('a thread that every node starts loads no more than two fifths of the program', () => {
  const whole = scriptNamed('program.cjs').length;
  for (const name of scripts.filter((each) => each !== 'program.cjs'))
    assert.ok(scriptNamed(name).length * 5 < whole * 2, `${name}: ${scriptNamed(name).length} of ${whole}`);
});

test('without them, or with those of another program, the program does the same', (t) => {
  const folder = mkdtempSync(join(program, 'other-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['cli.js', 'load.js', 'program.cjs'])
    copyFileSync(join(program, 'node', name), join(folder, name));
  const keys = (): string =>
    execFileSync(process.execPath, [join(folder, 'cli.js'), 'keys', '--brain-key', 'a b'], { encoding: 'utf8' });
  const expected = execFileSync(process.execPath, [join(program, 'node/cli.js'), 'keys', '--brain-key', 'a b'], {
    encoding: 'utf8',
  });
  assert.equal(keys(), expected);
  const code = join(folder, 'code', `${process.version}-${process.arch}`);
  mkdirSync(code, { recursive: true });
  writeFileSync(join(code, 'cli'), new Script('1').createCachedData());
  assert.equal(keys(), expected);
});

test('the program carries the licences of the libraries whose code it has', () => {
  const licenses = readFileSync(join(program, 'LICENSES'), 'utf8');
  const sources = scripts.flatMap((name) => {
    const map: { readonly sources: readonly string[] } = JSON.parse(scriptNamed(`${name}.map`));
    return map.sources;
  });
  const bundled = new Set(
    sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []),
  );
  assert.ok(bundled.has('pino') && bundled.has('typebox'), [...bundled].join(' '));
  for (const name of bundled)
    assert.match(licenses, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\([^)]+\\)\\n\\n.+`, 'm'));
});

test('what is bundled names nothing of the machine that did it', () => {
  for (const file of readdirSync(join(program, 'node')).filter((name) => name !== 'code')) {
    const text = readFileSync(join(program, 'node', file), 'utf8');
    assert.ok(!text.includes(fileURLToPath(new URL('../../../', import.meta.url))), file);
  }
});
