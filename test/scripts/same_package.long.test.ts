import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const project = fileURLToPath(new URL('../../../', import.meta.url));

/** Each package that `npm run pack` makes, by its name. */
function packed(): ReadonlyMap<string, Buffer> {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/pack.js'], {
    cwd: project,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const names = stdout.split('\n').filter((line) => line.endsWith('.tgz'));
  return new Map(names.map((name) => [name, readFileSync(`${project}build/packages/${name}`)]));
}

test('packages that are made twice have the same bytes, and the bill of materials is in the one that installs others', () => {
  const sums = (packages: ReadonlyMap<string, Buffer>): string[] =>
    [...packages].map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')} ${name}`);
  const [first, second] = [packed(), packed()];
  assert.equal(first.size, 2);
  assert.deepEqual(sums(second), sums(first));
  const program = [...first].find(([name]) => !name.includes('client')) ?? assert.fail();
  assert.ok(gunzipSync(program[1]).includes('package/build/sbom.cdx.json'));
});
