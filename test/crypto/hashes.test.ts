import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ripemd160 as nobleRipemd160 } from '@noble/hashes/legacy.js';
import * as noble from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import * as hashes from '../../src/crypto/hashes.ts';
import { toHex } from '../builders/recorded_keys.ts';
import { recordedList, recording, recordedText } from '../builders/recordings.ts';

const pairs = [
  [hashes.sha256, hashes.sha256Hex, noble.sha256],
  [hashes.sha512, hashes.sha512Hex, noble.sha512],
  [hashes.sha224, hashes.sha224Hex, noble.sha224],
  [hashes.ripemd160, hashes.ripemd160Hex, nobleRipemd160],
] as const;

test('all hashes equal those of noble, as bytes and as text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (data) => {
      for (const [bytes, hex, oracle] of pairs) {
        const expected = toHex(oracle(data));
        assert.equal(toHex(bytes(data)), expected);
        assert.equal(hex(data), expected);
      }
    }),
  );
});

test('the recorded names have the recorded ripemd160', () => {
  for (const vector of recordedList(recording('vectors-sdk.json'), 'node.account_name_from_seed')) {
    assert.equal(hashes.ripemd160Hex(Buffer.from(recordedText(vector, 'seed'))), recordedText(vector, 'ripemd160'));
  }
});

test('a hash is not overwritten by the next one', () => {
  const first = hashes.ripemd160(Buffer.from('first'));
  const copy = Uint8Array.from(first);
  hashes.ripemd160(Buffer.from('second'));
  assert.deepEqual(Uint8Array.from(first), copy);
});
