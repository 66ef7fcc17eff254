import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { exitCodes } from '../../src/base/exit_codes.ts';

const project = new URL('../../../', import.meta.url);

test('each promise about what survives names a test that there is, and only exit codes that there are', () => {
  const section = /## What survives\n([^]*?)\n## /.exec(readFileSync(new URL('README.md', project), 'utf8'))?.[1] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| what happens'));
  assert.ok(rows.length >= 10, `${rows.length} rows`);
  const known: readonly number[] = Object.values(exitCodes);
  for (const row of rows) {
    const tests = [...row.matchAll(/\]\((test\/[^)]+\.test\.ts)\)/g)].map(([, path = '']) => path);
    assert.ok(tests.length > 0, row);
    for (const path of tests) assert.ok(existsSync(new URL(path, project)), path);
    for (const [, code] of row.matchAll(/\bcode (\d)/g)) assert.ok(known.includes(Number(code)), row);
  }
});
