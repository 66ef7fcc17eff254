import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startChain, temporaryFolder, type Started } from '../wallet/programs.ts';
import { compile, install, makeProject, project, run } from './packed.ts';

// The guides for developers of applications that are no pages of pharos-client: their programs are written into an empty
// project with both packages and the types of Node, and compiled strictly.

const folder = makeProject('pharos-client');
install('pharos', folder);

/** The programs of a guide, in their order. */
function programs(guide: string): string[] {
  const text = readFileSync(join(project, `src/pages/guides/${guide}.md`), 'utf8');
  return [...text.matchAll(/^```(?:ts|js)\n([^]*?)^```$/gm)].map(([, program = '']) => program);
}

const guides = ['amounts', 'multi_signature', 'test_chain'];
let node: Started;
before(async () => {
  node = await startChain(join(temporaryFolder(), 'dev'));
  const files = guides.flatMap((guide) =>
    programs(guide).map((text, k) => [`${guide}${k}.ts`, text.replaceAll('127.0.0.1:9193', `127.0.0.1:${node.port}`)]),
  );
  await compile(folder, Object.fromEntries(files), ['node']);
});
after(async () => await node.stop());

async function runAll(guide: string): Promise<string[]> {
  const said: string[] = [];
  for (const k of programs(guide).keys()) said.push(await run(folder, [`${guide}${k}.js`]));
  return said;
}

test('amounts are added, converted and compared as the guide says', { timeout: 60_000 }, async () => {
  assert.deepEqual(await runAll('amounts'), [
    [
      '1.500000 COIN 0.285000 COIN 2.035000 COIN',
      '1.750000 COIN true',
      '2.035 7.000000 VESTS',
      '5.000000 COIN',
      '',
    ].join('\n'),
  ]);
});

test('two of three have to sign, and do so by turns', { timeout: 60_000 }, async () => {
  const [share = '', first = '', second = '', ...more] = await runAll('multi_signature');
  assert.deepEqual([share, more], ['two of three\n', []]);
  assert.match(first, /account: 'carol'/);
  assert.match(second, /^in block \d+, for good\n$/);
});

test('a first test of a project of its own has a chain in its process', { timeout: 60_000 }, async () => {
  const [said = '', ...more] = await runAll('test_chain');
  assert.deepEqual(more, []);
  assert.match(said, /bob is paid/);
});
