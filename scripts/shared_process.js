// In a process of the tests: runs several test files, one after another, each as a suite that has its name.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { root } from './place.js';
import { fileTimeoutMs, isLonger, takenParts } from './test_processes.js';

/**
 * Functions of V8 11, that of Node 20, run five times the default amount of bytecode before they may be optimised. Most
 * of what tests run does so a few times, and to optimise it took a third of their CPU time. Later versions have a tier
 * between.
 */
if (Number.parseInt(process.versions.v8, 10) < 12) setFlagsFromString('--interrupt-budget=600000');

/** For what closes by itself: connections that say goodbye, threads that end. The test of the runner waits less. */
const leftOpenMs = Number(process.env.TEST_LEFT_OPEN_MS ?? 20_000);

/** Modules stay loaded, and node:test keeps what tests refer to. A process of that size ends behind a part. */
const mostMemoryBytes = Number(process.env.TEST_MOST_MEMORY_BYTES ?? 2 * 2 ** 30);

/**
 * @typedef {object} ProcessTask
 * @property {readonly (readonly string[])[]} parts files by paths, relative to the project's folder or absolute
 * @property {number} first the part that this process begins with
 * @property {string} taken where processes note which part each has taken
 * @property {string} ended where it notes the files that came to their end, with seconds, so that a crash hides none of the others
 */

/** Runs what this process takes of the parts. @param {ProcessTask} task */
export async function runParts({ parts, first, taken, ended }) {
  const noted =
    process.env.TEST_PROVOKED === undefined ? undefined : await import('../build/test/builders/provoked.js');
  const leaving = [];
  for (const files of takenParts(parts, taken, first)) {
    for (const file of files) {
      const before = process.getActiveResourcesInfo().length;
      noted?.noteProvoked(file);
      const startedAtMs = performance.now();
      await runFile(file);
      await nextTurn(); // node:test writes what it has reported before the next file can end the process
      appendFileSync(ended, `${file}\t${((performance.now() - startedAtMs) / 1000).toFixed(2)}\n`);
      if (process.getActiveResourcesInfo().length > before) leaving.push(file);
    }
    if (process.memoryUsage().rss > mostMemoryBytes) break;
  }
  endWithoutFail(leaving);
}

/**
 * Ends the process without reporting a failure. A socket or timer that a failed test leaves open would otherwise keep
 * the process and hide the failure.
 * @param {readonly string[]} leaving files behind which more was open than before
 */
function endWithoutFail(leaving) {
  const end = () => {
    const open = [...new Set(process.getActiveResourcesInfo())].join(', ');
    console.error(`\nsomething is left open (${open}), by one of these files:\n${leaving.join('\n')}`);
    process.exit(1);
  };
  setTimeout(end, leftOpenMs).unref();
}

/** @param {string} file */
function runFile(file) {
  return new Promise((ended) => {
    describe(
      file.replace(/^build\//, '').replace(/\.js$/, '.ts'),
      { timeout: isLonger(process.env) ? Infinity : fileTimeoutMs(file) },
      async () => {
        const [before, openBefore] = [stateOfProcess(), openHandles()];
        try {
          await import(resolve(root, file));
        } catch (error) {
          test('loads', () => {
            throw error;
          });
        }
        // The last hook: behind those by which the file clears up.
        after(() => {
          ended(undefined);
          const changed = [...namesOfChanges(before, stateOfProcess()), ...leftOpen(openBefore)];
          if (changed.length > 0) process.exitCode = 1;
          assert.deepEqual(
            changed,
            [],
            'what a file changes is changed for all behind it: see scripts/test_processes.js',
          );
        });
      },
    );
  });
}

/** The first server that is opened sets it, for the whole process. */
const setOnce = 'UWS_HTTP_MAX_HEADERS_SIZE';

/**
 * Returns by name the state of the process that the next file would notice. node:test sets the exit code 1 by itself.
 */
function stateOfProcess() {
  const environment = Object.entries(process.env).filter(([name]) => name !== setOnce);
  const variables = environment.map(([name, value]) => [`the variable ${name}`, value]);
  const exitCode = process.exitCode === 1 ? undefined : process.exitCode;
  return new Map([
    ...variables,
    ['the folder', process.cwd()],
    ['the exit code', exitCode],
    ['the umask', process.umask()],
  ]);
}

const handles = '/proc/self/fd';

/**
 * The handles of this process to files that tests have written, with their paths. A handle that nobody closes is one
 * less for everything behind it, until none is left.
 */
function openHandles() {
  if (!existsSync(handles)) return new Map();
  return new Map(readdirSync(handles).flatMap((handle) => openHandle(handle)));
}

/** @param {string} handle @returns {(readonly [string, string])[]} */
function openHandle(handle) {
  try {
    const path = readlinkSync(`${handles}/${handle}`);
    return path.startsWith(tmpdir()) ? [[handle, path]] : [];
  } catch {
    return []; // closed since it was listed, as the one by which the folder is read
  }
}

/** @param {ReadonlyMap<string, string>} before */
function leftOpen(before) {
  const left = [...openHandles()].filter(([handle, path]) => before.get(handle) !== path);
  return left.map(([, path]) => `an open handle of ${path}`);
}

/** Only names: the environment may hold secrets. */
function namesOfChanges(before, now) {
  return [...new Set([...before.keys(), ...now.keys()])].filter((name) => before.get(name) !== now.get(name));
}
