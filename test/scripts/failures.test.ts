import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

const project = new URL('../../../', import.meta.url);
const {
  keepFailures,
  lastLines,
}: {
  readonly keepFailures: (command: string, reasons: readonly string[], folder: string) => void;
  readonly lastLines: (output: string, most: number) => readonly string[];
} = await import(new URL('scripts/failures.js', project).href);

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-failures-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a command keeps the reasons of its last run alone, sixteen at most', (t) => {
  const folder = join(emptyFolder(t), 'failures');
  const file = join(folder, 'npm_run_test_long');
  keepFailures('npm run test:long', [], folder);
  assert.equal(existsSync(file), false);
  keepFailures('npm run test:long', ['first: it broke'], folder);
  assert.equal(readFileSync(file, 'utf8'), 'npm run test:long:\n  first: it broke\n');
  keepFailures(
    'npm run test:long',
    Array.from({ length: 18 }, (_, k) => `${k}`.padEnd(900, '.')),
    folder,
  );
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  assert.equal(lines.length, 18);
  assert.equal(lines.at(-1), '  and 2 more');
  assert.ok(lines.every((line) => line.length < 310));
  keepFailures('npm run test:long', [], folder);
  assert.equal(existsSync(file), false);
});

test('the last lines of an output have neither colours nor blanks', () => {
  const output = 'first\n\u001b[31msecond\u001b[0m  \n\n  \nthird\n';
  assert.deepEqual(lastLines(output, 2), ['second', 'third']);
});

test('the output of .ci/run ends with what failed and why', { skip: process.platform === 'win32' }, (t) => {
  const folder = emptyFolder(t);
  for (const name of ['.ci', 'test/services', 'bin', 'build/failures'])
    mkdirSync(join(folder, name), { recursive: true });
  cpSync(fileURLToPath(new URL('.ci/run', project)), join(folder, '.ci/run'));
  writeFileSync(join(folder, 'test/services/debian_packages'), '');
  writeFileSync(join(folder, 'build/failures/check'), 'of an earlier run\n');
  // Its check fails, everything else passes.
  const npm = `#!/bin/sh
if [ "$2" != check ]; then echo "$* passed, NPM_TEST_NODE=$NPM_TEST_NODE"; exit 0; fi
mkdir -p build/failures
printf 'check:\\n  benches: sim/outages.js: 40 s without a block\\n' > build/failures/check
exit 1
`;
  writeFileSync(join(folder, 'bin/npm'), npm, { mode: 0o755 });
  // The machine's Node, which names the one that runs the tests of services.
  const node = '#!/bin/sh\nif [ "$1" = --version ]; then echo v1.2.3; else echo /bin/true; fi\n';
  writeFileSync(join(folder, 'bin/node'), node, { mode: 0o755 });
  const { status, stdout } = spawnSync('bash', ['.ci/run'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` },
  });
  assert.equal(status, 1);
  assert.match(stdout, /\nfailed: check\ncheck:\n {2}benches: sim\/outages\.js: 40 s without a block\n$/);
  assert.doesNotMatch(stdout, /of an earlier run/);
  // Tests of services leave to npm test what it runs on its own Node, so it runs, and on that one.
  assert.match(stdout, /^run test:services passed, NPM_TEST_NODE=v1\.2\.3$[^]*^test passed, NPM_TEST_NODE=$/m);
});
