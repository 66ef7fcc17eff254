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

/** The largest size of a room's page. */
const ROOM_KIB = 10;

/** The largest size of a guide. */
const GUIDE_KIB = 6;

/** @param {string} path of a page @returns {string[]} what is wrong with its length */
export function lengthProblems(path, bytes = statSync(inProject(path)).size) {
  const most = mostKib[path] ?? usualKib(path);
  return bytes > most * KIB ? [`${path}: ${bytes} bytes, at most ${most * KIB}`] : [];
}

/** @param {string} path of a page */
function usualKib(path) {
  if (/^(?:src|scripts)\/(?:.+\/)?README\.md$/.test(path)) return ROOM_KIB;
  if (path.startsWith('src/pages/guides/')) return GUIDE_KIB;
  return Infinity;
}

/** @param {string} heading as it is written @returns {string} the anchor that it gets */
export function headingAnchor(heading) {
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
function listAnchors(text) {
  return new Set(
    [...text.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      headingAnchor(heading),
    ),
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
      if (!listAnchors(linked).has(anchor)) problems.push(`${path}: ${target} leads to no heading`);
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

/** @param {string} source of a file @param {string} name of a function or method */
function declares(source, name) {
  return new RegExp(
    `^ *(?:export |async |private |get |\\*)*(?:function\\*? )?${name.replace('$', '\\$')}[(<]`,
    'm',
  ).test(source);
}

/**
 * Walks through the code: each function that is named in backticks stands in the source linked last before it.
 * @param {string} path of a page @returns {string[]} functions that the source doesn't declare
 */
export function walkProblems(path, text = readFileSync(inProject(path), 'utf8')) {
  const steps = [...text.matchAll(/^\d+\. (?:.+\n?(?!\d+\. ))+/gm)].map(([step]) => step);
  const problems = [];
  for (const step of steps) {
    let source = '';
    for (const [, file, name] of step.matchAll(/\]\(([\w./]+\.ts)\)|`(#?[a-z]\w*)`/g)) {
      if (file !== undefined) source = normalize(join(dirname(path), file));
      else if (name !== undefined && (source === '' || !declares(readFileSync(inProject(source), 'utf8'), name)))
        problems.push(`${path}: ${source === '' ? 'no source' : source} has no function ${name}`);
    }
  }
  return problems;
}

const MOST_COLUMNS = 100;

/**
 * Prose wraps at 100. Code, tables, headings and HTML don't, nor does a link or code that fills its line.
 * @param {string} path of a page @returns {string[]} lines of prose that are longer
 */
export function proseProblems(path, text = readFileSync(inProject(path), 'utf8')) {
  let isInBlock = false;
  return text.split('\n').flatMap((line, k) => {
    const isFence = /^ *```/.test(line);
    if (isFence) isInBlock = !isInBlock;
    if (isFence || isInBlock || line.length <= MOST_COLUMNS) return [];
    const isProse = !/^ *(?:\||#|<|!\[)/.test(line) && !/^ *(?:[-*] |\d+\. )?(?:\[\S*\]\(\S+\)|`[^`]+`)\S*$/.test(line);
    return isProse ? [`${path}:${k + 1}: ${line.length} characters, prose wraps at ${MOST_COLUMNS}`] : [];
  });
}

const STATUS = /^\d{4}-\d{2}-\d{2}, \*(?:stands|superseded by\* \[[^\]]+\]\(\S+\))/;

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

/**
 * The blocks of a document that name a language: commands, programs, settings, and lines that a program prints.
 * @param {string} text of a document @returns {{ heading: string, language: string }[]} in their order
 */
export function shownBlocks(text) {
  const blocks = [];
  let heading = '';
  let isInBlock = false;
  for (const line of text.split('\n')) {
    const [, language = ''] = /^ *```(\w*)/.exec(line) ?? [];
    if (/^ *```/.test(line)) {
      isInBlock = !isInBlock;
      if (isInBlock && language !== '') blocks.push({ heading, language });
    } else if (!isInBlock) heading = /^#+ (.+)$/.exec(line)?.[1] ?? heading;
  }
  return blocks;
}
