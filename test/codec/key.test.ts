import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { ByteReader, ByteWriter } from '../../src/codec/bytes.ts';
import {
  boolKey,
  descending,
  hexKey,
  i64Key,
  type KeyPart,
  textKey,
  u128Key,
  u16Key,
  u32Key,
  u64Key,
  u8Key,
} from '../../src/codec/key.ts';

type Compare<T> = (a: T, b: T) => number;

const natural = <T extends number | bigint | boolean | string>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);
const asBytes =
  (encoding: 'utf8' | 'hex'): Compare<string> =>
  (a, b) =>
    Buffer.compare(Buffer.from(a, encoding), Buffer.from(b, encoding));
const hex = (bytes: object): fc.Arbitrary<string> =>
  fc.uint8Array(bytes).map((value) => Buffer.from(value).toString('hex'));
// Few different bytes, so that zeros, 0xff and common beginnings are frequent.
const awkwardText = fc.string({ unit: fc.constantFrom('\0', '\x01', 'a', 'ÿ', '€'), maxLength: 4 });

holds('u8', u8Key, fc.integer({ min: 0, max: 255 }), natural);
holds('u16', u16Key, fc.integer({ min: 0, max: 65_535 }), natural);
holds('u32', u32Key, fc.integer({ min: 0, max: 2 ** 32 - 1 }), natural);
holds('u64', u64Key, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), natural);
holds('i64', i64Key, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), natural);
holds('u128', u128Key, fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), natural);
holds('bool', boolKey, fc.boolean(), natural);
holds('hex', hexKey(3), hex({ minLength: 3, maxLength: 3 }), natural);
holds('text', textKey, awkwardText, asBytes('utf8'));

function holds<T>(name: string, part: KeyPart<T>, values: fc.Arbitrary<T>, compare: Compare<T>): void {
  for (const [title, tested, order] of [
    [name, part, compare],
    [`descending ${name}`, descending(part), (a: T, b: T) => compare(b, a)],
  ] as const) {
    test(`${title}: bytes are in the order of the values and read back`, () => {
      fc.assert(
        fc.property(values, values, u32s, u32s, (a, b, tailA, tailB) => {
          const [left, right] = [encodePart(tested, a, tailA), encodePart(tested, b, tailB)];
          assert.equal(Math.sign(Buffer.compare(left, right)), Math.sign(order(a, b) || tailA - tailB));
          const input = new ByteReader(left);
          assert.deepEqual([tested.read(input), u32Key.read(input), input.remaining], [a, tailA, 0]);
        }),
      );
    });
    test(`${title}: says how many bytes it takes`, () => {
      fc.assert(
        fc.property(values, (value) => {
          const out = new ByteWriter();
          tested.write(out, value);
          assert.ok(tested.byteLength === 'variable' || tested.byteLength === out.length);
        }),
      );
    });
  }
}

const u32s = fc.integer({ min: 0, max: 3 });

/** The part with another behind it: parts must end by themselves. */
function encodePart<T>(part: KeyPart<T>, value: T, tail: number): Uint8Array {
  const out = new ByteWriter();
  part.write(out, value);
  u32Key.write(out, tail);
  return out.finish();
}

test('text that is not UTF-8 on the wire keeps its bytes', () => {
  const odd = 'a\uDC80\uDCFFz';
  const out = new ByteWriter();
  textKey.write(out, odd);
  assert.equal(textKey.read(new ByteReader(out.finish())), odd);
});
