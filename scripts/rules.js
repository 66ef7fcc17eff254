import { readdirSync, readFileSync } from 'node:fs';
import { memberExceptions, ownedMembers } from './layers.js';
import { filesBelow, inProject, root } from './place.js';
import { determinismProblems } from './rules/determinism.js';
import { exportProblems } from './rules/exports.js';
import { cycleProblems, dependencyProblems, importProblems } from './rules/imports.js';
import { registerProblems } from './rules/registers.js';
import { wordProblems } from './rules/words.js';

/** Every broken rule of the house, one line each. */
export async function allRuleProblems() {
  // Needs the compiler, which may have been installed a moment ago.
  const { memberProblems } = await import('./rules/members.js');
  const sources = read(['src', 'test'].flatMap(filesBelow).filter((path) => /\.tsx?$/.test(path)));
  const written = read(writtenFiles());
  return [
    ...importProblems(sources),
    ...dependencyProblems(sources, dependencies()),
    ...cycleProblems(sources),
    ...determinismProblems(sources),
    ...registerProblems(sources),
    ...exportProblems(written),
    ...memberProblems(sources, root, memberExceptions, ownedMembers),
    ...wordProblems(written),
  ];
}

/** What src/ may import; that a peer may be missing is for its importer to care about. */
function dependencies() {
  const { dependencies: own, peerDependencies: peers } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  return Object.keys({ ...own, ...peers });
}

/** What people wrote: everything but recordings. */
function writtenFiles() {
  const below = ['.ci', 'bench', 'native', 'scripts', 'src', 'test']
    .flatMap(filesBelow)
    .filter((path) => !path.startsWith('test/lineage/'));
  return [...below, ...readdirSync(root).filter((name) => /^[A-Z]+(?:\.md)?$|\.json$|^\.npmrc$/.test(name))];
}

function read(paths) {
  return new Map(paths.flatMap((path) => textOf(path)));
}

function textOf(path) {
  try {
    return [[path, readFileSync(inProject(path), 'utf8')]];
  } catch (error) {
    // Deleted since it was listed, or not written yet.
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
