import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { parseVersion, makeVersion, versionText } from '../../src/values/version.ts';

test('a version comes back from its text, with dots or underscores', () => {
  fc.assert(
    fc.property(fc.nat(255), fc.nat(255), fc.nat(65_535), (major, hardfork, release) => {
      const version = makeVersion(major, hardfork, release);
      assert.equal(versionText(version), `${major}.${hardfork}.${release}`);
      assert.equal(parseVersion(versionText(version)), version);
      assert.equal(parseVersion(versionText(version).replaceAll('.', '_')), version);
    }),
  );
  assert.equal(makeVersion(1, 2, 0), 0x0102_0000);
});

test('versions compare as numbers', () => {
  assert.ok(makeVersion(1, 2, 0) > makeVersion(1, 1, 65_535));
  assert.ok(makeVersion(255, 0, 0) > makeVersion(1, 255, 0));
});

test('what is out of range or goes on is no version', () => {
  for (const text of ['', '1', '1.2', '1.2.3.4', '256.0.0', '0.256.0', '0.0.65536', '1.2.3 ', '1.2.x', '-1.2.3'])
    assert.equal(parseVersion(text), undefined, text);
});
