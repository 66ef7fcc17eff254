// Which test files run in which process. A process of its own costs a file the start of node and the loading of its
// modules, a third of a second, and code that was compiled for other files is slow again. So there are as many processes
// as run at once, and each takes files until none is left: the next ones of its room, or those of another room.
import { availableParallelism, tmpdir } from 'node:os';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inProject } from './place.js';

/** Before the room of a test file. */
const tests = /^(?:.*\/)?test\//;
const ownTests = /^build\/test\//;

/**
 * Programs under test often wait for each other: one process more than cores fills these gaps. A test that runs others
 * beside its neighbours takes fewer.
 */
export const processesAtOnce = Number(process.env.TEST_PROCESSES ?? availableParallelism() + 1);

/** Milliseconds; the test of the runner takes shorter ones. */
const minuteMs = Number(process.env.TEST_MINUTE_MS ?? 60_000);

/**
 * How long a test file may take. The longest imports a recorded chain, and a hanging one must not hold up everything.
 * One that starts machines measures again, up to three times, when a neighbour was noisy: on a slow machine ten minutes
 * were too few (services/asking_strangers.test.ts).
 * @param {string} file
 */
export function fileTimeoutMs(file) {
  return (isAlone(file) ? 20 : 10) * minuteMs;
}

/** And so long a process of several, with half of what CI has. */
const mostOfProcessMs = 45 * minuteMs;

/** Returns the time limit of a process for these files. @param {readonly string[]} files */
export function processTimeoutMs(files) {
  return Math.min(
    mostOfProcessMs,
    files.reduce((sum, file) => sum + fileTimeoutMs(file), 0),
  );
}

/** Nothing limits the time of runs that ask for more seeds or minutes (CONTRIBUTING.md). @param {NodeJS.ProcessEnv} environment */
export function isLonger(environment) {
  if (environment.PHAROS_SERVICES_FORM === 'long') return true;
  return Object.keys(environment).some((name) => /^PHAROS_(TEST|SIM|SOAK|FAIL|HEALTHY)/.test(name));
}

/**
 * Files that get a process of their own, each with the reason. Everything else leaves its process as it found it
 * (shared_process.js).
 */
const alone = {
  'services/': 'each starts machines or other versions of node, a few at a time',
};

/** The seconds of one part. Rooms of more seconds are taken in parts, so that no core waits long for the last one. */
const partSeconds = 15;

/** The assumed seconds of a file that has not run here yet. Programs under test start and wait. */
const usualSeconds = { outside: 7, client: 5, sim: 3, services: 10 };

/**
 * Those of files that take minutes, for a clone that has run nothing yet: begun last, one would leave cores idle.
 * @type {Readonly<Record<string, number>>}
 */
const longSeconds = {
  'services/asking_strangers': 200,
  'services/pages': 200,
  'services/docs_in_browser': 200,
  'services/untouched_binary': 190,
  'services/node_versions': 180,
  'services/postgres_index': 170,
  'services/public_node': 170,
  'services/hardfork_sinks': 160,
  'services/farm': 150,
  'services/set_back': 150,
  'services/stream_index': 140,
  'services/pages_truth': 130,
  'services/seven_nodes': 120,
  'services/package': 110,
  'services/container': 100,
};

/** This file remembers the seconds of each test file for the next run. */
const secondsFile = 'build/test_seconds.json';

/** The processes of a run. */
export class TestProcesses {
  /** For what lasts as long as the run. @readonly */
  folder = mkdtempSync(join(tmpdir(), 'pharos-test-files-'));
  /** The parts, each for one process: files of one room. @type {readonly (readonly string[])[]} */
  parts;
  /** @readonly @type {readonly string[]} */
  #alone;
  /** By what node is started with, the files that the process may take. @readonly @type {Map<string, readonly string[]>} */
  #started = new Map();

  /** @param {readonly string[]} files paths, relative to the project's folder or absolute */
  constructor(files) {
    const remembered = rememberedSeconds();
    const seconds = (/** @type {string} */ file) => expectedSeconds(file, remembered);
    this.#alone = files.filter(isAlone).toSorted((one, other) => seconds(other) - seconds(one));
    this.parts = makeParts(
      files.filter((file) => !isAlone(file)),
      remembered,
    );
  }

