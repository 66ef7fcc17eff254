// In a process of the tests: runs several test files, one after another, each as a suite that has its name.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import { root } from './place.js';
import { fileTimeoutMs } from './test_processes.js';

/** For what closes by itself: connections that say goodbye, threads that end. The test of the runner waits less. */
const leftOpenMs = Number(process.env.TEST_LEFT_OPEN_MS ?? 20_000);

/**
 * Runs files and notes in `ended` those that came to their end, with seconds, so that a crash hides none of the others.
 * @param {readonly string[]} files paths, relative to the project's folder or absolute
 * @param {string} ended
 */
export async function runFiles(files, ended) {
  const noted = process.env.TEST_PROVOKED === undefined ? undefined : await import('../build/test/builders/provoked.js');
  const leaving = [];
  for (const file of files) {
    const before = process.getActiveResourcesInfo().length;
    noted?.noteFor(file);
    const startedAtMs = performance.now();
    await runFile(file);
    appendFileSync(ended, `${file}\t${((performance.now() - startedAtMs) / 1000).toFixed(2)}\n`);
    if (process.getActiveResourcesInfo().length > before) leaving.push(file);
  }
  endWithoutFail(leaving);
}

/**
 * What a test leaves open when it fails, a socket that connects again or a timer, would keep the process, and hide the failure from who waits.
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
    describe(file.replace(/^build\//, '').replace(/\.js$/, '.ts'), { timeout: fileTimeoutMs }, async () => {
      const before = stateOfProcess();
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
        const changed = namesOfChanges(before, stateOfProcess());
        if (changed.length > 0) process.exitCode = 1;
        assert.deepEqual(changed, [], 'what a file changes is changed for all behind it: see scripts/test_processes.js');
      });
    });
  });
}

/** The first server that is opened sets it, for the whole process. */
const setOnce = 'UWS_HTTP_MAX_HEADERS_SIZE';

/** What the next file would notice, by name. node:test sets the exit code 1 by itself. */
function stateOfProcess() {
  const environment = Object.entries(process.env).filter(([name]) => name !== setOnce);
  const variables = environment.map(([name, value]) => [`the variable ${name}`, value]);
  const exitCode = process.exitCode === 1 ? undefined : process.exitCode;
  return new Map([...variables, ['the folder', process.cwd()], ['the exit code', exitCode], ['the umask', process.umask()]]);
}

/** Only names: the environment may hold secrets. */
function namesOfChanges(before, now) {
  return [...new Set([...before.keys(), ...now.keys()])].filter((name) => before.get(name) !== now.get(name));
}
