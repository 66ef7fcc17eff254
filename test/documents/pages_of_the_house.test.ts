import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { anchorOf, decisionProblems, fileProblems, lengthProblems, linkProblems } from '../../scripts/documents.js';
import { floors } from '../../scripts/layers.js';

const project = new URL('../../../', import.meta.url);

function pagesBelow(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, project), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `${folder}/${path}`);
}

const top = readdirSync(new URL('./', project)).filter((path) => path.endsWith('.md'));
const pages = [...top, ...['src', 'scripts', 'test', 'bench'].flatMap(pagesBelow)];
const rooms = pages.filter((path) => /^(?:src|scripts)\/.*README\.md$/.test(path));

test('each room of src has a page', () => {
  for (const room of Object.keys(floors)) assert.ok(existsSync(new URL(`src/${room}/README.md`, project)), room);
});

test('no page is longer than it may be', () => {
  assert.deepEqual(
    pages.flatMap((path) => lengthProblems(path)),
    [],
  );
  assert.equal(lengthProblems('src/README.md', 20_000).length, 1);
  assert.equal(lengthProblems('src/base/README.md', 20_000).length, 1);
});

test('every link between documents leads to a file, and to a heading that it has', () => {
  assert.deepEqual(
    pages.flatMap((path) => linkProblems(path)),
    [],
  );
  assert.equal(linkProblems('README.md', '[a](no/such/page) [b](LICENSE) [c](#none)\n\n## Some\n[d](#some)').length, 2);
  assert.equal(anchorOf('What a *file* says, `here`'), 'what-a-file-says-here');
});

test('every source that the page of a room names is there', () => {
  assert.deepEqual(
    rooms.flatMap((path) => fileProblems(path)),
    [],
  );
  assert.equal(fileProblems('src/base/README.md', '`clock.ts` `none.ts` `chain/chain.ts`').length, 1);
});

test('every decision has a date, says whether it stands, and has its four parts', () => {
  assert.deepEqual(
    rooms.flatMap((path) => decisionProblems(path)),
    [],
  );
  assert.equal(decisionProblems('src/base/README.md', '## Decisions\n\n### One\n\n- **Problem:** x\n').length, 1);
});
