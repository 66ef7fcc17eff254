import { importers, floors } from '../layers.js';
import { codeOnly, lineAt } from './source_text.js';

/**
 * One import of a file: what it names, and where.
 * @typedef {{ readonly specifier: string, readonly line: number }} Import
 */

/**
 * Everything that a file imports, re-exports or refers to as a type of another file.
 * @param {string} source
 * @returns {Import[]}
 */
export function importsOf(source) {
  const code = codeOnly(source);
  const found = [];
  for (const match of code.matchAll(/\b(?:from\s*|import\s*\(?\s*|require\s*\(\s*)(['"`])/g)) {
    const start = match.index + match[0].length;
    const end = code.indexOf(match[1] ?? '', start);
    found.push({ specifier: source.slice(start, end), line: lineAt(source, match.index) });
  }
  return found;
}

/**
 * Imports that go up, leave the house, or use a library outside its importer.
 * @param {ReadonlyMap<string, string>} files sources by path from the project's folder; those of src/ and of tests that speak to the finished program are looked at
 * @returns {string[]} one line per problem
 */
export function importProblems(files) {
  const problems = [];
  for (const [path, source] of files) {
    if (!path.startsWith('src/') && !isOutside(path)) continue;
    for (const { specifier, line } of importsOf(source)) {
      const problem = path.startsWith('src/') ? problemOf(path, specifier) : problemOutside(path, specifier);
      if (problem !== undefined) problems.push(`${path}:${line}: ${problem}`);
    }
  }
  return problems;
}

/** @param {string} path @param {string} specifier */
function problemOf(path, specifier) {
  if (!specifier.startsWith('.')) return importerProblem(path, specifier);
  const target = resolve(path, specifier);
  if (!target.startsWith('src/')) return `${specifier} is outside src/`;
  // A path that is put together at run time names what was compiled.
  if (!target.endsWith(target.includes('${') ? '.js' : '.ts') && !isOfPages(path, target)) return `${specifier} does not end in .ts`;
  return floorProblem(path, target) ?? (target in importers ? placeProblem(path, target) : undefined);
}

/** Their parts in TSX, which the bundler of the pages takes. @param {string} path @param {string} target */
function isOfPages(path, target) {
  return path.startsWith('src/pages/') && /^src\/pages\/.*\.tsx$/.test(target);
}

/** @param {string} path @param {string} target */
function floorProblem(path, target) {
  const from = roomOf(path);
  const to = roomOf(target);
  const allowed = floors[from];
  if (allowed === undefined) return `the room ${from} has no floor in scripts/layers.js`;
  if (from === to || allowed.some((entry) => covers(entry, target))) return undefined;
  return `${from} may not import ${target.slice('src/'.length)} (it may import: ${allowed.join(', ') || 'nothing'})`;
}

/** @param {string} entry @param {string} target */
function covers(entry, target) {
  const [room, ...without] = entry.split(' ');
  if (room !== '*' && room !== roomOf(target)) return false;
  return !without.some((part) => isAtOrBelow(target, `src/${part.slice(1)}`));
}

/** @param {string} path @param {string} specifier */
function importerProblem(path, specifier) {
  const library = libraryOf(specifier);
  return importers[library] === undefined ? `${library} has no importer in scripts/layers.js` : placeProblem(path, library);
}

/** @param {string} path @param {string} imported a library or a file */
function placeProblem(path, imported) {
  const places = importers[imported] ?? [];
  if (places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place))) return undefined;
  return `${imported} is only for ${places.join(', ')}`;
}

/** Tests of the finished program speak to it over the wire. @param {string} path */
function isOutside(path) {
  return path.startsWith('test/outside/') || path.startsWith('test/interface/');
}

/** @param {string} path @param {string} specifier */
function problemOutside(path, specifier) {
  if (specifier.startsWith('.') && /^(?:src|bench)\//.test(resolve(path, specifier)))
    return `tests of the finished program import nothing of src/, but ${specifier}`;
  return undefined;
}

/**
 * Files that import each other in a circle, each circle as one line.
 * @param {ReadonlyMap<string, string>} files
 * @returns {string[]}
 */
export function cycleProblems(files) {
  const graph = new Map([...files].filter(([path]) => path.startsWith('src/')).map(([path, source]) => [path, targetsOf(path, source)]));
  return circles(graph).map((circle) => `import circle: ${circle.join(' → ')} → ${circle[0]}`);
}

/** @param {string} path @param {string} source */
function targetsOf(path, source) {
  const own = importsOf(source).filter(({ specifier }) => specifier.startsWith('.'));
  return [...new Set(own.map(({ specifier }) => resolve(path, specifier)))];
}

/**
 * Libraries that src/ uses but that package.json doesn't install for those who only run the program.
 * @param {ReadonlyMap<string, string>} files
 * @param {readonly string[]} dependencies the names of package.json's `dependencies`
 * @returns {string[]}
 */
export function dependencyProblems(files, dependencies) {
  const problems = [];
  for (const [path, source] of files) {
    // What is in `portable/` goes into pharos-client only, which names its own dependencies.
    // Pages bring what they import with them, from set-up on.
    if (!path.startsWith('src/') || path.includes('/portable/') || path.startsWith('src/pages/')) continue;
    for (const { specifier, line } of importsOf(source)) {
      const library = libraryOf(specifier);
      const isOwn = specifier.startsWith('.') || specifier.startsWith('node:');
      if (!isOwn && !dependencies.includes(library))
        problems.push(`${path}:${line}: ${library} is not among the dependencies of package.json`);
    }
  }
  return problems;
}

/**
 * Walks in depth; an edge back to a file that is still being walked closes a circle.
 * @param {ReadonlyMap<string, readonly string[]>} graph
 */
function circles(graph) {
  /** @type {string[][]} */
  const found = [];
  /** @type {string[]} */
  const trail = [];
  const finished = new Set();
  /** @param {string} path */
  const walk = (path) => {
    const seenAt = trail.indexOf(path);
    if (seenAt !== -1) found.push(trail.slice(seenAt));
    if (seenAt !== -1 || finished.has(path)) return;
    trail.push(path);
    for (const target of graph.get(path) ?? []) walk(target);
    trail.pop();
    finished.add(path);
  };
  for (const path of graph.keys()) walk(path);
  return found;
}

/** The room of a path of src/: its folder there; a file directly in src/ has none. @param {string} path */
export function roomOf(path) {
  const [, room, ...rest] = path.split('/');
  return rest.length > 0 ? (room ?? '') : '';
}

/** @param {string} path @param {string} place */
function isAtOrBelow(path, place) {
  return path === place || path === `${place}.ts` || path.startsWith(`${place}/`);
}

/** `node:fs/promises` → `node:fs`, `@noble/hashes/sha2.js` → `@noble/hashes`. @param {string} specifier */
function libraryOf(specifier) {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
}

/** @param {string} path @param {string} specifier */
export function resolve(path, specifier) {
  const parts = path.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
