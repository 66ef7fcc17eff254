import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { removeLeftCopies } from '../../src/data_folder/folder_copy.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-left-copies-'));

after(() => rmSync(folder, { recursive: true, force: true }));

test('the copy of a command that was ended is removed by the next one, and nothing else is', () => {
  const ended = spawnSync(process.execPath, ['--version']).pid;
  const kept = [`pharos-copy-${process.pid}-abcdef`, 'pharos-copy-AQN8tX', `pharos-copy-${ended}-of-mine`];
  for (const name of [`pharos-copy-${ended}-abcdef`, ...kept]) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, '000004.log'), 'log');
  }
  removeLeftCopies(folder);
  assert.deepEqual(readdirSync(folder).toSorted(), kept.toSorted());
});
