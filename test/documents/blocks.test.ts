import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { shownBlocks } from '../../scripts/documents.js';

// blocks.json says of each block of README, CONTRIBUTING and the guides which test runs it, or why none can.

const project = new URL('../../../', import.meta.url);
const readText = (path: string): string => readFileSync(new URL(path, project), 'utf8');

/** For each document and heading, a line for each of its blocks: the path of a test, or a reason. */
type List = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const list: List = JSON.parse(readText('test/documents/blocks.json'));
const documents = [
  ...['README.md', 'CONTRIBUTING.md'],
  ...readdirSync(new URL('src/pages/guides/', project))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `src/pages/guides/${name}`),
];

/** Guides that are pages of the client's package, by the names that they have there. */
const packaged = new Map(
  [...readText('scripts/pack/client_package.js').matchAll(/'(src\/pages\/guides\/\w+\.md)': '(\w+\.md)'/g)].map(
    ([, guide = '', name = '']) => [guide, name],
  ),
);

/** The sources of a test and of its own parts. */
function testSources(path: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(path) || !path.startsWith('test/') || !existsSync(new URL(path, project))) return [];
  seen.add(path);
  const text = readText(path);
  const parts = [...text.matchAll(/^(?:import|\} from) .*'(\.[^']+\.ts)';$/gm)].flatMap(([, part = '']) =>
    testSources(normalize(join(dirname(path), part)), seen),
  );
  return [text, ...parts];
}

function reads(path: string, document: string): boolean {
  const name = /(\w+)\.md$/.exec(document)?.[1] ?? assert.fail(document);
  const names = document.includes('/') ? [`'${name}'`, `${name}.md`] : [`'${document}'`];
  const wanted = [...names, ...(packaged.has(document) ? [`'${packaged.get(document)}'`] : [])];
  return testSources(path).some(
    (text) => wanted.some((each) => text.includes(each)) || /pages\/guides\/'[^]*readdirSync\(folder\)/.test(text),
  );
}

/** Compares the list of a document with its blocks, and returns a sentence for each difference. */
function listProblems(document: string, text: string, listed: List[string] = {}): readonly string[] {
  const counts = new Map<string, number>();
  for (const { heading } of shownBlocks(text)) counts.set(heading, (counts.get(heading) ?? 0) + 1);
  const headings = new Set([...counts.keys(), ...Object.keys(listed)]);
  return [
    ...[...headings].flatMap((heading) => {
      const [shown, known] = [counts.get(heading) ?? 0, listed[heading]?.length ?? 0];
      return shown === known ? [] : [`${document}: "${heading}" has ${shown} blocks, the list ${known}`];
    }),
    ...Object.values(listed)
      .flat()
      .filter((entry) => entry.startsWith('test/'))
      .flatMap((entry) => {
        if (!existsSync(new URL(entry, project))) return [`${document}: there is no ${entry}`];
        return reads(entry, document) ? [] : [`${document}: ${entry} does not read it`];
      }),
  ];
}

test('each block of README, CONTRIBUTING and the guides is run by a test that reads the document, or says why not', () => {
  const gone = Object.keys(list).filter((document) => !documents.includes(document));
  assert.deepEqual(
    [...gone, ...documents.flatMap((document) => listProblems(document, readText(document), list[document]))],
    [],
  );
});

test('few blocks are run by no test, and each of these has a reason', () => {
  const reasons = Object.values(list)
    .flatMap((headings) => Object.values(headings).flat())
    .filter((entry) => !entry.startsWith('test/'));
  assert.ok(reasons.length <= 4, reasons.join('\n'));
  for (const reason of reasons) assert.match(reason, /^(?:needs|shows) \w+ \w+/);
});

test('a missing block, a missing test and a test that reads something else are found', () => {
  const text = '# One\n\n```sh\nls\n```\n\n1. Two\n\n   ```sh\n   ls\n   ```\n';
  const document = 'src/pages/guides/slow.md';
  const other = 'test/outside/backup.test.ts';
  assert.equal(listProblems(document, text, { One: ['test/services/troubles.test.ts'] }).length, 1);
  assert.equal(listProblems(document, text, { One: ['test/none.test.ts', other], Two: [other] }).length, 4);
});

test('one document says that every command is run by a test', () => {
  const said = [...documents, 'src/pages/README.md', 'test/README.md'].filter((document) =>
    /\b(?:run|typed|made)\s+by\s+\[?(?:a|its|one)\s+test/.test(readText(document)),
  );
  assert.deepEqual(said, ['README.md']);
});
