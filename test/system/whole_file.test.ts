import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeWholeFile } from '../../src/system/whole_file.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-whole-file-'));

after(() => rmSync(folder, { recursive: true, force: true }));

test('a file that does not get its name leaves nothing behind, as it may be a key', () => {
  mkdirSync(join(folder, 'taken'));
  assert.throws(() => writeWholeFile(join(folder, 'taken'), 'secret'), {
    code: 'disk',
    message: /cannot write .*taken: it is a folder; EISDIR/,
  });
  assert.deepEqual(readdirSync(folder), ['taken']);
});
