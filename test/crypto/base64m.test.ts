import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { base64mDecode, base64mEncode } from '../../src/crypto/base64m.ts';
import { ripemd160 } from '../../src/crypto/hashes.ts';
import { recordedList, recording, recordedText } from '../builders/recordings.ts';

const decoded = (text: string): string => Buffer.from(base64mDecode(text)).toString('latin1');

test('any bytes come back, in both spellings', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (data) => {
      assert.deepEqual(Buffer.from(base64mDecode(base64mEncode(data))), Buffer.from(data));
      assert.deepEqual(Buffer.from(base64mDecode(Buffer.from(data).toString('base64'))), Buffer.from(data));
    }),
  );
});

test('reading stops at the first foreign character', () => {
  assert.equal(decoded('YWJj.def'), 'abc');
  assert.equal(decoded('YWJj=YWJj'), 'abc');
  assert.equal(decoded('éYWJj'), '');
});

test('a last group of 1, 2 or 3 characters gives 0, 1 or 2 bytes', () => {
  assert.equal(decoded('YWJjY'), 'abc');
  assert.equal(decoded('YWJjYW'), 'abca');
  assert.equal(decoded('YWJjYWI'), 'abcab');
});

test('the recorded texts and names are written as recorded', () => {
  for (const vector of recordedList(recording('vectors.json'), 'base64')) {
    const unpadded = recordedText(vector, 'out').replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_');
    assert.equal(base64mEncode(Buffer.from(recordedText(vector, 'in'))), unpadded);
  }
  for (const vector of recordedList(recording('vectors-sdk.json'), 'node.account_name_from_seed')) {
    const name = Buffer.concat([ripemd160(Buffer.from(recordedText(vector, 'seed'))), new Uint8Array(1)]);
    assert.equal(base64mEncode(name), recordedText(vector, 'raw'));
  }
});
