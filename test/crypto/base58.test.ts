import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { base58Decode, base58Encode } from '../../src/crypto/base58.ts';

const text = (bytes: string): string => base58Encode(Buffer.from(bytes, 'hex'));

test('known texts are written and read', () => {
  // draft-msporny-base58-03, section 5.
  const vectors = [
    ['48656c6c6f20576f726c6421', '2NEpo7TZRRrLZSi2U'],
    ['0000287fb4cd', '11233QC4'],
    ['', ''],
    ['00', '1'],
    ['000000', '111'],
    ['ff', '5Q'],
  ] as const;
  for (const [hex, base58] of vectors) {
    assert.equal(text(hex), base58);
    assert.equal(Buffer.from(base58Decode(base58) ?? []).toString('hex'), hex);
  }
});

test('any bytes come back', () => {
  fc.assert(
    fc.property(fc.nat(4), fc.uint8Array({ maxLength: 120 }), (zeros, tail) => {
      const data = Buffer.concat([new Uint8Array(zeros), tail]);
      assert.deepEqual(Buffer.from(base58Decode(base58Encode(data)) ?? []), data);
    }),
  );
});

test('a text with a foreign character is refused', () => {
  for (const foreign of ['0', 'O', 'I', 'l', ' ', 'é', '\u{1f600}', '+']) assert.equal(base58Decode(`abc${foreign}`), undefined);
});
