import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { makeProject } from '../client/packed.ts';
import { project, run } from './commands.ts';
import { installedNode } from './nodes.ts';
import { runnerPackages } from './sdk/packages.ts';

// A stranger's tests on a development chain, by the runners that people use: those of the guide to them.

const guide = readFileSync(join(project, 'src/pages/guides/test_runners.md'), 'utf8');
/** The first runner needs a Node of this year. */
const node = installedNode('24.21.0');
const folder = makeProject('pharos');

before(() => {
  const installed = dirname(runnerPackages());
  for (const name of ['vitest', 'jest'])
    symlinkSync(join(installed, 'node_modules', name), join(folder, 'node_modules', name));
});

/** A program of the guide, as a file. */
function written(name: string): void {
  const [, program] =
    new RegExp(`\\\`${name.replaceAll('.', '\\.')}\\\`[^]*?\n\`\`\`js\n([^]*?)\`\`\``).exec(guide) ?? [];
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), program ?? assert.fail(`the guide has no ${name}`));
}

/** The command of the guide for a runner, as this machine finds it. */
async function runs(command: string): Promise<string> {
  assert.ok(guide.includes(`\n${command}\n`), `the guide says ${command}`);
  const [, ...words] = command.split(' ');
  const { code, stdout, stderr } = await run(node, words, { folder, environment: { NO_COLOR: '1' } });
  assert.equal(code, 0, stdout + stderr);
  return stdout + stderr;
}

test("Vitest runs the guide's tests, each on the chain as it was", async () => {
  written('balances.test.mjs');
  assert.match(await runs('node node_modules/vitest/vitest.mjs run balances'), /2 passed/);
});

test('Jest runs the same with the flag that the guide names, from a module and from CommonJS', async () => {
  written('balances.jest.test.mjs');
  written('plain.jest.test.cjs');
  const said = await runs('node --experimental-vm-modules node_modules/jest/bin/jest.js jest');
  assert.match(said, /Tests: +2 passed/);
});

test('a wrong balance is told with what there is', async () => {
  const program = `import { expect, test } from 'vitest';
    import { balanceMatchers, devChain } from 'pharos/dev';
    expect.extend(balanceMatchers);
    test('wrong', async () => {
      await using chain = await devChain();
      await expect(chain).toHaveBalance('bob', '1.000000 COIN');
    });`;
  writeFileSync(join(folder, 'wrong.test.mjs'), program);
  const { code, stdout, stderr } = await run(node, ['node_modules/vitest/vitest.mjs', 'run', 'wrong'], { folder });
  assert.equal(code, 1);
  assert.match(stdout + stderr, /bob has 10000000\.000000 COIN, not 1\.000000 COIN/);
});
