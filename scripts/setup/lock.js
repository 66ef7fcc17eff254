import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SetupFailure } from './failure.js';

const pauseMs = 100;
// Longer than a first set-up on a slow line; after it, a recorded process id has probably gone to another program.
const patienceMs = 15 * 60 * 1000;

/**
 * Runs `work` while no other process does so under the same lock file; waits for its turn. A dead holder's lock is taken over.
 * @template T
 * @param {string} file
 * @param {(text: string) => void} say
 * @param {() => T} work
 * @returns {T}
 */
export function withLock(file, say, work) {
  mkdirSync(dirname(file), { recursive: true });
  acquire(file, say);
  try {
    return work();
  } finally {
    if (readHolder(file) === process.pid) rmSync(file, { force: true });
  }
}

/** @param {string} file @param {(text: string) => void} say */
function acquire(file, say) {
  const giveUpAt = Date.now() + patienceMs;
  let told = false;
  while (!tryCreate(file)) {
    const holder = readHolder(file);
    if (holder !== undefined && !isAlive(holder)) {
      rmSync(file, { force: true });
      // Two that see the same dead holder may both get here; the later one's file wins, so look again before believing.
      if (tryCreate(file) && pause(pauseMs) && readHolder(file) === process.pid) return;
      continue;
    }
    if (Date.now() > giveUpAt)
      throw new SetupFailure(
        `process ${holder} has been setting up for too long; if it is something else, delete ${file}`,
      );
    if (!told) say(`waiting for another command that sets up (process ${holder ?? 'unknown'})`);
    told = true;
    pause(pauseMs);
  }
}

/** @param {string} file */
function tryCreate(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The process that holds the lock; undefined when nobody does, or when its number isn't written yet. @param {string} file */
function readHolder(file) {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** @param {number} ms */
function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return true;
}

/** @param {unknown} error */
function errorCode(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
