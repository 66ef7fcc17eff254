import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isLong, project, run } from './commands.ts';
import { installedNode, nodeVersions } from './nodes.ts';

// npm test runs on one Node; here the same tests run on the others. In the short form those of what Node itself does:
// HTTP, WebSockets, threads, files, machine code, its cryptography. package.test.ts starts and stops the program on
// each. Where npm test runs all of them in the same run of .ci/run, they don't run again.

const DEPENDS_ON_NODE = [
  'jsonrpc/http/',
  'jsonrpc/specification.',
  'verifiers/verifier_pool.',
  'cli/',
  'storage/rocksdb.',
  'client/connection.',
  'wallet/key_store.',
];

const folder = join(project, 'build', 'test');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.js') && !path.startsWith('services'))
  .sort();

/** By npm's runner, whose processes take many files each: one each took half as much CPU time again. */
const RUN = `import { runFiles } from './scripts/test_files.js';
process.exitCode = runFiles(process.argv.slice(1), ['--test-reporter=tap']);`;
/** The other tests of services fill the cores. */
const environment = { TEST_PROCESSES: '1' };

/** `.ci/run` says on which Node it runs npm test. */
const runByNpmTest = process.env['NPM_TEST_NODE'];

test('the selection names tests that there are', () => {
  for (const word of DEPENDS_ON_NODE)
    assert.ok(
      files.some((path) => path.startsWith(word)),
      word,
    );
});

for (const version of nodeVersions) {
  const skip =
    !isLong && runByNpmTest === `v${version}` && 'npm test of the same .ci/run runs all of them on this Node';
  test(`the tests pass on Node ${version}`, { skip }, async () => {
    const chosen = isLong ? files : files.filter((path) => DEPENDS_ON_NODE.some((word) => path.startsWith(word)));
    const args = ['--input-type=module', '-e', RUN, ...chosen.map((path) => `build/test/${path}`)];
    const { code, stdout, stderr } = await run(installedNode(version), args, { folder: project, environment });
    // With each, why: TAP tells it in the lines that follow, up to three dots.
    const failures = stdout.match(/^ *not ok [^]*?^ *\.\.\.$/gm) ?? [];
    assert.equal(code, 0, `${failures.join('\n')}\n${stderr}\n${stdout.slice(-1000)}`);
    const passed = Number(/^# pass (\d+)$/m.exec(stdout)?.[1]);
    assert.ok(passed > chosen.length, `${passed} tests of ${chosen.length} files`);
  });
}
