import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDocsPages, readDocsIndex } from '../../../src/pages/explorer/docs_pages.ts';

const page = (title: string): object => ({ title, kind: 'guide', path: 'g.html', about: '', words: [] });
const read = readDocsIndex([
  page('Follow the chain'),
  page('alexandria_api.get_account'),
  page('Accounts'),
  { title: 5 },
]);
const index = read ?? assert.fail('an index');

test('pages are found by the beginnings of words of their titles, the shortest title first', () => {
  const titles = (text: string): string[] => findDocsPages(index, text, 4).map(({ title }) => title);
  assert.deepEqual(titles('acc'), ['Accounts', 'alexandria_api.get_account']);
  assert.deepEqual(titles('Get Acc'), ['alexandria_api.get_account']);
  assert.deepEqual(titles('chain foll'), ['Follow the chain']);
  assert.deepEqual(titles('ac'), [], 'too short');
  assert.equal(findDocsPages(index, 'acc', 1).length, 1);
});

test('what is no index is none, and an entry of another form is left out', () => {
  for (const json of [undefined, {}, 'x']) assert.equal(readDocsIndex(json), undefined);
  assert.deepEqual(readDocsIndex([1, null, { title: 'a' }]), []);
});
