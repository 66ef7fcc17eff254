import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { PAGES_FOLDER } from '../../src/node/http/browser_pages.ts';

const folder = fileURLToPath(PAGES_FOLDER);
/** Packed, of all that the first view loads. */
const FIRST_VIEW_BYTES = 60_000;

/** Lists the imports of a script before it runs. */
function listImports(script: string): string[] {
  const text = readFileSync(join(folder, script), 'utf8');
  return [...text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)].map(([, name = '']) => `assets/${name}`);
}

/** All that is loaded for the page: its links, and what scripts import of each other. */
function loadedFirst(): Set<string> {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const loaded = new Set(['index.html', ...[...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = '']) => link)]);
  for (const name of loaded) if (name.endsWith('.js')) for (const imported of listImports(name)) loaded.add(imported);
  return loaded;
}

test('the first view takes at most 60 KB of a line', () => {
  const loaded = loadedFirst();
  assert.ok(loaded.size >= 4, [...loaded].join(' '));
  const bytes = [...loaded].reduce((sum, name) => sum + readFileSync(join(folder, `${name}.br`)).length, 0);
  assert.ok(bytes > 10_000 && bytes <= FIRST_VIEW_BYTES, `${bytes} bytes`);
});

test('what signs and what draws charts is not loaded before it is needed', () => {
  const loaded = loadedFirst();
  const heavy = readdirSync(join(folder, 'assets')).filter((name) => /^(?:signing|uPlot|uplot)\S*\.js$/i.test(name));
  assert.ok(heavy.some((name) => name.startsWith('signing')) && heavy.length >= 2, heavy.join(' '));
  for (const name of heavy) assert.ok(!loaded.has(`assets/${name}`), name);
});

test('no page names another host, or sets markup from text', () => {
  for (const name of readdirSync(join(folder, 'assets')).filter((each) => /\.(?:js|css)$/.test(each))) {
    const text = readFileSync(join(folder, 'assets', name), 'utf8');
    // The first names what elements there are, the second is nobody's, and the last stands in examples of the docs.
    const hosts = [...text.matchAll(/(?:https?|wss?):\/\/([\w.-]+)/g)].map(([, host]) => host);
    assert.deepEqual(
      hosts.filter((host) => !['www.w3.org', 'example.com', '127.0.0.1'].includes(host ?? '')),
      [],
      name,
    );
    if (name.endsWith('.js')) assert.doesNotMatch(text, /\beval\(|new Function\(|document\.write\(/, name);
  }
});
