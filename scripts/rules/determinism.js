import { determinismExceptions, deterministicRooms } from '../layers.js';
import { roomOf } from './imports.js';
import { codeOnly, lineAt } from './source_text.js';

/**
 * What would let two machines come to different results from the same blocks, or let other work in between two steps.
 * @type {readonly { readonly name: string, readonly pattern: RegExp }[]}
 */
const words = [
  { name: 'waiting', pattern: /\b(?:await|async|Promise|queueMicrotask)\b/g },
  { name: 'time', pattern: /\b(?:Date|performance|setTimeout|setInterval|setImmediate|clearTimeout|clearInterval)\b/g },
  { name: 'chance', pattern: /\bMath\s*\.\s*random\b|\b(?:randomBytes|randomInt|randomUUID|getRandomValues)\b/g },
  {
    name: 'surroundings',
    pattern: /\bprocess\s*\.|\bglobalThis\b|\bIntl\b|\btoLocale\w*|\blocaleCompare\b|\b(?:WeakRef|FinalizationRegistry)\b/g,
  },
  {
    name: 'float',
    // A fraction or a negative exponent, and what works on floats; of Math only what keeps an integer an integer.
    pattern:
      /(?<![\w.$])(?:\d[\d_]*\.\d|\.\d)|(?<![\w.$])\d[\d_.]*[eE]-\d|\b(?:parseFloat|toFixed|toPrecision|toExponential|Float32Array|Float64Array|[gs]etFloat(?:32|64)|EPSILON)\b|\bMath\s*\.\s*(?!(?:abs|clz32|floor|imul|max|min|sign|trunc|random)\b)\w+/g,
  },
];

/**
 * Words of time, chance, waiting, surroundings and floats at or below chain/.
 * @param {ReadonlyMap<string, string>} files sources by path from the project's folder
 * @returns {string[]} one line per problem
 */
export function determinismProblems(files) {
  const problems = [];
  for (const [path, source] of files) {
    if (!path.startsWith('src/') || !deterministicRooms.includes(roomOf(path))) continue;
    const code = codeOnly(source);
    for (const { name, pattern } of words.filter((word) => !isExcepted(path, word.name))) {
      for (const match of code.matchAll(pattern)) {
        problems.push(`${path}:${lineAt(code, match.index)}: ${match[0].trim()} (${name}) at or below chain/`);
      }
    }
  }
  return problems;
}

/** @param {string} path @param {string} word */
function isExcepted(path, word) {
  return determinismExceptions.some(
    (exception) =>
      exception.words.includes(word) && (path === exception.path || (exception.path.endsWith('/') && path.startsWith(exception.path))),
  );
}
