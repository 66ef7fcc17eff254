import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  docComments,
  functionNames,
  languageProblems,
  loweredCounts,
  measured,
  sentences,
} from '../../scripts/rules/language.js';

const words = (count: number): string => `The ${'node '.repeat(count - 2)}starts.`;

describe('sentences', () => {
  const long = (text: string): number => sentences(text).bad.length;
  test('of 26 words are told, of 25 are not', () => {
    assert.deepEqual([long(words(25)), long(words(26)), sentences(`${words(25)} ${words(26)}`).all], [0, 1, 2]);
  });
  test('end at items of lists, cells of tables, headings and empty lines', () => {
    const half = words(13).slice(0, -1);
    for (const between of ['\n- ', '\n  2. ', '\n\n', '\n## '])
      assert.equal(long(`${half}${between}${half}`), 0, between);
    assert.equal(long(`| ${half} | ${half} |`), 0);
    assert.equal(long(`${half}\n${half}`), 1);
  });
  test('hold code as one word, and a link as its text', () => {
    assert.equal(long(`Type \`${'a '.repeat(30)}\` and [go](https://example.org/a b).`), 0);
    assert.equal(sentences(`\`\`\`sh\n${words(30)}\n\`\`\`\n`).all, 0);
  });
  test('do not end inside a number or an abbreviation', () => {
    assert.equal(sentences('It takes 1.5 s, e.g. on Node 20.12. It ends (see below). “Done.” It is.').all, 4);
  });
});

describe('doc comments', () => {
  test('that open as a noun clause are told', () => {
    const source = [
      'What a block is.',
      'Where it is.\n * More.',
      'Whether it is.',
      'Whatever it is.',
      'A block.',
      'Howl.',
    ]
      .map((text) => `/** ${text} */\nconst a = 1;`)
      .join('\n');
    assert.equal(docComments(source).all, 6);
    assert.deepEqual(docComments(source).bad, [
      'What a block is.',
      'Where it is. More.',
      'Whether it is.',
      'Whatever it is.',
    ]);
  });
  test('inside a string are none', () => assert.equal(docComments("const a = '/** What */';").all, 0));
});

describe('functions', () => {
  const sources: Readonly<Record<string, string>> = {
    'a function': 'function keyOf(a: A): B {\n}',
    'a generator': 'function* keyOf(): B {\n}',
    'a constant': 'const keyOf = (a: A): B => a;',
    'a constant of many lines': 'export const keyOf = async (\n  a: (b: B) => C,\n): Promise<D> => a;',
    'a constant with a type': 'const keyOf: Key = (a) => a;',
    'a constant without parentheses': 'const keyOf = a => a;',
    'a method': 'class A {\n  async keyOf(a: A): Promise<B> {\n  }\n}',
    'a private method': 'class A {\n  #keyOf(\n    a: (b: B) => C,\n  ): { readonly d: D } {\n  }\n}',
    'a field': 'class A {\n  readonly keyOf = (a: A): B => a;\n}',
    'an overload and what it declares': 'function keyOf<T>(a: T): B {\n}',
  };
  for (const [what, source] of Object.entries(sources))
    test(`${what} that ends in a preposition is told once`, () =>
      assert.deepEqual(functionNames(source), { all: 1, bad: what === 'a private method' ? ['#keyOf'] : ['keyOf'] }));
  test('of other names pass, and calls and constants are no functions', () => {
    const code =
      'function of() {\n}\nfunction proof() {\n}\nfunction isOn2() {\n}\nif (keyOf(a)) {\n}\nconst keyOf = 1;\nkeyOf(a);';
    assert.deepEqual(functionNames(code), { all: 3, bad: [] });
  });
});

describe('the ratchet', () => {
  const document = (bad: number, good = 0): string => `${words(30)} `.repeat(bad) + `${words(5)} `.repeat(good);
  const of = (texts: Readonly<Record<string, string>>): ReadonlyMap<string, string> => new Map(Object.entries(texts));
  const counts = (now: ReadonlyMap<string, string>): ReturnType<typeof loweredCounts> =>
    Object.fromEntries(
      measured(now).map(({ name, files }) => [
        name,
        Object.fromEntries([...files].map(([path, { bad }]) => [path, bad.length])),
      ]),
    );
  test('a file may stay as bad as it was, and become better, and not worse', () => {
    const kept = counts(of({ 'A.md': document(3) }));
    for (const [bad, problems] of [
      [3, 0],
      [2, 0],
      [4, 1],
    ] as const)
      assert.equal(languageProblems(of({ 'A.md': document(bad) }), kept).length, problems, String(bad));
    assert.match(
      languageProblems(of({ 'A.md': document(4) }), kept)[0] ?? '',
      /^A\.md: 4 sentences above 25 words, 3 before: .* “The node /,
    );
  });
  test('a new file must be within the target', () => {
    assert.equal(languageProblems(of({ 'A.md': document(1, 9) }), {}).length, 0);
    assert.equal(languageProblems(of({ 'A.md': document(1, 8) }), {}).length, 1);
    assert.equal(languageProblems(of({ 'CHANGELOG.md': document(5) }), {}).length, 0);
  });
  test('of code only all files together must be within the target', () => {
    const good = 'function key() {\n}\n'.repeat(97);
    const bad = 'function keyOf() {\n}\n';
    assert.deepEqual(languageProblems(of({ 'src/a.ts': good, 'src/b.ts': bad.repeat(3) }), {}), []);
    assert.match(
      languageProblems(of({ 'src/a.ts': good, 'src/b.ts': bad.repeat(4) }), {}).join('\n'),
      /^src\/b\.ts: 4 functions that end in a preposition, 0 before: .*“keyOf”/,
    );
  });
  test('counts are lowered, never raised, and go where the target is met', () => {
    const kept = counts(of({ 'A.md': document(3), 'B.md': document(3), 'C.md': document(3) }));
    const now = of({ 'A.md': document(1), 'B.md': document(5), 'C.md': document(1, 9), 'D.md': document(2) });
    assert.deepEqual(loweredCounts(now, kept)['sentences above 25 words'], { 'A.md': 1, 'B.md': 3 });
  });
});
