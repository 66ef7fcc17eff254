import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { change, copyRepository, runCommand } from './changed_copy.ts';
import { recipes } from './recipes.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-recipes-'));
after(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

/** The texts of the files that a change may touch, by their paths. */
function readTexts(root: string): ReadonlyMap<string, string> {
  const paths = ['src', 'test', 'scripts'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );
  return new Map([...paths, 'CHANGELOG.md'].map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

function differing(old: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  return [...new Set([...old.keys(), ...now.keys()])].filter((path) => old.get(path) !== now.get(path));
}

for (const recipe of recipes) {
  test(`${recipe.name}: a copy of the repository with it builds, its tests pass, and it touches at most ${recipe.mostFiles} files`, () => {
    const copy = join(folder, recipe.name.replaceAll(' ', '_'));
    copyRepository(copy);
    const before = readTexts(copy);
    change(copy, recipe.edits);
    for (const words of recipe.writers) runCommand(copy, ...words);
    runCommand(copy, 'scripts/test.js', ...recipe.tests);
    const touched = differing(before, readTexts(copy));
    assert.ok(touched.length <= recipe.mostFiles, touched.join(', '));
    const expected = [...recipe.edits.map(({ path }) => path), ...recipe.written];
    assert.deepEqual(touched.toSorted(), [...new Set(expected)].toSorted());
    rmSync(copy, { recursive: true });
  });
}
