import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { exitCodes } from '../../src/base/exit_codes.ts';
import { survivalTests } from './survival.ts';

const project = new URL('../../../', import.meta.url);

test('each promise of the guide to crashes has a test that there is, and names only exit codes that there are', () => {
  const guide = readFileSync(new URL('src/pages/guides/crash.md', project), 'utf8');
  const rows = guide.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| what happens'));
  const promised = Object.keys(survivalTests);
  assert.equal(rows.length, promised.length);
  const known: readonly number[] = Object.values(exitCodes);
  for (const [k, row] of rows.entries()) {
    const beginning = promised[k] ?? assert.fail(row);
    assert.ok(row.startsWith(`| ${beginning}`), row);
    for (const name of survivalTests[beginning] ?? [])
      assert.ok(existsSync(new URL(`test/${name}.test.ts`, project)), name);
    for (const [, code] of row.matchAll(/\bcode (\d)/g)) assert.ok(known.includes(Number(code)), row);
  }
});
