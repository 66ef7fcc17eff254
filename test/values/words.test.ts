import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountParts,
  amountText,
  balancedText,
  countText,
  cutText,
  shortText,
  unstackedText,
  wholeText,
} from '../../src/values/words.ts';

test('amounts have their thousands apart and no zeros that say nothing, and lose no unit', () => {
  assert.equal(amountText('10000000.500000 COIN'), '10,000,000.5 COIN');
  assert.equal(amountText('0.000001 COIN'), '0.000001 COIN');
  assert.equal(amountText('1234.000000 VESTS'), '1,234 VESTS');
  assert.equal(amountText('-9223372036854.775808 COIN'), '-9,223,372,036,854.775808 COIN');
  assert.equal(amountText('nonsense'), 'nonsense');
  assert.deepEqual(amountParts('1234.500000 COIN'), { whole: '1,234', fraction: '.5', zeros: '00000', symbol: 'COIN' });
  assert.deepEqual(amountParts('-7.000000 COIN'), { whole: '-7', fraction: '', zeros: '.000000', symbol: 'COIN' });
  assert.deepEqual(amountParts('0.100100 COIN'), { whole: '0', fraction: '.1001', zeros: '00', symbol: 'COIN' });
  assert.deepEqual(amountParts('1200'), { whole: '1,200', fraction: '', zeros: '', symbol: '' });
  assert.equal(amountParts('nonsense'), undefined);
  assert.equal(wholeText('350000000.999999 COIN'), '350,000,000 COIN');
  assert.equal(
    countText(340282366920938463463374607431768211455n),
    '340,282,366,920,938,463,463,374,607,431,768,211,455',
  );
});

test('long ids are known by their ends', () => {
  assert.equal(shortText('00000001e932340631faaa559c8c843d19e34370'), '00000001…19e34370');
  assert.equal(shortText('alice'), 'alice');
});

test('a long text is cut, and no letter of two code units in the middle', () => {
  assert.equal(cutText('abc', 3), 'abc');
  assert.equal(cutText('abcd', 3), 'abc…');
  assert.equal(cutText('ab😀c', 3), 'ab…');
  assert.equal(cutText('ab😀c', 4), 'ab😀…');
});

test('stacks of marks are cut, and what writings need stays', () => {
  for (const text of ['a\u0301\u0323\u0302\u0304b', 'क्षत्रिय', 'กิ่', 'བསྒྲུབས', '👩‍👩‍👧‍👦'])
    assert.equal(unstackedText(text), text);
  assert.equal(
    unstackedText(`Z${'\u0301'.repeat(80)}a${'\u0489'.repeat(5)}`),
    'Z\u0301\u0301\u0301\u0301…a\u0489\u0489\u0489\u0489…',
  );
});

test('isolates of a text are balanced in each line, and other texts stay as they are', () => {
  for (const text of ['', 'plain\n\u05d0', 'a \u2067b\u2069 c']) assert.equal(balancedText(text), text);
  assert.equal(balancedText('\u202eevil \u2067right'), '\u202eevil \u2067right\u2069');
  assert.equal(balancedText('a\u2069b'), '\u2068a\u2069b');
  assert.equal(balancedText('\u2066\u2067a\nb\u2069'), '\u2066\u2067a\u2069\u2069\n\u2068b\u2069');
});
