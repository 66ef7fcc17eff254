import { forbiddenWords } from '../layers.js';
import { lineAt } from './source_text.js';

// The list of the words and the test of the list contain them.
const exempt = new Set(['scripts/layers.js', 'test/scripts/rules.test.ts']);

/**
 * Words that don't belong into the repository.
 * @param {ReadonlyMap<string, string>} files texts by path from the project's folder
 * @returns {string[]} one line per problem
 */
export function wordProblems(files) {
  const problems = [];
  for (const [path, text] of files) {
    if (exempt.has(path)) continue;
    for (const { pattern, why, only = '', except = [] } of forbiddenWords) {
      if (!path.startsWith(only) || except.some((part) => path.includes(part))) continue;
      const match = pattern.exec(text);
      if (match !== null) problems.push(`${path}:${lineAt(text, match.index)}: “${match[0]}” (${why})`);
    }
  }
  return problems;
}
