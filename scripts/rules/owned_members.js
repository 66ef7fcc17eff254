import { isPropertyAccessExpression, isStringLiteral } from 'typescript/unstable/ast';
import { codeOnly, lineAt } from './source_text.js';

/**
 * @typedef {import('typescript/unstable/ast').Node} Node
 * @typedef {import('typescript/unstable/sync').Type} Type
 * @typedef {import('./checked_program.js').CheckedProgram} CheckedProgram
 * @typedef {import('./member_walk.js').Found} Found
 *
 * A member that few may read, because another place answers for it.
 * @typedef {object} OwnedMember
 * @property {string} path the file that declares it
 * @property {string} member
 * @property {readonly string[]} types names by which files know its owner: with one of them in it, a file doesn't name the member at all
 * @property {readonly string[]} readers files that read it
 * @property {readonly string[]} namesakes files that know the owner, and name a member of the same name that another type has
 * @property {string} instead what others read
 */

/**
 * Places that read a member which only its readers may read: behind a dot, in brackets, by taking an object apart or by copying one. A file
 * that knows the owner must not name the member either, so that no type of its own makes the reading look like another member's.
 * @param {CheckedProgram} program @param {Found} found @param {ReadonlyMap<string, string>} files @param {readonly OwnedMember[]} owned
 * @returns {string[]} one line per problem
 */
export function ownedMemberProblems(program, found, files, owned) {
  return owned.flatMap((entry) => {
    const read = readsOf(program, found, entry).map((node) => {
      const file = node.getSourceFile();
      return { path: program.pathOf(file), line: lineAt(file.text, node.getStart()) };
    });
    const places = [...read, ...namingsOf(files, entry)].filter(({ path }) => !entry.readers.includes(path));
    const lines = new Set(places.map(({ path, line }) => `${path}:${line}: reads ${entry.member} of ${entry.path}: read ${entry.instead}`));
    const readers = new Set(read.map(({ path }) => path));
    const spare = entry.readers.filter((path) => files.has(path) && !readers.has(path));
    return [...lines, ...spare.map((path) => `scripts/layers.js: ${path} does not read ${entry.member} of ${entry.path}`)];
  });
}

/** @param {CheckedProgram} program @param {Found} found @param {OwnedMember} entry @returns {Node[]} */
function readsOf(program, { reads, patterns, spreads, elements }, { path, member }) {
  const isOwner = (/** @type {Type} */ type) => isOwnedBy(program, type, path, member);
  /** @type {<N extends Node>(nodes: readonly N[]) => N[]} */
  const ofOwner = (nodes) => program.typesAt(nodes).flatMap(([node, type]) => (isOwner(type) ? [node] : []));
  const dots = reads.flatMap(({ text, parent }) => (text === member && isPropertyAccessExpression(parent) ? [parent.expression] : []));
  const brackets = elements.filter(({ argumentExpression: at }) => isStringLiteral(at) && at.text === member);
  return [
    ...ofOwner(dots),
    ...ofOwner(brackets.map(({ expression }) => expression)),
    ...ofOwner(patterns.filter((pattern) => takes(pattern, member))),
    ...ofOwner(spreads.filter((spread) => copies(program, spread, path, member)).map(({ expression }) => expression)),
  ];
}

/** Whether that file declares the member of a type. @param {CheckedProgram} program @param {Type} type @param {string} path @param {string} member */
function isOwnedBy(program, type, path, member) {
  const symbol = program.propertyOf(type, member);
  return symbol !== undefined && program.declarationsOf(symbol).some((node) => program.pathOf(node.getSourceFile()) === path);
}

/** @param {import('typescript/unstable/ast').ObjectBindingPattern} pattern @param {string} member */
function takes({ elements }, member) {
  const names = elements.map(({ propertyName, name }) => (propertyName ?? name)?.getText());
  return names.includes(member) || elements.some(({ dotDotDotToken }) => dotDotDotToken !== undefined);
}

/**
 * Whether a copy has the member in the end, and is something else than another value of the owner.
 * @param {CheckedProgram} program @param {import('typescript/unstable/ast').SpreadAssignment} spread @param {string} path @param {string} member
 */
function copies(program, spread, path, member) {
  const literal = /** @type {import('typescript/unstable/ast').ObjectLiteralExpression} */ (spread.parent);
  const behind = literal.properties.slice(literal.properties.indexOf(spread) + 1);
  if (behind.some((property) => 'name' in property && property.name?.getText() === member)) return false;
  const expected = program.expectedType(literal);
  if (expected === undefined) return true;
  return program.propertyOf(expected, member) !== undefined && !isOwnedBy(program, expected, path, member);
}

/** @param {ReadonlyMap<string, string>} files @param {OwnedMember} entry @returns {{ readonly path: string, readonly line: number }[]} */
function namingsOf(files, { path: declared, member, types, namesakes }) {
  const names = new RegExp(`\\b(?:${types.join('|')})\\b`);
  const word = new RegExp(`\\b${member}\\b`, 'g');
  return [...files].flatMap(([path, text]) => {
    if (!path.startsWith('src/') || path === declared || namesakes.includes(path)) return [];
    const code = codeOnly(text);
    if (!names.test(code)) return [];
    return [...code.matchAll(word)].map(({ index }) => ({ path, line: lineAt(code, index) }));
  });
}
