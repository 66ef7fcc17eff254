import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nearby } from '../../src/base/nearest.ts';
import { declaredRefusal, catchRefusal, refusals, type Refusal } from '../../src/base/refusal.ts';

// Typed as any text, so that the compiler does not ask for what it leaves out.
const UNKNOWN: string = 'itr != end: Unknown {given}${left}';

const refuse = refusals({
  plain: 'no {thing} is named {given}',
  both: { text: '{given} is not one of {known}', lineage: UNKNOWN, lineageCode: 13 },
  numbered: { text: 'too late', lineageCode: 4_030_100 },
});

function refused(run: () => void): Refusal {
  return catchRefusal(run) ?? assert.fail('nothing was refused');
}

test('a refusal has its values in its sentence, and beside it what the lineage said where it said anything', () => {
  const plain = refused(() => refuse.plain({ thing: 'account', given: 'dave9' }));
  assert.deepEqual(
    [plain.code, plain.message, plain.lineage, plain.lineageCode],
    ['plain', 'no account is named dave9', undefined, 10],
  );
  const both = refused(() => refuse.both({ given: 'x', known: ['a', 'b'] }));
  assert.deepEqual(
    [both.message, both.lineage, both.lineageCode],
    ['x is not one of a, b', 'itr != end: Unknown x${left}', 13],
  );
  assert.deepEqual(both.details, { given: 'x', known: ['a', 'b'] });
  const numbered = refused(() => refuse.numbered());
  assert.deepEqual([numbered.message, numbered.lineage, numbered.lineageCode], ['too late', undefined, 4_030_100]);
});

test('what is empty is shown as that in the sentence, what is long is cut there, and neither in the details', () => {
  const empty = refused(() => refuse.both({ given: '', known: [] }));
  assert.deepEqual([empty.message, empty.lineage], ['"" is not one of none', 'itr != end: Unknown ${left}']);
  const given = 'x'.repeat(10_000);
  const long = refused(() => refuse.plain({ thing: 'account', given }));
  assert.ok(long.message.length < 600);
  assert.equal(long.details['given'], given);
});

test('a value is put in as it is, whatever it looks like', () => {
  const { message } = refused(() => refuse.plain({ thing: '{given}', given: '$& {thing}' }));
  assert.equal(message, 'no {given} is named $& {thing}');
});

test('what a declaration leaves out is the number of an assertion and no text of the lineage', () => {
  assert.deepEqual(declaredRefusal('text'), { text: 'text', lineageCode: 10 });
  assert.deepEqual(declaredRefusal({ text: 'text', lineage: 'Text' }), {
    text: 'text',
    lineage: 'Text',
    lineageCode: 10,
  });
});

test('a word is near when a few edits for its length make it one that is known', () => {
  const known = ['transfer', 'transfer_to_vesting', 'help', 'lock'];
  for (const word of ['transfr', 'trnsfer', 'transferr', 'tarnsfer', 'Transfer'])
    assert.equal(nearby(word, known), 'transfer', word);
  assert.equal(nearby('transfer_to_vest', known), 'transfer_to_vesting');
  assert.equal(nearby('hlp', known), 'help');
  for (const word of ['nope', 'x', '', 'give_away', 'x'.repeat(10_000)])
    assert.equal(nearby(word, known), undefined, word);
});
