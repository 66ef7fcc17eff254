import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { DecodeError } from '../../src/codec/decode_error.ts';
import { base64Data, decodeBase64, textOfData } from '../../src/values/base64_data.ts';
import { encoding } from '../builders/chain.ts';

const lineage = { ...encoding, readsLineage: true };
const toHex = (text: string): string => Buffer.from(decodeBase64(text)).toString('hex');

function refuses(run: () => unknown, text: RegExp): void {
  assert.throws(run, (error) => error instanceof DecodeError && text.test(error.message));
}

test('any bytes come back, in both alphabets, with and without padding, with white space anywhere', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(' ', '\n', '\r\n', '\t'), (data, blank) => {
      const padded = Buffer.from(data).toString('base64');
      const spaced = [...padded].join(blank);
      for (const text of [
        padded,
        padded.replace(/=+$/, ''),
        Buffer.from(data).toString('base64url'),
        `${blank}${spaced}${blank}`,
      ])
        assert.equal(toHex(text), Buffer.from(data).toString('hex'), JSON.stringify(text));
    }),
  );
});

test('the first foreign character is refused with its position, wherever it stands', () => {
  const good = 'aGVsbG8gd29ybGQh';
  for (let at = 0; at <= good.length; at++) {
    for (const foreign of ['.', '*', 'é', '\0', '\u00a0', '\u{1f6d2}', '\udcff']) {
      const text = `${good.slice(0, at)}${foreign}${good.slice(at)}?`;
      refuses(() => decodeBase64(text), new RegExp(`as character ${at + 1}$`));
    }
  }
});

test('padding stands at the end alone, and there in the right number', () => {
  refuses(() => decodeBase64('YWJj=YWJj'), /"Y" as character 6$/);
  refuses(() => decodeBase64('YQ==\nYQ=='), /"Y" as character 6$/);
  refuses(() => decodeBase64('YQ==='), /"=" as character 5$/);
  refuses(() => decodeBase64('YQ='), /1 "=" where 2 belong$/);
  refuses(() => decodeBase64('YWJj='), /1 "=" where 0 belong$/);
  refuses(() => decodeBase64('='), /1 "=" where 0 belong$/);
});

test('a text that was cut off inside a byte is refused', () => {
  refuses(() => decodeBase64('YWJjY'), /last digit stands alone$/);
  refuses(() => decodeBase64('YWJjYb'), /last digit "b" that has bits behind the last byte$/);
});

test('bytes that are no text are not made one', () => {
  assert.equal(textOfData(Buffer.from('€'), encoding), '€');
  assert.throws(() => textOfData(Uint8Array.of(0xff, 0xff), encoding), /2 bytes that are no valid UTF-8/);
  assert.equal(textOfData(Uint8Array.of(0xff), lineage), '\ufffd');
});

test('the declared pattern allows a text if and only if it is read', () => {
  const pattern = new RegExp(String(base64Data.describe(encoding)['pattern']), 'u');
  const units = fc.constantFrom(...'AAQQZaz09+/-_==  \n\t\r', '.', 'é', '\0');
  const agrees = (text: string, reads = isRead(text)): void =>
    assert.deepEqual([pattern.test(text), isRead(text)], [reads, reads], JSON.stringify(text));
  fc.assert(
    fc.property(fc.string({ unit: units, maxLength: 9 }), (text) => agrees(text)),
    { numRuns: 1500 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 9 }), (data) => {
      const text = Buffer.from(data).toString('base64');
      agrees(text, true);
      for (const foreign of ['.', 'é', '\0']) agrees(text + foreign, false);
      agrees(`${text}A`, false);
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.stringMatching(pattern), (text) => agrees(text, true)),
    { numRuns: 300 },
  );
});

function isRead(text: string): boolean {
  try {
    decodeBase64(text);
    return true;
  } catch (error) {
    assert.ok(error instanceof DecodeError);
    return false;
  }
}

test('the lineage reads up to the first character that is no digit', () => {
  assert.deepEqual(Buffer.from(base64Data.fromJson('YWJj.ZGVm', lineage)), Buffer.from('abc'));
});
