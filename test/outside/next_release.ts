import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { change, copyRepository, runCommand } from '../scripts/changed_copy.ts';
import { recipes } from '../scripts/recipes.ts';
import type { Machine } from './program.ts';

const HARDFORK = 'a hardfork that brings an operation and changes a fee';
/** The time that the recipe gives the hardfork, as a bundler writes it. */
const TIME = '1900000017';
/** Its next hardfork. */
export const NEXT_HARDFORK = 3;
export const NEXT_VERSION = '1.3.0';

/** The next version of the program, with one more hardfork: what CONTRIBUTING.md says how to add, set up as it says. */
export class NextRelease {
  readonly #source: string;
  readonly #folder: string;
  #count = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#source = join(folder, 'source');
  }

  /** Changes a copy of the sources in a new folder, and sets it up. */
  static build(folder: string): NextRelease {
    const { edits } = recipes.find(({ name }) => name === HARDFORK) ?? assert.fail(`a recipe of ${HARDFORK}`);
    const release = new NextRelease(folder);
    mkdirSync(folder);
    copyRepository(release.#source);
    change(release.#source, edits);
    runCommand(release.#source, 'scripts/setup.js');
    return release;
  }

  /**
   * The release with the hardfork at this time (seconds): how to start it. Set-up takes minutes where others work, so
   * the time, a few rounds away, is written into what it has built.
   */
  at(time: number): { readonly machine: Machine; readonly environment: Readonly<Record<string, string>> } {
    const root = join(this.#folder, `release${++this.#count}`);
    const built = join(this.#source, 'build');
    mkdirSync(join(root, 'build'), { recursive: true });
    // Kept functions are of the text as it was.
    const filter = (path: string): boolean => basename(path) !== 'code';
    cpSync(join(built, 'program'), join(root, 'build', 'program'), { recursive: true, filter });
    for (const name of readdirSync(built))
      if (name !== 'program') symlinkSync(join(built, name), join(root, 'build', name));
    for (const name of ['node_modules', 'package.json']) symlinkSync(join(this.#source, name), join(root, name));
    const program = join(root, 'build', 'program', 'node');
    const scripts = readdirSync(program).filter((name) => name.endsWith('.cjs'));
    for (const script of scripts) setTime(join(program, script), time);
    return {
      machine: { command: ['sh', '-c', 'node=$0; shift; exec "$node" "$NEXT" "$@"'], host: '127.0.0.1' },
      environment: { NEXT: join(program, 'cli.js') },
    };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function setTime(path: string, time: number): void {
  const [before = '', behind, ...more] = readFileSync(path, 'latin1').split(TIME);
  assert.ok(behind !== undefined && more.length === 0, `${path} has the time of the hardfork once`);
  writeFileSync(path, before + String(time) + behind, 'latin1');
}
