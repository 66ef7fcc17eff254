import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { copyBuild } from '../scripts/changed_copy.ts';
import { limits, type Limit } from './limits.ts';
import { withoutLimit } from './without_limit.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/**
 * By command every limit is taken away, one at a time, in a copy of the program: its test has to fail. Some minutes.
 */
const TRIES = process.env['PHAROS_TEST_LIMITS'] !== undefined;

for (const [about, some] of Object.entries(limits)) {
  test(`each limit of what is about ${about} is declared where it is said, and has its test`, () => {
    for (const limit of some) {
      assert.notEqual(withoutLimit(compiled(root, limit), limit), undefined, JSON.stringify(limit));
      const text = readFileSync(join(root, 'test', `${limit.tests}.test.ts`), 'utf8');
      const titles = [...text.matchAll(/test\(\s*['`](.*?)['`],/g)].map(([, title = '']) => title);
      const { name } = limit;
      assert(
        titles.some((title) =>
          title.includes('${') ? name.startsWith(title.slice(0, title.indexOf('${'))) : title.startsWith(name),
        ),
        `${limit.tests}: ${name}`,
      );
    }
  });
}

test('without a limit its test fails', { skip: !TRIES }, () => {
  const copy = mkdtempSync(join(tmpdir(), 'pharos-limits-'));
  try {
    copyBuild(join(root, 'build'), join(copy, 'build'));
    for (const name of ['node_modules', 'package.json', 'src']) symlinkSync(join(root, name), join(copy, name));
    const passing = Object.values(limits).flatMap((some) =>
      some.filter((limit) => !passes(copy, limit) || passesUnlimited(copy, limit)),
    );
    assert.deepEqual(passing, []);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

function limitPath(folder: string, { file }: Limit): string {
  return join(folder, 'build/src', file.replace(/ts$/, 'js'));
}

function compiled(folder: string, limit: Limit): string {
  return readFileSync(limitPath(folder, limit), 'utf8');
}

function passesUnlimited(copy: string, limit: Limit): boolean {
  const whole = compiled(copy, limit);
  writeFileSync(limitPath(copy, limit), withoutLimit(whole, limit) ?? assert.fail(limit.file));
  const has = passes(copy, limit);
  writeFileSync(limitPath(copy, limit), whole);
  return has;
}

function passes(copy: string, { tests, name }: Limit): boolean {
  const args = ['--test', `--test-name-pattern=${name}`, `build/test/${tests}.test.js`];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawnSync(process.execPath, args, { cwd: copy, env }).status === 0;
}
