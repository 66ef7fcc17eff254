import * as ast from 'typescript/unstable/ast';
import { Exceptions } from './exceptions.js';
import { lineNumber } from './source_text.js';

/**
 * @typedef {import('./checked_program.js').CheckedProgram} CheckedProgram
 */

/**
 * Overloads that promise more than their implementation: it returns a type that is not the promised one, or takes a type that is not the
 * given one. The compiler accepts both, so such an overload is a cast that no linter sees.
 * @param {CheckedProgram} program
 * @param {Readonly<Record<string, string>>} table of exceptions
 * @returns {string[]} one line per problem
 */
export function overloadProblems(program, table) {
  const exceptions = new Exceptions(table);
  const problems = program.sourceFiles().flatMap((file) => {
    const path = program.filePath(file);
    return overloadGroups(file).flatMap((group) => {
      const name = group[0]?.name?.getText() ?? '';
      const casts = group.slice(0, -1).filter((overload) => !isSound(program, overload, group.at(-1)));
      if (casts.length === 0 || exceptions.covers(path, name)) return [];
      return casts.map(
        (overload) => `${path}:${lineNumber(file.text, overload.getStart())}: the overload of ${name} is a cast`,
      );
    });
  });
  return [...problems, ...exceptions.spare()];
}

/** Declarations of one function that follow each other: its overloads and its implementation. @param {ast.Node} file */
function overloadGroups(file) {
  /** @type {(ast.FunctionDeclaration | ast.MethodDeclaration)[][]} */
  const groups = [];
  /** @type {(node: ast.Node) => void} */
  const visit = (node) => {
    /** @type {(ast.FunctionDeclaration | ast.MethodDeclaration)[]} */
    let open = [];
    node.forEachChild((child) => {
      if (
        (ast.isFunctionDeclaration(child) || ast.isMethodDeclaration(child)) &&
        child.name?.getText() === (open[0] ?? child).name?.getText()
      ) {
        open.push(child);
        if (child.body !== undefined) {
          if (open.length > 1) groups.push(open);
          open = [];
        }
      } else open = [];
      visit(child);
    });
  };
  visit(file);
  return groups;
}

/** @param {CheckedProgram} program @param {ast.FunctionDeclaration | ast.MethodDeclaration} overload @param {ast.FunctionDeclaration | ast.MethodDeclaration | undefined} body */
function isSound(program, overload, body) {
  if (body === undefined) return true;
  const returned = [body.type, overload.type];
  const taken = overload.parameters.map(({ type }, index) => [type, body.parameters[index]?.type]);
  return [returned, ...taken].every(
    ([from, to]) => from === undefined || to === undefined || isAssignable(program, from, to),
  );
}

/** @param {CheckedProgram} program @param {ast.Node} from @param {ast.Node} to */
function isAssignable(program, from, to) {
  if (from.getText() === to.getText()) return true;
  const [given, wanted] = [from, to].map((node) => program.getTypes([node])[0]?.[1]);
  return given !== undefined && wanted !== undefined && program.isAssignable(given, wanted);
}
