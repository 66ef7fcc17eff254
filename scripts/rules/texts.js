import { basename } from 'node:path';
import { headingAnchor } from '../documents.js';
import { citedTexts, forbiddenTexts } from '../layers.js';
import { codeOnly, lineNumber } from './source_text.js';

// The list of the rules and their tests contain what they refuse.
const exempt = new Set(['scripts/layers.js', 'test/scripts/rules.test.ts']);

/**
 * Texts that stand where they must not.
 * @param {ReadonlyMap<string, string>} files texts by path from the project's folder
 * @param {import('./exceptions.js').Exceptions} exceptions
 * @returns {string[]} one line per problem
 */
export function textProblems(files, exceptions) {
  return [...files].flatMap(([path, text]) =>
    forbiddenTexts.flatMap(({ name, pattern, why, only, isOfCode = false }) => {
      if (exempt.has(path) || !only.some((start) => path.startsWith(start))) return [];
      if (isOfCode && !path.endsWith('.ts')) return [];
      const found = [...(isOfCode ? codeOnly(text) : text).matchAll(pattern)];
      if (found.length === 0 || exceptions.covers(path, name)) return [];
      return found.map((match) => `${path}:${lineNumber(text, match.index)}: “${match[0].trim()}” (${name}): ${why}`);
    }),
  );
}

/**
 * Citations of a heading that its text does not have, and citations in code of a reference page without a heading.
 * @param {ReadonlyMap<string, string>} files
 * @returns {string[]} one line per problem
 */
export function headingProblems(files) {
  const pages = new Map(
    [...files]
      .filter(([path]) => path.startsWith(referenceFolder))
      .map(([path, text]) => [
        basename(path),
        new Set(Array.from(text.matchAll(/^#+ (.*)$/gm), ([, title = '']) => headingAnchor(title))),
      ]),
  );
  return [...files].flatMap(([path, text]) =>
    exempt.has(path) || path.startsWith('native/')
      ? []
      : Array.from(text.matchAll(/(?<![\w/])(\w+\.md)(?:#([a-z0-9-]+))?/g)).flatMap(
          ({ 0: cited, 1: name = '', 2: anchor, index }) => {
            const headings = pages.get(name);
            const isName = anchor === undefined && !/^(?:src|test|bench)\/.*\.ts$/.test(path);
            if (headings === undefined || isName || headings.has(anchor ?? '')) return [];
            const why = anchor === undefined ? 'cite a heading of it, with # before it' : `${name} has no such heading`;
            return [`${path}:${lineNumber(text, index)}: ${cited}: ${why}`];
          },
        ),
  );
}

const referenceFolder = 'src/pages/reference/';

/**
 * Citations of texts that no clone contains, beyond those that are counted. A count can only fall.
 * @param {ReadonlyMap<string, string>} files
 * @param {Readonly<Record<string, number>>} counted how often each such text is cited
 * @returns {string[]} one line per problem
 */
export function citationProblems(files, counted = citedTexts) {
  const contained = new Set([...files.keys()].map((path) => basename(path)));
  const cited = [...files].flatMap(([path, text]) =>
    // native/ cites the library that it is built from, and tests make up names in capitals.
    exempt.has(path) || path.startsWith('native/')
      ? []
      : Array.from(text.matchAll(/\b(?![A-Z]+\.)[A-Za-z_]+\.md\b/g), ({ 0: name, index }) => ({
          name,
          path,
          text,
          index,
        })),
  );
  const strange = cited.filter(({ name }) => !contained.has(name));
  const names = new Set([...Object.keys(counted), ...strange.map(({ name }) => name)]);
  return [...names].flatMap((name) => {
    const most = counted[name] ?? 0;
    const at = strange
      .filter((one) => one.name === name)
      .map(({ path, text, index }) => `${path}:${lineNumber(text, index)}`);
    if (at.length < most)
      return [`${name} is cited ${at.length} times: lower its count in scripts/layers.js from ${most}`];
    const places = at.length > most ? ` (${most} before, ${at.length} now)` : '';
    return at.length === most
      ? []
      : at
          .slice(most > 0 ? -1 : 0)
          .map(
            (place) => `${place}: ${name} is in no clone: say what it says, or cite a text of the repository${places}`,
          );
  });
}
