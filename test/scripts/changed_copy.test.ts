import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyBuild } from './changed_copy.ts';

test('a copy of a build has what set-up has built, and nothing that other tests are about to rename or remove', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-copy-'));
  try {
    const [build, copy] = [join(folder, 'build'), join(folder, 'copy')];
    for (const path of ['src/base', 'program/node', 'services/packages.unfinished', 'packages', 'provoked', 'compiler'])
      mkdirSync(join(build, path), { recursive: true });
    writeFileSync(join(build, '.stamp_typescript'), 'as built');
    copyBuild(build, copy);
    const copied = ['src/base', 'program/node', '.stamp_typescript', 'services', 'packages', 'provoked', 'compiler'];
    assert.deepEqual(
      copied.filter((path) => existsSync(join(copy, path))),
      ['src/base', 'program/node', '.stamp_typescript'],
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
