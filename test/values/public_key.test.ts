import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { present } from '../../src/base/assert.ts';
import { profiles } from '../../src/values/profile.ts';
import { compareKeys, NULL_KEY, parsePublicKey, publicKey, publicKeyText } from '../../src/values/public_key.ts';

const encoding = {
  ...present(profiles['lineage'], 'the lineage profile'),
  dialect: 'legacy',
  operationForm: 'pair',
} as const;
const NULL_TEXT = 'SPH1111111111111111111111111111111114T1Anm';
const keys = fc.uint8Array({ minLength: 33, maxLength: 33 }).map((bytes) => Buffer.from(bytes).toString('hex'));

test('the null key has its recorded text', () => {
  assert.equal(publicKeyText(NULL_KEY, 'SPH'), NULL_TEXT);
  assert.equal(publicKey.fromJson(NULL_TEXT, encoding), NULL_KEY);
});

test('any 33 bytes come back from their text, and no other text is read', () => {
  fc.assert(
    fc.property(keys, (key) => {
      const text = publicKeyText(key, 'SPH');
      assert.equal(parsePublicKey(text, 'SPH'), key);
      for (const wrong of [
        text.slice(3),
        `PHR${text.slice(3)}`,
        text.slice(0, -1),
        `${text}1`,
        text.replace(/.$/, '0'),
        text.toLowerCase(),
      ]) {
        assert.equal(parsePublicKey(wrong, 'SPH'), undefined, wrong);
      }
    }),
  );
});

test('a text with a changed character fails its checksum', () => {
  const text = publicKeyText('02'.padEnd(66, 'a'), 'SPH');
  const last = text.endsWith('2') ? '3' : '2';
  assert.throws(() => publicKey.fromJson(text.slice(0, -1) + last, encoding), { code: 'bad_value' });
});

test('a text that is far too long is refused without being read', () => {
  assert.equal(parsePublicKey(`SPH${'1'.repeat(1_000_000)}`, 'SPH'), undefined);
  for (const json of [1, null, [], {}]) assert.throws(() => publicKey.fromJson(json, encoding), { code: 'bad_value' });
});

test('keys order by their bytes', () => {
  fc.assert(
    fc.property(
      keys,
      keys,
      (a, b) => compareKeys(a, b) === Buffer.compare(Buffer.from(a, 'hex'), Buffer.from(b, 'hex')),
    ),
  );
});
