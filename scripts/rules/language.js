import { codeOnly } from './source_text.js';

/**
 * A file as one measure sees it: how many things it has, and those that are not as they should be.
 * @typedef {{ readonly all: number, readonly bad: readonly string[] }} Measured
 *
 * What is measured, and the share in percent that may be bad: of each file, or of all files together.
 * @typedef {{ readonly of: RegExp, readonly measure: (text: string) => Measured, readonly percent: number, readonly isOfEachFile: boolean, readonly advice: string }} Measure
 *
 * Numbers of bad things by path.
 * @typedef {Readonly<Record<string, number>>} Counts
 */

const MOST_WORDS = 25;

const prepositions =
  'about above across after against along among around at before behind below beneath beside between beyond by during ' +
  'for from in inside into near of on onto since through to toward towards under until upon via with within without';
/** A name of one word, such as `of` or `to`, has its sense from where it stands. */
const endsInPreposition = new RegExp(`[a-z\\d](?:${prepositions.split(' ').map(capital).join('|')})$`);

const opensAsClause = /^(?:What|Who|Whom|Whose|Whoever|Whatever|How|Where|Wherever|Whether|Why)\b/;

const keywords = new Set(['if', 'for', 'while', 'switch', 'catch', 'return', 'await', 'function', 'with', 'super']);
/** Parentheses that hold no more than two levels of others. */
const params = '\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\)';
const declaredFunctions = [
  /\bfunction\s*\*?\s*([\w$]+)/g,
  // A function in a constant, or in a member of a class.
  new RegExp(
    `\\b(?:const|let)\\s+([\\w$]+)(?::[^=;]*)?\\s*=\\s*(?:async\\s+)?(?:<[^()]*>)?(?:${params}(?::[^=;]+)?|[\\w$]+)\\s*=>`,
    'g',
  ),
  new RegExp(`^ +(?:static |readonly )*(#?[\\w$]+)(?:: [^=;\\n]*)? = (?:async )?${params}(?:: [^=;]+)? =>`, 'gm'),
  // A method.
  new RegExp(
    `^ +(?:(?:static|async|get|set|override)\\s+|\\*)*(#?[\\w$]+)(?:<[^()\\n]*>)?${params}(?::[^;{}]+(?:\\{[^{}]*\\}[^;{}]*)*)? \\{$`,
    'gm',
  ),
];

/** @param {string} word */
function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/**
 * The names of functions and methods; bad are those that end in a preposition.
 * @param {string} source @returns {Measured}
 */
export function functionNames(source) {
  const code = codeOnly(source);
  const named = new Map(
    declaredFunctions.flatMap((pattern) =>
      [...code.matchAll(pattern)].map(({ 0: text, 1: name = '', index }) => [index + text.indexOf(name), name]),
    ),
  );
  const names = [...named.values()].filter((name) => !keywords.has(name));
  return { all: names.length, bad: names.filter((name) => endsInPreposition.test(name)) };
}

/**
 * Doc comments; bad are those that open as a noun clause or a question.
 * @param {string} source @returns {Measured}
 */
