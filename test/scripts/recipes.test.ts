import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { edited, recipes } from './recipes.ts';

const project = new URL('../../../', import.meta.url);
const readText = (path: string): string => readFileSync(new URL(path, project), 'utf8');

for (const { name, heading, mostFiles, edits, written } of recipes) {
  test(`the recipe of ${name} fits the sources, and touches no more files than CONTRIBUTING says`, () => {
    const paths = new Set([...edits.map(({ path }) => path), ...written]);
    assert.ok(paths.size <= mostFiles, [...paths].join(', '));
    for (const edit of edits) edited(existsSync(new URL(edit.path, project)) ? readText(edit.path) : undefined, edit);
    const [, paragraph = ''] = readText('CONTRIBUTING.md').split(`\n${heading}`);
    const [said = ''] = paragraph.split('\n\n', 1);
    assert.match(said.replaceAll('\n', ' '), new RegExp(`^ At most ${mostFiles} files`), heading);
  });
}

test('a change whose anchor is gone, or stands there twice, or whose new file is there already, says where to mend it', () => {
  const mend = /mend the recipe in test\/scripts\/recipes\.ts, and its steps in CONTRIBUTING\.md/;
  const change = { path: 'a.ts', text: 'new\n' };
  for (const text of ['old\n', 'line\nline\n', undefined])
    assert.throws(() => edited(text, { ...change, before: 'line\n' }), mend);
  assert.throws(() => edited('old\n', change), mend);
  assert.equal(edited('old\nline\n', { ...change, before: 'line\n' }), 'old\nnew\nline\n');
  assert.equal(edited('line\nold\n', { ...change, after: 'line\n' }), 'line\nnew\nold\n');
});
