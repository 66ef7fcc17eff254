import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { inProject } from '../place.js';

/**
 * A short text that changes when one of the files does. Size and time stand for the content: reading 500 files
 * costs ten times as much as asking for their times, and a file that only looks new is compiled once too often.
 */
export function fingerprint(paths, ...alsoDependsOn) {
  const hash = createHash('sha256');
  for (const part of alsoDependsOn) hash.update(`${part}\n`);
  for (const path of paths) {
    const { size, mtimeMs } = statSync(inProject(path));
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** sha256 of a file's content, or the empty text where it is missing. */
export function contentHash(path) {
  const text = readText(path);
  return text === undefined ? '' : createHash('sha256').update(text).digest('hex');
}

/** The content of a file, or undefined where it is missing. */
export function readText(path) {
  try {
    return readFileSync(inProject(path), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether the step that owns this stamp file last finished with the same fingerprint. */
export function isStamped(path, wanted) {
  return readText(path) === wanted;
}

/** Runs a step; its stamp is there exactly when the step has finished, so a half-done step is done again. */
export function stamped(path, wanted, run) {
  const file = inProject(path);
  rmSync(file, { force: true });
  run();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, wanted);
  renameSync(`${file}.${process.pid}`, file);
}
