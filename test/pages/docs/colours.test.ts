import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PAGES_FOLDER } from '../../../src/node/http/browser_pages.ts';
import { project, unescaped } from './built.ts';

const folder = new URL('docs/guides/', PAGES_FOLDER);
const sources = new URL('src/pages/guides/', project);

/** Programs as a reader of that page sees them. */
function visiblePrograms(page: string): string[] {
  return [...page.matchAll(/<pre\b[^>]*><code>([^]*?)<\/code><\/pre>/g)].map(([, inside = '']) =>
    unescaped(inside.replaceAll(/<\/?span[^>]*>/g, '')),
  );
}

test('colours change no letter of a program in a guide, and mark its words', () => {
  let coloured = 0;
  for (const file of readdirSync(sources).filter((name) => name.endsWith('.md'))) {
    const page = readFileSync(new URL(file.replace('.md', '.html'), folder), 'utf8');
    const fences = readFileSync(new URL(file, sources), 'utf8').matchAll(/^( *)```\w*\n([^]*?)^\1```$/gm);
    // A program in a list is moved in.
    const programs = [...fences].map(([, indent = '', text = '']) =>
      text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    );
    assert.deepEqual(visiblePrograms(page), programs, file);
    assert.doesNotMatch(page, /<script(?! type="module" src=)/, file);
    coloured += page.split('class="hljs-').length - 1;
  }
  assert.ok(coloured > 200, `${coloured} words`);
});
