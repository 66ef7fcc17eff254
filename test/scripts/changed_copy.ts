import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { edited, type Edit } from './recipes.ts';

export const project = fileURLToPath(new URL('../../../', import.meta.url));

/** Kept below build/ by tests, or fetched by set-up. Both change it while other tests run. */
const keptBelowBuild = new Set(['services', 'packages', 'provoked', 'compiler', 'uws_package', '.lock']);

/** Copies a build as set-up leaves it. `build` and `copy` are the folders' paths. */
export function copyBuild(build: string, copy: string): void {
  mkdirSync(copy, { recursive: true });
  for (const name of readdirSync(build))
    if (!keptBelowBuild.has(name)) cpSync(join(build, name), join(copy, name), { recursive: true });
}

/** A copy of the repository in a folder, built as far as this one is. */
export function copyRepository(folder: string): void {
  cpSync(project, folder, {
    recursive: true,
    filter: (path) => !['.git', 'node_modules', 'build'].includes(basename(path)),
  });
  copyBuild(join(project, 'build'), join(folder, 'build'));
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
}

/** Makes the changes in a copy. */
export function change(folder: string, edits: readonly Edit[]): void {
  for (const edit of edits) {
    const path = join(folder, edit.path);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, edited(text, edit));
  }
}

/** Runs a script of the copy. Its tests are no part of this run: Node would hand their results to it. */
export function runCommand(folder: string, ...words: readonly string[]): void {
  const { NODE_TEST_CONTEXT: _, TEST_FORM: __, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, env, encoding: 'utf8' });
  assert.equal(status, 0, `${words.join(' ')}\n${stdout.slice(-4000)}\n${stderr.slice(-4000)}`);
}
