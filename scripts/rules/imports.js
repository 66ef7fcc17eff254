import { floors, importers, registerFolders } from '../layers.js';
import { listImports, resolve, roomName } from './source_text.js';

/** One look can take in this many lines; a larger room is two. */
const MOST_LINES = 10_000;

/**
 * Imports that go up, leave the house, or use a library outside its importer.
 * @param {ReadonlyMap<string, string>} files sources by path from the project's folder
 * @returns {string[]} one line per problem
 */
export function importProblems(files) {
  return [...files].flatMap(([path, source]) =>
    listImports(source).flatMap(({ specifier, line }) => {
      const problem = path.startsWith('src/') ? importProblem(path, specifier) : problemOutside(path, specifier);
      return problem === undefined ? [] : [`${path}:${line}: ${problem}`];
    }),
  );
}

/** @param {string} path @param {string} specifier */
function importProblem(path, specifier) {
  if (!specifier.startsWith('.')) return placeProblem(path, libraryName(specifier));
  const target = resolve(path, specifier);
  if (!target.startsWith('src/')) return `${specifier} is outside src/`;
  // A path that is put together at run time names what was compiled; the bundler of the pages takes TSX.
  if (!/\.ts$|\$\{.*\.js$|^src\/pages\/.*\.tsx$/.test(target)) return `${specifier} does not end in .ts`;
  return floorProblem(roomName(path), target) ?? (target in importers ? placeProblem(path, target) : undefined);
}

/** @param {string} from @param {string} target */
function floorProblem(from, target) {
  const [to, allowed] = [roomName(target), floors[from]];
  if (allowed === undefined) return `the room ${from} has no floor in scripts/layers.js`;
  const isAllowed = allowed.split(' ').some((entry) => {
    const [room, without] = entry.split('!');
    return room === to && !(without !== undefined && target.startsWith(`src/${room}/${without}/`));
  });
  if (from === to || isAllowed) return undefined;
  return `${from} may not import ${target.slice('src/'.length)} (it may import: ${allowed || 'nothing'})`;
}

/** @param {string} path @param {string} imported a library or a file */
function placeProblem(path, imported) {
  const places = importers[imported]?.split(' ');
  if (places === undefined) return `${imported} has no importer in scripts/layers.js`;
  const isPlace = places.some(
    (place) => path === `src/${place}` || (place.endsWith('/') && path.startsWith(`src/${place}`)),
  );
  return isPlace ? undefined : `${imported} is only for ${places.join(', ')}`;
}

/** Tests of the finished program speak to it over the wire. @param {string} path @param {string} specifier */
function problemOutside(path, specifier) {
  const isInside = specifier.startsWith('.') && /^(?:src|bench)\//.test(resolve(path, specifier));
  if (!isInside || !/^test\/(?:outside|interface)\//.test(path)) return undefined;
  return `tests of the finished program import nothing of src/, but ${specifier}`;
}

/** `node:fs/promises` → `node:fs`, `@noble/hashes/sha2.js` → `@noble/hashes`. @param {string} specifier */
function libraryName(specifier) {
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
}

/**
 * Libraries that src/ uses but that package.json doesn't install for those who only run the program.
 * @param {readonly string[]} dependencies the names of package.json's `dependencies`
 * @param {Readonly<Record<string, string>>} users which parts of src/ import each
 * @returns {string[]} one line per problem
 */
export function dependencyProblems(dependencies, users = importers) {
  return Object.entries(users).flatMap(([library, places]) => {
    const isOwn = library.startsWith('node:') || library.startsWith('src/') || dependencies.includes(library);
    // pharos-client, which has what is in `portable/`, names its own; pages bring what they import with them.
    const isNeeded = places.split(' ').some((place) => !place.includes('portable/') && !place.startsWith('pages/'));
    return isOwn || !isNeeded ? [] : [`${library} is not among the dependencies of package.json`];
  });
}

/**
 * Folders that import each other; an import of a type counts. A register and what it registers may.
 * @param {ReadonlyMap<string, string>} files
 * @returns {string[]} one line for each pair
 */
export function pairProblems(files) {
  /** @type {Map<string, string>} */
  const edges = new Map();
  for (const [path, source] of files) {
    if (!path.startsWith('src/')) continue;
    for (const { specifier } of listImports(source).filter((one) => one.specifier.startsWith('.'))) {
      const target = resolve(path, specifier);
      const [from, to] = [folderPath(path), folderPath(target)];
      if (from !== to && !edges.has(`${from} ${to}`)) edges.set(`${from} ${to}`, `${path} → ${target}`);
    }
  }
  return [...edges].flatMap(([key, edge]) => {
    const [from = '', to = ''] = key.split(' ');
    const back = edges.get(`${to} ${from}`);
    const isRegister = registerFolders.some((folder) => from.startsWith(folder) && to.startsWith(folder));
    return back === undefined || from > to || isRegister
      ? []
      : [`${from} and ${to} import each other: ${edge}, ${back}`];
  });
}

/** @param {string} path */
function folderPath(path) {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Rooms that are too large. @param {ReadonlyMap<string, string>} files @returns {string[]} one line for each */
export function sizeProblems(files) {
  /** @type {Map<string, number>} */
  const lines = new Map();
  for (const [path, source] of files)
    if (path.startsWith('src/'))
      lines.set(roomName(path), (lines.get(roomName(path)) ?? 0) + source.split('\n').length - 1);
  return [...lines]
    .filter(([, count]) => count > MOST_LINES)
    .map(([room, count]) => `src/${room} has ${count} lines, above ${MOST_LINES}: make a part of it a room`);
}
