import { readdirSync, readFileSync } from 'node:fs';
import { castExceptions, memberExceptions, textExceptions } from './layers.js';
import { listFiles, inProject, root } from './place.js';
import { Compiler, lookInProgram } from './rules/checked_program.js';
import { Exceptions } from './rules/exceptions.js';
import { exportProblems } from './rules/exports.js';
import { dependencyProblems, importProblems, pairProblems, sizeProblems } from './rules/imports.js';
import { memberProblems } from './rules/members.js';
import { overloadProblems } from './rules/overloads.js';
import { registerProblems } from './rules/registers.js';
import { citationProblems, headingProblems, textProblems } from './rules/texts.js';

/** Every broken rule of the house, one line each. */
export function allRuleProblems() {
  const sources = read(['src', 'test'].flatMap(listFiles).filter((path) => /\.tsx?$/.test(path)));
  const written = writtenTexts();
  const exceptions = new Exceptions(textExceptions);
  return [
    ...importProblems(sources),
    ...dependencyProblems(dependencies()),
    ...pairProblems(sources),
    ...sizeProblems(sources),
    ...registerProblems(sources),
    ...exportProblems(written),
    ...typedProblems(sources),
    ...textProblems(written, exceptions),
    ...exceptions.spare(),
    ...citationProblems(written),
    ...headingProblems(written),
  ];
}

/** Every file that people wrote, as text. */
export function writtenTexts() {
  return read(writtenFiles());
}

/** The rules that need the compiler, which understands the house once for both. */
function typedProblems(sources) {
  const compiler = new Compiler(root);
  try {
    return lookInProgram(sources, root, compiler, (program) => [
      ...memberProblems(program, memberExceptions),
      ...overloadProblems(program, castExceptions),
    ]);
  } finally {
    compiler.close();
  }
}

/** Returns the packages that src/ may import; importers handle a missing peer dependency themselves. */
function dependencies() {
  const { dependencies: own, peerDependencies: peers } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  return Object.keys({ ...own, ...peers });
}

/** Everything but recordings and screens. */
function writtenFiles() {
  const below = ['.ci', 'bench', 'native', 'scripts', 'src', 'test']
    .flatMap(listFiles)
    .filter((path) => !path.startsWith('test/lineage/') && !path.endsWith('.png'));
  return [...below, ...readdirSync(root).filter((name) => /^[A-Z]+(?:\.md)?$|\.json$|^\.npmrc$/.test(name))];
}

function read(paths) {
  return new Map(paths.flatMap((path) => readText(path)));
}

function readText(path) {
  try {
    return [[path, readFileSync(inProject(path), 'utf8')]];
  } catch (error) {
    // Deleted since it was listed, or not written yet.
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
