import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { inProject } from '../place.js';

/**
 * The inputs that decide the outputs of a step: files, and texts such as a version.
 * @typedef {{ readonly files: readonly string[], readonly texts: readonly string[] }} Inputs
 */

/** A hash of names and contents, the same in each clone. @param {Inputs} inputs */
export function contentKey({ files, texts }) {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text}\n`);
  for (const path of files) hash.update(`${path} ${contentHash(path)}\n`);
  return hash.digest('hex');
}

/** Size and time stand for the content: asking for them costs a tenth of reading. @param {Inputs} inputs */
function quickKey({ files, texts }) {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text}\n`);
  for (const path of files) {
    const stat = statSync(inProject(path), { throwIfNoEntry: false });
    hash.update(`${path} ${stat?.size} ${stat?.mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/**
 * True when a step last finished with these inputs. Files that only look new, after a checkout for example, are
 * compared by content.
 */
export function isUpToDate(path, inputs) {
  const [quick, content] = readText(path)?.split('\n') ?? [];
  if (content === undefined) return false;
  const quickNow = quickKey(inputs);
  if (quick === quickNow) return true;
  if (content !== contentKey(inputs)) return false;
  writeWhole(path, `${quickNow}\n${content}`);
  return true;
}

/**
 * Runs a step; its stamp says with which inputs it has finished. They are read before: what changes meanwhile is built
 * next time.
 */
export async function buildIfChanged(path, inputs, run) {
  const stamp = `${quickKey(inputs)}\n${contentKey(inputs)}`;
  rmSync(inProject(path), { force: true });
  await run();
  writeWhole(path, stamp);
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

/** True when the step that owns this stamp file last finished with the same text. */
export function isStamped(path, wanted) {
  return readText(path) === wanted;
}

/** Runs a step; its stamp is there exactly when the step has finished, so a half-done step is done again. */
export async function stamped(path, wanted, run) {
  rmSync(inProject(path), { force: true });
  await run();
  writeWhole(path, wanted);
}

/** Renamed into place: a reader never sees half a file. */
function writeWhole(path, text) {
  const file = inProject(path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}
