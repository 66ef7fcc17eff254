import { codeOnly, listImports, lineNumber, resolve } from './source_text.js';

/**
 * Found without an import: a pool calls functions of a thread by name, and a client's bundle has these in place of
 * others.
 */
const foundByName = /_thread\.ts$|\/portable\//;
const declarations = /^export (?:async )?(const|function\*?|class|interface|type) ([A-Za-z_$][\w$]*)/gm;

/**
 * Finds exports of src/ that no other file imports: they are dead, or only their file's own business. A type may be
 * named in its own file alone, as part of what it promises there.
 * @param {ReadonlyMap<string, string>} files texts by path from the project's folder; of all that may import
 * @returns {string[]} one line per problem
 */
export function exportProblems(files) {
  const sources = [...files].filter(([path]) => /\.(?:[jt]s|tsx)$/.test(path));
  /** @type {Map<string, Set<string>>} the names that others take from each file */
  const imported = new Map();
  for (const [path, source] of sources)
    for (const { specifier, names } of listImports(source)) {
      const target = resolve(path, specifier).replace(/^(?:build\/)?(.*)\.js$/, '$1.ts');
      imported.set(target, new Set([...(imported.get(target) ?? []), ...names]));
    }
  const isNamedElsewhere = (/** @type {string} */ path, /** @type {string} */ name) =>
    sources.some((other) => other[0] !== path && countName(codeOnly(other[1]), name) > 0);
  return sources.flatMap(([path, source]) => {
    const code = codeOnly(source);
    const own = path.startsWith('src/') ? [...code.matchAll(declarations)] : [];
    // Overloads are one export.
    const exported = own.filter((match, index) => own.findIndex((other) => other[2] === match[2]) === index);
    return exported.flatMap(({ 1: kind, 2: name = '', index }) => {
      const isPromised = (kind === 'interface' || kind === 'type') && countName(code, name) > 1;
      const isUsed =
        imported.get(path)?.has(name) || isPromised || (foundByName.test(path) && isNamedElsewhere(path, name));
      return isUsed ? [] : [`${path}:${lineNumber(code, index)}: nobody imports ${name}`];
    });
  });
}

/** @param {string} code @param {string} name */
function countName(code, name) {
  return code.split(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`)).length - 1;
}
