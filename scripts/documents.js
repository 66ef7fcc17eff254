// The documents of the house: how long each may be, and which links and files in them lead nowhere.
// test/documents/ holds the repository to it.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const KIB = 1024;

/** A path of the project, in whose folder checks and tests run. @param {string} path */
const inProject = (path) => join(process.cwd(), path);

/** The longest that a document may be, in KiB: a page that is longer is not read. @type {Readonly<Record<string, number>>} */
export const mostKib = {
  'CONTRIBUTING.md': 10,
  'README.md': 8,
  'bench/README.md': 6,
  'src/README.md': 12,
  'test/README.md': 6,
};

/** What a room's page may be at most, and pages that are longer for a reason. */
const ROOM_KIB = 10;
const longerRooms = new Set([
  // each claim of a peer with its evidence, and each attack that was tried
  'src/p2p/README.md',
  // each rule once, with what needs more words
  'src/state/rules/README.md',
]);

/** @param {string} path of a page @returns {string[]} what is wrong with its length */
export function lengthProblems(path, bytes = statSync(inProject(path)).size) {
  const isRoom = /^(?:src|scripts)\/(?:.+\/)?README\.md$/.test(path) && !longerRooms.has(path);
  const most = mostKib[path] ?? (isRoom ? ROOM_KIB : Infinity);
  return bytes > most * KIB ? [`${path}: ${bytes} bytes, at most ${most * KIB}`] : [];
}

/** @param {string} heading as it is written @returns {string} the anchor that it gets */
export function anchorOf(heading) {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** @param {string} text */
function withoutPrograms(text) {
  return text.replaceAll(/^```[^]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
}

/** @param {string} text */
function anchorsIn(text) {
  return new Set(
    [...text.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)),
  );
}

/** @param {string} path of a page @returns {string[]} links of it to files and headings that there are not */
export function linkProblems(path, text = readFileSync(inProject(path), 'utf8')) {
  const problems = [];
  for (const [, target = ''] of withoutPrograms(text).matchAll(/\]\((?!https?:|mailto:|\/)([^)\s]+)\)/g)) {
    const [file = '', anchor] = target.split('#');
    const found = file === '' ? path : normalize(join(dirname(path), file));
    if (!existsSync(inProject(found))) problems.push(`${path}: ${target} leads to no file`);
    else if (anchor !== undefined && found.endsWith('.md')) {
      const linked = found === path ? text : readFileSync(inProject(found), 'utf8');
      if (!anchorsIn(linked).has(anchor)) problems.push(`${path}: ${target} leads to no heading`);
    }
  }
  return problems;
}

/** Places in which a path that a room's page names may begin, besides its own folder. */
const roots = ['', 'src/', 'scripts/', 'test/'];

/** @param {string} path of a room's page @returns {string[]} files that it names and that there are not */
export function fileProblems(path, text = readFileSync(inProject(path), 'utf8')) {
  const named = [...text.matchAll(/`((?:\.\.\/)*[\w.-]+(?:\/[\w.-]+)*\.(?:ts|tsx|js|h|c|json))`/g)].map(
    ([, name = '']) => name,
  );
  return named
    .filter(
      (name) => ![`${dirname(path)}/`, ...roots].some((root) => existsSync(inProject(normalize(`${root}${name}`)))),
    )
    .map((name) => `${path}: ${name} is no file`);
}

const STATUS = /^\d{4}-\d{2}-\d{2}, \*(?:stands|superseded by\* \[.+\]\(\S+\))/;

/** @param {string} path of a room's page @returns {string[]} decisions without a date, a status or one of their four parts */
export function decisionProblems(path, text = readFileSync(inProject(path), 'utf8')) {
  const [, decisions = ''] = /^## Decisions\n([^]*?)(?:^## |$(?![^]))/m.exec(text) ?? [];
  return decisions
    .split(/^### /m)
    .slice(1)
    .flatMap((decision) => {
      const [title = '', ...lines] = decision.split('\n');
      const body = lines.join('\n').trim();
      const missing = ['Problem', 'Choice', 'Rejected', 'Price'].filter((part) => !body.includes(`- **${part}:** `));
      if (!STATUS.test(body)) missing.unshift('a date and whether it stands');
      return missing.length > 0 ? [`${path}: "${title}" lacks ${missing.join(', ')}`] : [];
    });
}
