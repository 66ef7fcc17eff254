import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../src/base/assert.ts';
import { ByteReader, ByteWriter } from '../../src/codec/bytes.ts';
import { extensions } from '../../src/values/extensions.ts';
import { profiles } from '../../src/values/profile.ts';

const encoding = {
  ...present(profiles['default'], 'the default profile'),
  dialect: 'default',
  operationForm: 'pair',
} as const;

test('extensions are empty or void', () => {
  for (const [hex, json] of [
    ['00', []],
    ['0100', [[0, {}]]],
  ] as const) {
    const read = extensions.read(new ByteReader(Buffer.from(hex, 'hex')));
    assert.deepEqual(extensions.toJson(read, encoding), json);
    const out = new ByteWriter();
    extensions.write(out, read);
    assert.equal(Buffer.from(out.view()).toString('hex'), hex);
  }
});

test('a second void is dropped', () => {
  assert.deepEqual(extensions.read(new ByteReader(Uint8Array.of(2, 0, 0))), ['void']);
  assert.deepEqual(
    extensions.fromJson(
      [
        [0, {}],
        [0, {}],
      ],
      encoding,
    ),
    ['void'],
  );
});

test('anything else is refused', () => {
  assert.throws(() => extensions.read(new ByteReader(Uint8Array.of(1, 1))), { code: 'malformed_bytes' });
  for (const json of [[1], [[1, {}]], [[]], {}, null, 'x'])
    assert.throws(() => extensions.fromJson(json, encoding), { code: 'bad_value' });
});
