import { codeOnly, lineAt } from './source_text.js';

/**
 * What a file of src/ exports and no other file names: dead, or its file's own business. A type may be named in its own file alone,
 * as part of what it promises there.
 * @param {ReadonlyMap<string, string>} files texts by path from the project's folder; of all that may import
 * @returns {string[]} one line per problem
 */
export function exportProblems(files) {
  const sources = [...files].filter(([path]) => /\.(?:[jt]s|tsx)$/.test(path)).map(([path, source]) => ({ path, code: codeOnly(source) }));
  const pathsOf = filesByName(sources);
  return sources.flatMap(({ path, code }) => {
    if (!path.startsWith('src/')) return [];
    return exportsOf(code)
      .filter(({ name, isType }) => (pathsOf.get(name)?.size ?? 0) < 2 && !(isType && countOf(code, name) > 1))
      .map(({ name, line }) => `${path}:${line}: nobody imports ${name}`);
  });
}

/**
 * In which files each name stands.
 * @param {readonly { readonly path: string, readonly code: string }[]} sources
 */
function filesByName(sources) {
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  for (const { path, code } of sources) {
    for (const [name] of code.matchAll(/[A-Za-z_$][\w$]*/g)) {
      const paths = found.get(name);
      if (paths === undefined) found.set(name, new Set([path]));
      else paths.add(path);
    }
  }
  return found;
}

/** @param {string} code */
function exportsOf(code) {
  const declarations = /^export (?:async )?(const|function\*?|class|interface|type) ([A-Za-z_$][\w$]*)/gm;
  const found = [...code.matchAll(declarations)].map((match) => ({
    name: match[2] ?? '',
    isType: match[1] === 'interface' || match[1] === 'type',
    line: lineAt(code, match.index),
  }));
  // Overloads are one export.
  return found.filter(({ name }, index) => found.findIndex((other) => other.name === name) === index);
}

/** @param {string} code @param {string} name */
function countOf(code, name) {
  return code.split(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`)).length - 1;
}
