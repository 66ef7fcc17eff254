import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  headingAnchor,
  decisionProblems,
  fileProblems,
  lengthProblems,
  linkProblems,
  proseProblems,
  walkProblems,
} from '../../scripts/documents.js';
import { floors, registers } from '../../scripts/layers.js';

const project = new URL('../../../', import.meta.url);

function listPages(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, project), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `${folder}/${path}`);
}

const top = readdirSync(new URL('./', project)).filter((path) => path.endsWith('.md'));
const pages = [...top, ...['src', 'scripts', 'test', 'bench'].flatMap(listPages)];
const rooms = pages.filter((path) => /^(?:src|scripts)\/.*README\.md$/.test(path));

test('each room of src has a page', () => {
  for (const room of Object.keys(floors)) assert.ok(existsSync(new URL(`src/${room}/README.md`, project)), room);
});

test('the page of a register links each of its entries', () => {
  const folders = registers.map(({ folder }) => folder).filter((folder) => pages.includes(`${folder}/README.md`));
  assert.ok(folders.length > 1);
  for (const folder of folders) {
    const text = readFileSync(new URL(`${folder}/README.md`, project), 'utf8');
    const entries = readdirSync(new URL(`${folder}/`, project)).filter((name) => /^(?!index\.).*\.ts$/.test(name));
    assert.deepEqual(
      entries.filter((name) => !text.includes(`](${name})`)),
      [],
      folder,
    );
  }
});

test('no page is longer than it may be', () => {
  assert.deepEqual(
    pages.flatMap((path) => lengthProblems(path)),
    [],
  );
  assert.equal(lengthProblems('src/README.md', 20_000).length, 1);
  assert.equal(lengthProblems('src/base/README.md', 20_000).length, 1);
  assert.equal(lengthProblems('src/pages/guides/backup.md', 6145).length, 1);
});

/** Not wrapped: a program writes it. */
const unwrapped = new Set(['bench/costs.md', 'bench/figures.md']);

test('prose wraps at 100, and code, tables and links need not', () => {
  assert.deepEqual(
    pages.filter((path) => !unwrapped.has(path)).flatMap((path) => proseProblems(path)),
    [],
  );
  const long = 'word '.repeat(30);
  const text = `${long}\n| ${long}|\n# ${long}\n\`\`\`sh\n${long}\n\`\`\`\n[a](${'b'.repeat(120)}),\n- ${long}`;
  assert.deepEqual(
    proseProblems('README.md', text).map((problem) => /^README\.md:(\d+)/.exec(problem)?.[1]),
    ['1', '8'],
  );
});

test('every link between documents leads to a file, and to a heading that it has', () => {
  assert.deepEqual(
    pages.flatMap((path) => linkProblems(path)),
    [],
  );
  assert.equal(linkProblems('README.md', '[a](no/such/page) [b](LICENSE) [c](#none)\n\n## Some\n[d](#some)').length, 2);
  assert.equal(headingAnchor('What a *file* says, `here`'), 'what-a-file-says-here');
});

test('every source that the page of a room names is there', () => {
  assert.deepEqual(
    rooms.flatMap((path) => fileProblems(path)),
    [],
  );
  assert.equal(fileProblems('src/base/README.md', '`clock.ts` `none.ts` `chain/chain.ts`').length, 1);
});

test('every function in the walks through the code stands in the source that the walk names', () => {
  assert.deepEqual(walkProblems('src/README.md'), []);
  const walk =
    '1. [a](feed/chain_feed.ts) `publish`, `missing`,\n   then `makeMessage`.\n2. `publish` has no source.\n';
  assert.equal(walkProblems('src/README.md', walk).length, 2);
});

test('every decision has a date, says whether it stands, and has its four parts', () => {
  assert.deepEqual(
    rooms.flatMap((path) => decisionProblems(path)),
    [],
  );
  assert.equal(decisionProblems('src/base/README.md', '## Decisions\n\n### One\n\n- **Problem:** x\n').length, 1);
});
