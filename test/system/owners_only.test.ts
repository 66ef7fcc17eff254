import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { requireOwnersOnly } from '../../src/system/owners_only.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-owners-only-'));
const file = join(folder, 'file');

after(() => rmSync(folder, { recursive: true, force: true }));

test('a secret that others may read is refused with the command that helps', () => {
  writeFileSync(file, 'x');
  chmodSync(file, 0o640);
  assert.throws(() => requireOwnersOnly(file), { code: 'configuration', message: /; chmod 600 .*file$/ });
  chmodSync(file, 0o600);
  requireOwnersOnly(file);
});

test('a folder in place of a secret is named as one: chmod 600 would lock its owner out', () => {
  chmodSync(folder, 0o755);
  assert.throws(() => requireOwnersOnly(folder), { code: 'configuration', message: /is a folder; name a file in it$/ });
});