export function docComments(source) {
  const code = codeOnly(source);
  const texts = [...source.matchAll(/(?<=^[ \t]*)\/\*\*([^]*?)\*\//gm)]
    .filter(({ 0: text, index }) => code.slice(index, index + text.length).trim() === '')
    .map(({ 1: text = '' }) => text.replace(/\n\s*\* ?/g, ' ').trim());
  return { all: texts.length, bad: texts.filter((text) => opensAsClause.test(text)) };
}

/**
 * The sentences of a document; bad are those of more than 25 words. Items of lists and cells of tables end one, and code
 * is one word.
 * @param {string} text @returns {Measured}
 */
export function sentences(text) {
  const paragraphs = text
    .replace(/^( *)(```|~~~)[^]*?^\1\2/gm, '\n')
    .replace(/<!--[^]*?-->/g, '')
    .replace(/``[^]+?``|`[^`]+`/g, 'code')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^ *(?:[-*+]|\d+\.) /gm, '\n\n')
    .replace(/^ *#+ .*$/gm, '\n\n')
    .replace(/^ *\|.*$/gm, (row) => row.replace(/\\\|/g, ' ').replaceAll('|', '\n\n'))
    .split(/\n\s*\n/);
  const all = paragraphs.flatMap((paragraph) =>
    paragraph
      .replace(/\s+/g, ' ')
      .split(/(?<=[.!?][)"”’*_]*) (?=[*_("“‘[]*[A-Z\d`])/)
      .filter((sentence) => /\w/.test(sentence)),
  );
  return { all: all.length, bad: all.filter((sentence) => countWords(sentence) > MOST_WORDS) };
}

/** @param {string} sentence */
function countWords(sentence) {
  return sentence.split(' ').filter((word) => /[\p{L}\d]/u.test(word)).length;
}

const sources = /^(?:src|test|bench|scripts)\/(?!lineage\/).*\.(?:tsx?|js)$/;

/** @type {Readonly<Record<string, Measure>>} */
export const measures = {
  'sentences above 25 words': {
    // What a change log says of old versions stays.
    of: /^(?!CHANGELOG).*\.md$/,
    measure: sentences,
    percent: 10,
    isOfEachFile: true,
    advice: 'say one thing a sentence',
  },
  'doc comments that open with What, Who, How, Where, Whether or Why': {
    of: sources,
    measure: docComments,
    percent: 3,
    isOfEachFile: false,
    advice: 'say who does what',
  },
  'functions that end in a preposition': {
    of: sources,
    measure: functionNames,
    percent: 3,
    isOfEachFile: false,
    advice: 'name the result or the deed',
  },
};

/**
 * Measures the distance of files from the targets.
 * @param {ReadonlyMap<string, string>} files texts by path from the project's folder
 * @returns {{ readonly name: string, readonly measure: Measure, readonly all: number, readonly bad: number, readonly files: ReadonlyMap<string, Measured> }[]}
 */
export function measured(files) {
  return Object.entries(measures).map(([name, measure]) => {
    const some = new Map(
      [...files].flatMap(([path, text]) => (measure.of.test(path) ? [[path, measure.measure(text)]] : [])),
    );
    const all = [...some.values()].reduce((sum, file) => sum + file.all, 0);
    const bad = [...some.values()].reduce((sum, file) => sum + file.bad.length, 0);
    return { name, measure, all, bad, files: some };
  });
}

/**
 * Files that are worse than their target and worse than they were.
 * @param {ReadonlyMap<string, string>} files
 * @param {Readonly<Record<string, Counts>>} counts how many bad things each file had, by measure
 * @returns {string[]} one line per problem
 */
export function languageProblems(files, counts) {
  return measured(files).flatMap(({ name, measure, all, bad, files: some }) =>
    !measure.isOfEachFile && meetsTarget(measure, all, bad)
      ? []
      : [...some].flatMap(([path, { all: own, bad: found }]) => {
          const before = counts[name]?.[path] ?? 0;
          if (found.length <= before || (measure.isOfEachFile && meetsTarget(measure, own, found.length))) return [];
          const examples = found.slice(-(found.length - before)).map((text) => `“${text.slice(0, 60)}”`);
          return [
            `${path}: ${found.length} ${name}, ${before} before: ${measure.advice}, such as in ${examples.join(', ')}`,
          ];
        }),
  );
}

/** @param {Measure} measure @param {number} all @param {number} bad */
function meetsTarget({ percent }, all, bad) {
  return bad * 100 <= all * percent;
}

/**
 * The counts of files that are not within the target, none above what it was.
 * @param {ReadonlyMap<string, string>} files
 * @param {Readonly<Record<string, Counts>>} counts
 * @returns {Readonly<Record<string, Counts>>}
 */
export function loweredCounts(files, counts) {
  return Object.fromEntries(
    measured(files).map(({ name, measure, all, bad, files: some }) => {
      if (!measure.isOfEachFile && meetsTarget(measure, all, bad)) return [name, {}];
      const lowered = [...some].flatMap(([path, { all: own, bad: found }]) => {
        const count = Math.min(found.length, counts[name]?.[path] ?? 0);
        const isLeft = count > 0 && !(measure.isOfEachFile && meetsTarget(measure, own, found.length));
        return isLeft ? [/** @type {const} */ ([path, count])] : [];
      });
      return [name, Object.fromEntries(lowered)];
    }),
  );
}