  /**
   * Returns the part to start now, with the files that each process may take; nothing when all are taken. A process
   * that has grown large leaves files to the next ones.
   * @returns {ReadonlyMap<string, readonly string[]>}
   */
  next() {
    /** @type {Map<string, readonly string[]>} */
    const starts = new Map();
    if (this.#started.size === 0)
      for (const [index, file] of this.#alone.entries())
        this.#begin(starts, [[file]], join(this.folder, `alone_${index}`));
    for (let count = 0; count < processesAtOnce; count++) this.#begin(starts, this.parts, join(this.folder, 'taken'));
    for (const [start, files] of starts) this.#started.set(start, files);
    return starts;
  }

  /**
   * Adds a process that has its first part already, while there is one: node:test counts a process without tests as a
   * test.
   * @param {Map<string, readonly string[]>} starts
   * @param {readonly (readonly string[])[]} parts
   * @param {string} taken
   */
  #begin(starts, parts, taken) {
    const first = takeNext(parts, taken, '');
    if (first === undefined) return;
    // node:test starts files in the order of their names.
    const index = String(this.#started.size + starts.size).padStart(3, '0');
    const start = join(this.folder, `${index}.test.mjs`);
    writeFileSync(start, starting({ parts, first, taken, ended: endedFile(start) }));
    starts.set(start, parts.flat());
  }

  /** After the processes have ended: the files that did not come to their end. */
  left() {
    const ended = new Set([...this.#started.keys()].flatMap((start) => Array.from(endedFiles(start).keys())));
    return [...this.#alone, ...this.parts.flat()].filter((file) => !ended.has(file));
  }

  /** Keeps the seconds of each file, by which the next run deals the files out. */
  rememberSeconds() {
    const ended = [...this.#started.keys()].flatMap((start) => Array.from(endedFiles(start)));
    const own = ended.filter(([file]) => ownTests.test(file));
    if (own.length === 0) return;
    writeFileSync(
      inProject(secondsFile),
      JSON.stringify({ ...rememberedSeconds(), ...Object.fromEntries(own) }, undefined, 1),
    );
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

/** @param {string} file @param {Record<string, number>} remembered */
function expectedSeconds(file, remembered) {
  const name = file.replace(tests, '').replace(/\.test\.m?js$/, '');
  return remembered[file] ?? longSeconds[name] ?? usualSeconds[fileRoom(file)] ?? 1;
}

/**
 * Whole rooms, and large ones in parts of files that stand beside each other; the longest room first.
 * @param {readonly string[]} files
 * @param {Record<string, number>} remembered
 */
function makeParts(files, remembered) {
  const sum = (/** @type {readonly string[]} */ own) =>
    own.reduce((total, file) => total + expectedSeconds(file, remembered), 0);
  const rooms = groupRooms(files).toSorted((one, other) => sum(other) - sum(one));
  return rooms.flatMap((room) => cut(room, sum));
}

/** Files by their rooms. @param {readonly string[]} files */
function groupRooms(files) {
  /** @type {Map<string, string[]>} */
  const rooms = new Map();
  for (const file of files) rooms.set(fileRoom(file), [...(rooms.get(fileRoom(file)) ?? []), file]);
  return [...rooms.values()];
}

/** @param {readonly string[]} room @param {(files: readonly string[]) => number} sum */
function cut(room, sum) {
  /** @type {string[][]} */
  const parts = [];
  for (const file of room) {
    const last = parts.at(-1);
    if (last === undefined || sum(last) + sum([file]) > partSeconds) parts.push([file]);
    else last.push(file);
  }
  return parts.toSorted((one, other) => sum(other) - sum(one));
}

/**
 * The parts that this process takes, one when the last is done. What was taken is taken for all processes.
 * @param {readonly (readonly string[])[]} parts
 * @param {string} taken the beginning of the paths that say so
 * @param {number} first taken for it already
 */
export function* takenParts(parts, taken, first) {
  /** @type {number | undefined} */
  let index = first;
  while (index !== undefined) {
    yield parts[index] ?? [];
    index = takeNext(parts, taken, fileRoom(parts[index]?.[0] ?? ''));
  }
}

/**
 * Takes a part of the room that the process knows, else of a room that nobody has begun, else any.
 * @param {readonly (readonly string[])[]} parts
 * @param {string} taken
 * @param {string} known
 * @returns {number | undefined}
 */
export function takeNext(parts, taken, known) {
  for (;;) {
    const free = parts.map((_, index) => !existsSync(`${taken}_${index}`));
    const index = nextPart(
      parts.map(([file = '']) => fileRoom(file)),
      free,
      known,
    );
    if (index === undefined || takes(`${taken}_${index}`)) return index;
  }
}

/** @param {readonly string[]} rooms of the parts @param {readonly boolean[]} free @param {string} known */
function nextPart(rooms, free, known) {
  const left = [...rooms.keys()].filter((index) => free[index]);
  const begun = new Set(rooms.filter((_, index) => !free[index]));
  return (
    left.find((index) => known !== '' && rooms[index] === known) ??
    left.find((index) => !begun.has(rooms[index] ?? '')) ??
    left[0]
  );
}

/** True when this process takes the file. @param {string} path */
function takes(path) {
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} file */
function fileRoom(file) {
  const [room = '', ...path] = file.replace(tests, '').split('/');
  return path.length === 0 ? '' : room;
}

/** @param {string} file */
function isAlone(file) {
  return Object.keys(alone).some((start) => file.replace(tests, '').startsWith(start));
}

/** The seconds of each file that a process has come to the end of. @param {string} start @returns {Map<string, number>} */
function endedFiles(start) {
  const lines = existsSync(endedFile(start)) ? readFileSync(endedFile(start), 'utf8').split('\n') : [];
  return new Map(
    lines.filter((line) => line !== '').map((line) => [line.split('\t')[0] ?? '', Number(line.split('\t')[1])]),
  );
}

/** @param {string} start */
function endedFile(start) {
  return `${start}.ended`;
}

/** Returns the command that starts such a process. @param {import('./shared_process.js').ProcessTask} task */
function starting(task) {
  const runner = JSON.stringify(pathToFileURL(inProject('scripts/shared_process.js')).href);
  return `import { runParts } from ${runner};\nawait runParts(${JSON.stringify(task)});\n`;
}
