// Which test files run in which process. A process of its own costs a file the start of node and the loading of its modules, a third of a
// second, and code that was compiled for other files is slow again: so the files of a room share one.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inProject } from './place.js';

const tests = /^build\/test\//;

// One test file may take this long: the longest imports a recorded chain, and a hanging one must not hold up everything.
export const fileTimeoutMs = 10 * 60 * 1000;

/** And so long a process of several, with half of what CI has. */
const mostOfProcessMs = 45 * 60 * 1000;

/** How long a process may take that runs so many files. @param {number} files */
export function processTimeoutMs(files) {
  return Math.min(mostOfProcessMs, fileTimeoutMs * files);
}

/** What gets a process for each file, with the reason. Everything else leaves its process as it found it (shared_process.js). */
const alone = {
  'services/': 'each starts machines or other versions of node, a few at a time',
};

/** Over how many processes the files of a room are dealt out where they mostly wait for programs; otherwise one. */
const processCounts = { outside: 6 };

/** The processes of a run. */
export class TestProcesses {
  /** @readonly */
  #folder = mkdtempSync(join(tmpdir(), 'pharos-tests-'));
  /** By what node is started with, the files that the process runs, one after another. @type {ReadonlyMap<string, readonly string[]>} */
  files;

  /** @param {readonly string[]} files paths, relative to the project's folder or absolute */
  constructor(files) {
    const named = [...grouped(files)].map(([name, own]) => [own.length > 1 ? join(this.#folder, `${name}.test.mjs`) : own[0], own]);
    this.files = new Map(named);
    for (const [start, own] of named) if (own.length > 1) writeFileSync(start, starting(own, endedIn(start)));
  }

  /** After the processes have ended: the files that did not come to their end, and those behind them. */
  left() {
    return [...this.files].flatMap(([start, files]) => {
      if (files.length === 1) return [];
      const ended = existsSync(endedIn(start)) ? readFileSync(endedIn(start), 'utf8').split('\n') : [];
      return files.filter((file) => !ended.includes(file));
    });
  }

  remove() {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Files by the name of their process. @param {readonly string[]} files */
function grouped(files) {
  /** @type {Map<string, string[]>} */
  const byName = new Map();
  for (const [index, file] of files.entries()) {
    const path = file.replace(tests, '');
    const room = path.split('/')[0] ?? '';
    const isAlone = Object.keys(alone).some((start) => path.startsWith(start));
    const name = isAlone ? path : `${room}_${index % (processCounts[room] ?? 1)}`;
    byName.set(name, [...(byName.get(name) ?? []), file]);
  }
  return byName;
}

/** @param {string} start */
function endedIn(start) {
  return `${start}.ended`;
}

/** What starts such a process. @param {readonly string[]} files @param {string} ended */
function starting(files, ended) {
  const [runner, ...values] = [pathToFileURL(inProject('scripts/shared_process.js')).href, files, ended].map((value) =>
    JSON.stringify(value),
  );
  return `import { runFiles } from ${runner};\nawait runFiles(${values.join(', ')});\n`;
}
