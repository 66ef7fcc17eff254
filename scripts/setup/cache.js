import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { listFiles, inProject } from '../place.js';

/** Some twenty builds of everything. */
const mostBytes = 200e6;
/** No set-up writes an entry for so long: its writer was killed. */
const abandonedMs = 60 * 60 * 1000;
const hashBytes = 32;
const lengthBytes = 4;

/** Returns the folder of builds of all clones of this user. Whoever deletes it loses time only. */
export function cacheFolder(environment = process.env) {
  const { XDG_CACHE_HOME: given = '' } = environment;
  return join(isAbsolute(given) ? given : join(homedir(), '.cache'), 'pharos', 'builds');
}

/**
 * Writes what a step has built before from the same inputs; false where it is not kept, or damaged.
 * @param {string} name of the step
 * @param {string} key hash of everything that decides the outputs
 * @param {readonly string[]} outputs files and folders, from the project's folder
 */
export function restoreBuild(name, key, outputs) {
  const file = entryFile(name, key);
  const files = fileContent(file, outputs);
  if (files === undefined) return false;
  for (const output of outputs) rmSync(inProject(output), { recursive: true, force: true });
  for (const { path, content } of files) {
    mkdirSync(dirname(inProject(path)), { recursive: true });
    writeFileSync(inProject(path), content);
  }
  attempt(() => utimesSync(file, new Date(), new Date()));
  return true;
}

/** Keeps the outputs of a step; a cache that can't be written, because of rights or a full disk, is as good as none. */
export function keepBuild(name, key, outputs) {
  const paths = outputs.flatMap((output) => (isFile(output) ? [output] : listFiles(output)));
  const contents = paths.map((path) => readFileSync(inProject(path)));
  const list = Buffer.from(JSON.stringify(paths.map((path, k) => ({ path, size: contents[k].length }))));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32LE(list.length);
  const packed = gzipSync(Buffer.concat([length, list, ...contents]), { level: 1 });
  const file = entryFile(name, key);
  const partial = `${file}.${process.pid}.new`;
  attempt(() => {
    mkdirSync(cacheFolder(), { recursive: true, mode: 0o700 });
    // A reader finds a whole entry or none, whoever else writes the same one.
    writeFileSync(partial, Buffer.concat([sha256(packed), packed]), { mode: 0o600 });
    renameSync(partial, file);
    forgetOldest();
  });
  attempt(() => rmSync(partial, { force: true }));
}

function entryFile(name, key) {
  return join(cacheFolder(), `${name}-${key}`);
}

/** The files of an entry; undefined where there is none. A damaged one is deleted. */
function fileContent(file, outputs) {
  const bytes = attempt(() => readFileSync(file));
  if (bytes === undefined) return undefined;
  const files = attempt(() => unpacked(bytes));
  if (files !== undefined && files.every(({ path }) => isInsideOutputs(path, outputs))) return files;
  attempt(() => rmSync(file, { force: true }));
  return undefined;
}

function unpacked(bytes) {
  const packed = bytes.subarray(hashBytes);
  if (!sha256(packed).equals(bytes.subarray(0, hashBytes))) throw new Error('damaged');
  const content = gunzipSync(packed);
  let at = lengthBytes + content.readUInt32LE(0);
  return JSON.parse(content.toString('utf8', lengthBytes, at)).map(({ path, size }) => {
    const from = at;
    at += size;
    return { path, content: content.subarray(from, at) };
  });
}

function isInsideOutputs(path, outputs) {
  return !path.split('/').includes('..') && outputs.some((output) => path === output || path.startsWith(`${output}/`));
}

/** Deletes what was not used for longest, until the rest fits, and what interrupted set-ups have left. */
function forgetOldest() {
  const folder = cacheFolder();
  const entries = readdirSync(folder).flatMap((name) => {
    const file = join(folder, name);
    const stat = attempt(() => statSync(file));
    return stat === undefined ? [] : [{ file, size: stat.size, usedAt: stat.mtimeMs }];
  });
  const isPartial = ({ file }) => file.endsWith('.new');
  let bytes = 0;
  for (const { file } of entries.filter((entry) => isPartial(entry) && entry.usedAt < Date.now() - abandonedMs))
    rmSync(file, { force: true });
  for (const { file, size } of entries.filter((entry) => !isPartial(entry)).sort((a, b) => b.usedAt - a.usedAt)) {
    bytes += size;
    if (bytes > mostBytes) rmSync(file, { force: true });
  }
}

function isFile(path) {
  return statSync(inProject(path), { throwIfNoEntry: false })?.isFile() === true;
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest();
}

function attempt(run) {
  try {
    return run();
  } catch {
    return undefined;
  }
}
