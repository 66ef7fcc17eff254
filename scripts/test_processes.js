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

/** Rooms of more seconds are dealt out over several processes, so that no core waits long for the last one. */
const shareSeconds = 40;

/** What a file takes that has not run here yet. Programs under test start and wait. */
const usualSeconds = { outside: 7, client: 5, sim: 3, services: 10 };

/** Where the seconds of each file are remembered for the next run. */
const secondsFile = 'build/test_seconds.json';

/** The processes of a run. */
export class TestProcesses {
  /** For what lasts as long as the run. @readonly */
  folder = mkdtempSync(join(tmpdir(), 'pharos-test-files-'));
  /** By what node is started with, the files that the process runs, one after another. @type {ReadonlyMap<string, readonly string[]>} */
  files;

  /** @param {readonly string[]} files paths, relative to the project's folder or absolute */
  constructor(files) {
    const groups = shares(files, rememberedSeconds());
    // node:test starts files in the order of their names.
    const start = (/** @type {number} */ index) => join(this.folder, `${String(index).padStart(3, '0')}.test.mjs`);
    this.files = new Map(groups.map((own, index) => [start(index), own]));
    for (const [path, own] of this.files) writeFileSync(path, starting(own, endedIn(path)));
  }

  /** After the processes have ended: the files that did not come to their end, and those behind them. */
  left() {
    return [...this.files].flatMap(([start, files]) => {
      const ended = endedFiles(start);
      return files.filter((file) => !ended.has(file));
    });
  }

  /** Keeps the seconds of each file, by which the next run deals the files out. */
  rememberSeconds() {
    const ended = [...this.files.keys()].flatMap((start) => Array.from(endedFiles(start)));
    const own = ended.filter(([file]) => tests.test(file));
    if (own.length === 0) return;
    writeFileSync(inProject(secondsFile), JSON.stringify({ ...rememberedSeconds(), ...Object.fromEntries(own) }, undefined, 1));
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** @returns {Record<string, number>} */
function rememberedSeconds() {
  try {
    return JSON.parse(readFileSync(inProject(secondsFile), 'utf8'));
  } catch {
    return {};
  }
}

/**
 * Files by process, the longest process first. Each process has files of one room.
 * @param {readonly string[]} files
 * @param {Record<string, number>} remembered
 */
function shares(files, remembered) {
  const seconds = (/** @type {string} */ file) => remembered[file] ?? usualSeconds[roomOf(file)] ?? 1;
  const sum = (/** @type {readonly string[]} */ own) => own.reduce((total, file) => total + seconds(file), 0);
  /** @type {Map<string, string[]>} */
  const rooms = new Map();
  for (const file of files) rooms.set(processOf(file), [...(rooms.get(processOf(file)) ?? []), file]);
  const groups = [...rooms.values()].flatMap((own) => dealt(own, Math.ceil(sum(own) / shareSeconds), sum));
  return groups.toSorted((one, other) => sum(other) - sum(one));
}

/**
 * Deals out files over even processes: the longest first, each to the process with the least.
 * @param {readonly string[]} files
 * @param {number} count
 * @param {(files: readonly string[]) => number} sum
 */
function dealt(files, count, sum) {
  if (count <= 1) return [files];
  /** @type {string[][]} */
  const groups = Array.from({ length: Math.min(count, files.length) }, () => []);
  for (const file of files.toSorted((one, other) => sum([other]) - sum([one]))) {
    const least = groups.reduce((one, other) => (sum(other) < sum(one) ? other : one));
    least.push(file);
  }
  return groups;
}

/** @param {string} file */
function roomOf(file) {
  return file.replace(tests, '').split('/')[0] ?? '';
}

/** The same for files that may share a process. @param {string} file */
function processOf(file) {
  const isAlone = Object.keys(alone).some((start) => file.replace(tests, '').startsWith(start));
  return isAlone ? file : roomOf(file);
}

/** The seconds of each file that a process has come to the end of. @param {string} start @returns {Map<string, number>} */
function endedFiles(start) {
  const lines = existsSync(endedIn(start)) ? readFileSync(endedIn(start), 'utf8').split('\n') : [];
  return new Map(lines.filter((line) => line !== '').map((line) => [line.split('\t')[0] ?? '', Number(line.split('\t')[1])]));
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
