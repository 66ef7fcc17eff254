import { registers } from '../layers.js';
import { listImports, resolve } from './source_text.js';

/**
 * Folders of named things without exactly one index.ts, and files there that it doesn't register. Folders that don't exist are fine.
 * @param {ReadonlyMap<string, string>} files sources by path from the project's folder
 * @returns {string[]} one line per problem
 */
export function registerProblems(files) {
  return registers.flatMap(({ folder, notEntries }) =>
    matchFolders(folder, [...files.keys()]).flatMap((found) => folderProblems(found, files, notEntries)),
  );
}

/** @param {string} folder @param {ReadonlyMap<string, string>} files @param {Readonly<Record<string, string>>} notEntries */
function folderProblems(folder, files, notEntries) {
  const members = [...files.keys()].filter((path) => path.startsWith(`${folder}/`) && path.endsWith('.ts'));
  const indexes = members.filter((path) => path.endsWith('/index.ts'));
  if (indexes.length !== 1) return [`${folder}/ has ${indexes.length} index.ts, a register needs exactly one`];
  const [index = ''] = indexes;
  if (index !== `${folder}/index.ts`) return [`${index}: the register stands directly in ${folder}/`];
  const registered = new Set(listImports(files.get(index) ?? '').map(({ specifier }) => resolve(index, specifier)));
  const missing = members.filter((path) => path !== index && !registered.has(path) && !(path in notEntries));
  return missing.map((path) => `${path}: not registered in ${index}`);
}

/** @param {string} pattern @param {readonly string[]} paths */
function matchFolders(pattern, paths) {
  const [folder = '', ...without] = pattern.split(' ');
  if (!folder.endsWith('/*')) return paths.some((path) => path.startsWith(`${folder}/`)) ? [folder] : [];
  const above = folder.slice(0, -1);
  const names = paths.filter((path) => path.startsWith(above)).map((path) => path.slice(above.length).split('/'));
  const groups = names.filter((parts) => parts.length > 1).map(([name = '']) => name);
  return [...new Set(groups)].filter((name) => !without.includes(`!${name}`)).map((name) => above + name);
}
