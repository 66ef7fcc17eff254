import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { present } from '../../src/base/assert.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { base64Bytes } from '../../src/codec/base64.ts';
import { neutralEncoding } from '../../src/codec/encoding_options.ts';
import * as portable from '../../src/codec/portable/buffer.ts';

const described = base64Bytes.describe(neutralEncoding);
const pattern = new RegExp(String(Object(described)['pattern']));

/** Texts that are base64 or nearly so. */
const texts = fc.string({ unit: fc.constantFrom(...'ABQgwz09+/=_- \n'), maxLength: 12 });

function decodedBytes(text: string): Uint8Array | undefined {
  try {
    return base64Bytes.fromJson(text, neutralEncoding);
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

test('only the text that the description allows is read, and it is the text that is written', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const bytes = decodedBytes(text);
      assert.equal(bytes !== undefined, pattern.test(text));
      if (bytes === undefined) return;
      assert.equal(base64Bytes.toJson(bytes, neutralEncoding), text);
      const ours = portable.Buffer.from(text, 'base64');
      assert.deepEqual([[...ours], ours.toString('base64')], [[...bytes], text]);
    }),
    { numRuns: 5000 },
  );
});

test('browsers read every text of such characters and length without an error of their own', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ABQgwz09+/'), maxLength: 12 }), fc.nat(2), (digits, padding) => {
      const text = `${digits}${'='.repeat(padding)}`;
      if (text.length % 4 === 0) portable.Buffer.from(text, 'base64');
    }),
    { numRuns: 2000 },
  );
});

test('sixteen megabytes of base64 are read, and refused where they are none', () => {
  const text = 'A'.repeat(16 * 1024 * 1024);
  assert.equal(present(decodedBytes(text), 'bytes').length, 12 * 1024 * 1024);
  assert.equal(decodedBytes(`${text}!AAA`), undefined);
});
