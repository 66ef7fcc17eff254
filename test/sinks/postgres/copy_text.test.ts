import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { textBytes, textOfBytes } from '../../../src/codec/bytes.ts';
import { CopyText, type Cell } from '../../../src/sinks/postgres/copy_text.ts';

const ESCAPES: Readonly<Record<string, string>> = { '\\\\': '\\', '\\t': '\t', '\\n': '\n', '\\r': '\r' };

/** The text of a cell as PostgreSQL reads it from COPY. */
function stored(cell: Cell): string {
  const copy = new CopyText();
  copy.add(cell);
  const line = new TextDecoder('utf-8', { fatal: true }).decode(copy.bytes);
  assert.match(line, /^[^\n\t\r\0]*\n$/);
  return line.slice(0, -1).replaceAll(/\\[^]/g, (escape) => ESCAPES[escape] ?? assert.fail(escape));
}

/** Does the same as the function `text_bytes` of the schema, written another time. */
function encodeBytes(text: string): Buffer {
  const pieces = text.split(/(\ufffd(?:\ufffd|[0-9a-f]{2}))/).map((piece) => {
    if (!piece.startsWith('\ufffd')) return Buffer.from(piece);
    return piece === '\ufffd\ufffd' ? Buffer.from('\ufffd') : Buffer.from(piece.slice(1), 'hex');
  });
  return Buffer.concat(pieces);
}

const pieces = ['\0', '\ufffd', '\ufffd00', '00', 'a', '\\', '\\N', '\t', '\r\n', '😀', '\u0085', '\\u0000', '"'].map(
  (text) => Buffer.from(text),
);
const bytes = fc
  .array(
    fc.oneof(fc.constantFrom(...pieces, Buffer.of(0xff), Buffer.of(0xed, 0xa0, 0x80)), fc.uint8Array({ maxLength: 3 })),
    {
      maxLength: 40,
    },
  )
  .map((parts) => Buffer.concat(parts));

test('the bytes of any text come back from what the database holds', () => {
  fc.assert(
    fc.property(bytes, (given) => {
      assert.deepEqual(encodeBytes(stored(textOfBytes(given))), given);
    }),
    { numRuns: 500 },
  );
});

test('a text in a jsonb is stored as the same text in a column is, however it is escaped', () => {
  const escapedAll = (text: string): string =>
    `"${[...text]
      .map((character) =>
        character
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
      )
      .join('')}"`;
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('\0', '\ufffd', 'a', '\\', '"', 'u0000', '\n', '😀'), maxLength: 30 }),
      (text) => {
        for (const json of [
          JSON.stringify(text),
          escapedAll(text),
          escapedAll(text).replaceAll('\\ufffd', '\\uFFFD'),
        ]) {
          const inColumn: unknown = JSON.parse(stored({ json }));
          assert.equal(inColumn, stored(text), json);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('no two texts become one', () => {
  const seen = new Map<string, string>();
  for (const first of pieces)
    for (const second of pieces)
      for (const third of pieces) {
        const given = Buffer.concat([first, second, third]);
        const text = stored(textOfBytes(given));
        const other = seen.get(text);
        assert.ok(other === undefined || other === given.toString('hex'), `${other} and ${given.toString('hex')}`);
        seen.set(text, Buffer.from(textBytes(textOfBytes(given))).toString('hex'));
      }
});
