import { Exceptions } from './exceptions.js';
import { readMembers, setMembers, unreadAnywhere } from './member_uses.js';
import { walk } from './member_walk.js';
import { lineNumber } from './source_text.js';

/**
 * Public members of classes, of interfaces and of what functions take that nobody in src/ reads, and optional ones that
 * nobody there sets. A test is nobody: what only tests look at or set is not needed.
 * @param {import('./checked_program.js').CheckedProgram} program
 * @param {Readonly<Record<string, string>>} table of exceptions
 * @returns {string[]} one line per problem
 */
export function memberProblems(program, table) {
  const exceptions = new Exceptions(table);
  const found = walk(program.sourceFiles());
  const read = readMembers(program, found);
  const given = found.members.filter(({ isGiven }) => isGiven);
  const unread = given.filter(({ node }) => !read.has(node));
  const set = setMembers(program, found);
  const unset = given.filter(({ node, isOptional }) => isOptional && read.has(node) && !set.has(node));
  const problems = [
    ...unreadAnywhere(program, unread, found, read).map((member) => ({ member, verb: 'reads' })),
    ...unset.map((member) => ({ member, verb: 'sets' })),
  ];
  /** @type {Map<string, string>} overloads and accessors are one member */
  const lines = new Map();
  for (const { member, verb } of problems) {
    const file = member.node.getSourceFile();
    const path = program.filePath(file);
    const full = `${member.ownerName}.${member.name}`;
    if (exceptions.covers(path, full) || lines.has(`${path} ${full}`)) continue;
    lines.set(`${path} ${full}`, `${path}:${lineNumber(file.text, member.node.getStart())}: nobody ${verb} ${full}`);
  }
  return [...lines.values(), ...exceptions.spare()];
}
