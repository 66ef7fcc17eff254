import { CheckedProgram, Compiler } from './checked_program.js';
import { readMembers, setMembers, unreadAnywhere } from './member_uses.js';
import { walk } from './member_walk.js';
import { ownedMemberProblems } from './owned_members.js';
import { lineAt } from './source_text.js';

/**
 * @typedef {import('./member_walk.js').Member} Member
 * @typedef {import('./owned_members.js').OwnedMember} OwnedMember
 * @typedef {{ readonly path: string, readonly members: readonly string[], readonly why: string }} MemberException
 */

/**
 * Public members of classes, of interfaces and of what functions take that nobody in src/ reads, and optional ones that nobody there
 * sets. A test is nobody: what only tests look at or set is not needed.
 * @param {ReadonlyMap<string, string>} files texts by path from the project's folder; those of src/ are looked at
 * @param {string} root that folder, with a slash at the end
 * @param {readonly MemberException[]} exceptions
 * @param {readonly OwnedMember[]} owned members that few may read
 * @returns {string[]} one line per problem
 */
export function memberProblems(files, root, exceptions, owned = []) {
  const compiler = new Compiler(root);
  try {
    return memberProblemsBy(compiler, files, root, exceptions, owned);
  } finally {
    compiler.close();
  }
}

/**
 * The same by a compiler that runs already.
 * @param {Compiler} compiler
 * @param {ReadonlyMap<string, string>} files
 * @param {string} root
 * @param {readonly MemberException[]} exceptions
 * @param {readonly OwnedMember[]} owned
 */
export function memberProblemsBy(compiler, files, root, exceptions, owned = []) {
  const program = new CheckedProgram(new Map([...files].filter(([path]) => path.startsWith('src/'))), root, compiler);
  try {
    const found = walk(program.sourceFiles());
    const read = readMembers(program, found);
    const given = found.members.filter(({ isGiven }) => isGiven);
    const unread = given.filter(({ node }) => !read.has(node));
    const set = setMembers(program, found);
    const problems = [
      ...unreadAnywhere(program, unread, found, read).map((member) => ({ member, verb: 'reads' })),
      ...given.filter(({ node, isOptional }) => isOptional && read.has(node) && !set.has(node)).map((member) => ({ member, verb: 'sets' })),
    ];
    return [...reported(problems, program, exceptions), ...ownedMemberProblems(program, found, files, owned)];
  } finally {
    program.close();
  }
}

/**
 * @param {readonly { readonly member: Member, readonly verb: string }[]} problems
 * @param {CheckedProgram} program
 * @param {readonly MemberException[]} exceptions
 */
function reported(problems, program, exceptions) {
  /** @type {Set<string>} */
  const needed = new Set();
  /** @type {Map<string, string>} overloads and accessors are one member */
  const lines = new Map();
  for (const { member, verb } of problems) {
    const file = member.node.getSourceFile();
    const path = program.pathOf(file);
    const full = `${member.ownerName}.${member.name}`;
    const excepted = exceptions.flatMap((exception) => entriesFor(exception, path, full));
    for (const entry of excepted) needed.add(entry);
    const line = `${path}:${lineAt(file.text, member.node.getStart())}: nobody ${verb} ${full}`;
    if (excepted.length === 0 && !lines.has(`${path} ${full}`)) lines.set(`${path} ${full}`, line);
  }
  const all = exceptions.flatMap(({ path, members }) => members.map((member) => `${path} ${member}`));
  const spare = all.filter((entry) => !needed.has(entry)).map((entry) => `scripts/layers.js: nothing needs the exception for ${entry}`);
  return [...lines.values(), ...spare];
}

/** @param {MemberException} exception @param {string} path @param {string} full */
function entriesFor(exception, path, full) {
  const isThere = exception.path.endsWith('/') ? path.startsWith(exception.path) : path === exception.path;
  return isThere
    ? exception.members
        .filter((member) => member === full || (member.endsWith('.*') && full.startsWith(member.slice(0, -1))))
        .map((member) => `${exception.path} ${member}`)
    : [];
}
