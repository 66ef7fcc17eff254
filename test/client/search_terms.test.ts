import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listMeanings } from '../../src/client/search_terms.ts';

const kinds = (text: string): string[] => [...new Set(listMeanings(text, 'PHR').map(({ kind }) => kind))];

test('a number is a block, an account or an application, as people write it', () => {
  for (const text of ['1200', ' 1200 ', '#1200', '1,200', '1 200', 'Block 1200', 'block 1,200', 'BLOCK #1200']) {
    assert.deepEqual(listMeanings(text, 'PHR')[0], { kind: 'block', number: 1200 }, text);
    assert.deepEqual(kinds(text), ['block', 'account', 'application']);
  }
  assert.deepEqual(kinds('9999999999'), ['block_id', 'short_id', 'account', 'application']);
  assert.deepEqual(kinds('99 999 999 999'), ['account', 'application']);
});

test('forty digits are the id of a block or of a transaction, in capitals, too', () => {
  const id = '00000010e932340631faaa559c8c843d19e34370';
  for (const text of [id, id.toUpperCase()]) {
    assert.deepEqual(listMeanings(text, 'PHR').slice(0, 2), [
      { kind: 'block_id', id, number: 16 },
      { kind: 'transaction', id },
    ]);
  }
});

test('a key begins as keys of the chain do; everything else is a name or a seed', () => {
  assert.equal(kinds('PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv')[0], 'key');
  assert.deepEqual(listMeanings('@alice', 'PHR')[0], { kind: 'account', name: 'alice' });
  assert.deepEqual(kinds('PHR'), ['account', 'application']);
  assert.deepEqual(kinds('  '), []);
});

test('the first eight digits of an id are a block, with zeros in front even where all of them are decimal', () => {
  for (const text of ['00000010', '0000001A', '0000001ae932340631'])
    assert.deepEqual(
      listMeanings(text, 'PHR')[0],
      { kind: 'block_id', id: text.toLowerCase(), number: Number.parseInt(text.slice(0, 8), 16) },
      text,
    );
  assert.deepEqual(listMeanings('12345678', 'PHR')[0], { kind: 'block', number: 12_345_678 });
});

test('capitals and blanks in a name are forgiven, and the name as it was written comes first', () => {
  assert.deepEqual(
    listMeanings(' @ Alice B', 'PHR').filter(({ kind }) => kind === 'account'),
    ['Alice B', 'alice b', 'aliceb'].map((name) => ({ kind: 'account', name })),
  );
});

test('eight digits or more of an id may be the beginning of a transaction, behind a block', () => {
  assert.deepEqual(kinds('0000001a'), ['block_id', 'short_id', 'account', 'application']);
  assert.deepEqual(kinds('12345678'), ['block', 'short_id', 'account', 'application']);
  assert.ok(listMeanings('8E972447', 'PHR').some(({ kind }) => kind === 'short_id'));
  assert.ok(!kinds('8e97244').includes('short_id'));
});

test('documents are found by their account, or by their application where there is no such account', () => {
  assert.deepEqual(listMeanings('Documents of Dave', 'PHR').slice(0, 2), [
    { kind: 'documents', name: 'dave' },
    { kind: 'application', name: 'Dave' },
  ]);
  assert.ok(!kinds('documents').includes('documents'));
});
