import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { replaceFile, requireReplaceable } from '../../../src/wallet/key_file/replace_file.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-replace-file-'));

after(() => rmSync(folder, { recursive: true, force: true }));

test('a file that does not get its name leaves no copy behind, and the error says why', () => {
  mkdirSync(join(folder, 'taken'));
  writeFileSync(join(folder, 'file'), '');
  for (const replace of [(path: string) => replaceFile(path, 'secret'), requireReplaceable])
    for (const [path, why] of [
      ['taken', /cannot write .*taken: /],
      ['file/below', /cannot write .*below: .*ENOTDIR/],
      ['nowhere/below', /cannot write .*below: .*ENOENT/],
    ] as const)
      assert.throws(() => replace(join(folder, path)), { code: 'disk', message: why });
  assert.deepEqual(readdirSync(folder).toSorted(), ['file', 'taken']);
});
