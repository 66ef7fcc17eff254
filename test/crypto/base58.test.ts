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

/** The definition: digits of one large number. */
function base58Digits(data: Uint8Array): string {
  let number = BigInt(`0x0${Buffer.from(data).toString('hex')}`);
  let digits = '';
  for (; number > 0n; number /= 58n)
    digits = `${'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'.charAt(Number(number % 58n))}${digits}`;
  return (
    '1'.repeat(data.findIndex((byte) => byte !== 0) === -1 ? data.length : data.findIndex((byte) => byte !== 0)) +
    digits
  );
}

test('bytes of any length become the digits of their number', () => {
  const edges = [37, 38, 96, 97, 200].flatMap((length) =>
    [0x01, 0x80, 0xff].map((byte) => new Uint8Array(length).fill(byte)),
  );
  for (const data of edges) assert.equal(base58Encode(data), base58Digits(data));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (data) => assert.equal(base58Encode(data), base58Digits(data))),
  );
});

test('a text with a foreign character is refused', () => {
  for (const foreign of ['0', 'O', 'I', 'l', ' ', 'é', '\u{1f600}', '+'])
    assert.equal(base58Decode(`abc${foreign}`), undefined);
});
