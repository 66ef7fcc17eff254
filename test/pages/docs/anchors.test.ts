import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { formerAnchors } from '../../../src/pages/docs/former_anchors.ts';
import { PAGES_FOLDER } from '../../../src/node/http/browser_pages.ts';

// anchors.json has the anchors of the headings of each guide and text for implementers, as the version that it names
// has them. Links from elsewhere lead to them.

const project = new URL('../../../../', import.meta.url);
const kept: { readonly version: string; readonly pages: Readonly<Record<string, readonly string[]>> } = JSON.parse(
  readFileSync(new URL('test/pages/docs/anchors.json', project), 'utf8'),
);

const built = new Map(
  ['guides', 'reference'].flatMap((folder) =>
    readdirSync(new URL(`docs/${folder}/`, PAGES_FOLDER))
      .filter((name) => name.endsWith('.html'))
      .map((name) => {
        const path = `${folder}/${name}`;
        const text = readFileSync(new URL(`docs/${path}`, PAGES_FOLDER), 'utf8');
        return [path, [...text.matchAll(/<(?:h[1-6]|span) id="([^"]+)"/g)].map(([, id = '']) => id)] as const;
      }),
  ),
);

test('an anchor that a page had is there still: a heading that is written anew keeps it in former_anchors.ts', () => {
  const gone = Object.entries(kept.pages).flatMap(([path, anchors]) => {
    const present = built.get(path) ?? [];
    return anchors.filter((anchor) => !present.includes(anchor)).map((anchor) => `${path}#${anchor}`);
  });
  assert.deepEqual(gone, []);
});

test('the list has every page, and is that of the present version', () => {
  const { version }: { readonly version: string } = JSON.parse(readFileSync(new URL('package.json', project), 'utf8'));
  assert.equal(kept.version, version, 'write anchors.json anew for a release');
  const pages = Object.keys(kept.pages);
  assert.ok(pages.length > 50, `${pages.length} pages`);
});

test('each former anchor stands on its page once, before a heading that is there', () => {
  for (const [path, anchors] of Object.entries(formerAnchors))
    for (const anchor of Object.keys(anchors))
      assert.equal(built.get(path)?.filter((id) => id === anchor).length, 1, `${path}#${anchor}`);
});
