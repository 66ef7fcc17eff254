import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

// Each test runs in a thread of its own, whose stacks are changed.

const folder = mkdtempSync(join(tmpdir(), 'pharos-lines-'));
const lines = new URL('../../src/system/source_lines.js', import.meta.url).href;
const program = new URL('../../program/node/program.cjs', import.meta.url);

after(() => rmSync(folder, { recursive: true }));

async function inThread(code: string): Promise<unknown> {
  const worker = new Worker(`import('${lines}').then(({ nameSourceLines }) => { nameSourceLines(); ${code} })`, {
    eval: true,
  });
  return await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

test('stacks name the places that the map of a file tells, of every line, and the file itself where there is no map', async () => {
  const map = JSON.parse(readFileSync(fileURLToPath(`${program.href}.map`), 'utf8'));
  const expected = new SourceMap(map);
  const places = Array.from({ length: 200 }, (_, index) => ({ line: index * 641, column: (index * 7) % 40 }));
  const stack = places.map(({ line, column }) => `f (${program.href}:${line + 1}:${column + 1})`);
  const unmapped = `g (${pathToFileURL(join(folder, 'none.js')).href}:1:1)`;
  const said = await inThread(
    `const sites = ${JSON.stringify([...stack, unmapped])}; require('node:worker_threads').parentPort.postMessage(Error.prepareStackTrace(new Error('told'), sites));`,
  );
  const wanted = places.map(({ line, column }, index) => {
    const entry = expected.findEntry(line, column);
    if (!('originalSource' in entry) || entry.generatedLine !== line) return stack[index];
    const path = fileURLToPath(new URL(entry.originalSource, program));
    return `f (${path}:${entry.originalLine + 1}:${entry.originalColumn + 1})`;
  });
  assert.ok(wanted.some((place) => place?.includes('.ts:')));
  assert.equal(said, ['Error: told', ...[...wanted, unmapped].map((place) => `    at ${place}`)].join('\n'));
});

test('a map that is no map leaves the places as they are', async () => {
  const file = join(folder, 'broken.js');
  writeFileSync(`${file}.map`, '{"sources": 7');
  const place = `h (${pathToFileURL(file).href}:1:1)`;
  const said = await inThread(
    `require('node:worker_threads').parentPort.postMessage(Error.prepareStackTrace(new Error('told'), [${JSON.stringify(place)}]));`,
  );
  assert.equal(said, `Error: told\n    at ${place}`);
});

test('to look at a stack keeps nothing of the map in memory', async () => {
  // A line of a source of ours; lines between them are of the bundler, and no source tells them.
  const line =
    readFileSync(program, 'utf8')
      .split('\n')
      .findLastIndex((text) => text.startsWith('function recordTables(')) + 1;
  assert.ok(line > 0);
  const grown = await inThread(`
    require('node:v8').setFlagsFromString('--expose-gc');
    const collect = require('node:vm').runInNewContext('gc');
    const held = () => (collect(), process.memoryUsage().heapUsed);
    const before = held();
    const stack = Error.prepareStackTrace(new Error('told'), ['f (${program.href}:${line}:10)']);
    require('node:worker_threads').parentPort.postMessage([stack, held() - before]);`);
  assert.ok(Array.isArray(grown));
  const [stack, bytes]: unknown[] = grown;
  assert.match(String(stack), /\.ts:\d+/);
  assert.ok(Number(bytes) < 2 ** 20, `${String(bytes)} bytes are kept`);
});
