import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { readSloppyJson } from '../../src/codec/json_validity.ts';
import { recordedList, member, recording, recordedText } from '../builders/recordings.ts';

const verdicts: Readonly<Record<string, string>> = { ok: 'valid', false: 'incomplete', throws: 'malformed' };

for (const vector of recordedList(recording('vectors-sdk.json'), 'node.json_is_valid')) {
  const text = recordedText(vector, 'in');
  test(`${JSON.stringify(text)} is judged as the lineage did`, () => {
    assert.equal(readSloppyJson(text).verdict, verdicts[recordedText(vector, 'how')]);
    assert.equal(readSloppyJson(text).verdict === 'valid', member(vector, 'valid'));
  });
}

const judged: Readonly<Record<string, readonly string[]>> = {
  valid: [
    '{}',
    '[]',
    '1',
    '-1',
    '1.5',
    '1.',
    '.5',
    '"a"',
    'null',
    '1a',
    '1e5',
    'nul',
    'tru',
    '{"a":1,}',
    '[1 2]',
    '[1,,2]',
    '{"a":1 "b":2}',
    ' {}',
    'falsefalse',
    'nul ',
    '1a\t',
    'n\\',
    'a'.replace('a', 't\\"x'),
    '[,]',
    '{,}',
    '[[],{},[{"a":[]}]]',
    '{"a" : \n[1\t2] ,"b":"}"}',
    '"\\"\\\\"',
    '"\n"',
    '"ž€😀"',
    '18446744073709551615',
    '-9223372036854775808',
    '007',
    '-0',
    '-.5',
    '[nul]',
    '{"a":tru}',
  ],
  incomplete: [
    '',
    '{} ',
    '{}\n',
    '{"a":1}x',
    'nullx',
    '[]]',
    '1 2',
    '1,',
    'true,',
    '1é',
    '""""',
    '1-',
    'null null',
    't\\é',
    'n\\😀',
    '1a\\€',
  ],
  malformed: [
    '{a:1}',
    "'a'",
    'abc',
    '{',
    '"a',
    '+1',
    '--1',
    '{"deleted_account"}',
    '[',
    '[1',
    '{"a":}',
    '{"a"',
    '{"a" 1}',
    '{1:2}',
    '[}',
    '{]',
    ']',
    ',',
    ':',
    '-',
    '.',
    '-.',
    '1.2.3',
    '18446744073709551616',
    '-9223372036854775809',
    ' ',
    '\n',
    '"\\',
    '"\\"',
    'é',
    '[n\\é]',
    '{"a":t\\😀}',
    '\0',
    '\u0004',
    '"\u0004"',
    '[1]2'.replace('[1]2', '[+]'),
    'True',
    `1${'0'.repeat(309)}.`,
  ],
};

for (const [verdict, texts] of Object.entries(judged)) {
  test(`these texts are ${verdict}`, () => {
    for (const text of texts) assert.equal(readSloppyJson(text).verdict, verdict, JSON.stringify(text));
  });
}

test('what a strict writer writes is valid, and nothing may follow it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
      // Numbers in exponent form end in a sign and digits, which the lineage takes for more text.
      const text = JSON.stringify(value, (_, part: unknown) =>
        typeof part === 'number' ? Math.trunc(part % 1e9) : part,
      );
      assert.equal(readSloppyJson(text).verdict, text.includes('\u0004') ? 'malformed' : 'valid', text);
      if (/[\]}"]$/.test(text)) assert.equal(readSloppyJson(`${text} `).verdict, 'incomplete');
    }),
  );
});

test('any text gets a verdict, and the end lies inside it', () => {
  const unit = fc.constantFrom(...'{}[]",:\\ntf-.0189 \n\0é');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 30 }), (text) => {
      const { verdict, end } = readSloppyJson(text);
      assert.ok(verdict in judged && end >= 0 && end <= text.length);
      if (verdict === 'valid') assert.equal(end, text.length);
    }),
    { numRuns: 2000 },
  );
});

test('a text is judged as its bytes are, one by one, as the lineage read them', () => {
  const unit = fc.constantFrom(...'{}[]",:\\\\\\ntf1 .é€', '😀');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
      assert.equal(readSloppyJson(text).verdict, readSloppyJson(Buffer.from(text).toString('latin1')).verdict, text);
    }),
    { numRuns: 5000 },
  );
});

/** Returns the place behind a quoted text, looked at character by character; undefined if it does not end. */
function endOfQuoted(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '\u0004') return undefined;
    else if (text[at] === '"') return at + 1;
  }
  return undefined;
}

test('quoted texts end at the first quote that is not escaped, and hold no end of transmission but an escaped one', () => {
  const unit = fc.constantFrom('"', '"', '"', '\\', '\\', 'a', ' ', '\u0004', 'é');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), (content) => {
      const text = `["${content}`;
      let at: number | undefined = 1;
      while (at !== undefined && text[at] === '"') {
        at = endOfQuoted(text, at);
        while (at !== undefined && text[at] === ' ') at++;
      }
      const { verdict, end } = readSloppyJson(text);
      assert.equal(verdict, 'malformed', 'the list is open');
      if (at !== undefined) assert.equal(end, at);
    }),
    { numRuns: 3000 },
  );
});

test('nesting is not limited, and long texts take no long time', () => {
  const deep = 100_000;
  assert.equal(readSloppyJson('['.repeat(deep) + ']'.repeat(deep)).verdict, 'valid');
  assert.equal(readSloppyJson('['.repeat(deep)).verdict, 'malformed');
  assert.equal(readSloppyJson(`"${'\\"'.repeat(deep)}"`).verdict, 'valid');
  assert.equal(readSloppyJson(`[${'1.5,'.repeat(deep)}]`).verdict, 'valid');
  assert.equal(readSloppyJson('1'.repeat(deep)).verdict, 'malformed');
  assert.equal(readSloppyJson(`[${'"",'.repeat(deep)}"\\\\"]`).verdict, 'valid');
  assert.equal(readSloppyJson(`"${'\\\\a'.repeat(deep)}`).verdict, 'malformed');
});
