import { lineAt } from './source_text.js';

/** Who may read base64 leniently, and why. */
const lenientReaders = new Map([
  ['src/crypto/base64m.ts', 'it is the decoder of names'],
  ['src/values/base64_data.ts', 'it checks every character first, and follows the lineage where the chain does'],
  ['src/crypto/leaked_keys.ts', 'it looks for keys in texts of any kind'],
  ['src/rpc/notices/position.ts', 'it checks what it has read'],
]);

const LENIENT = /\bbase64mDecode\b|,\s*'base64(?:url)?'\s*\)/g;
/**
 * Decoders of base64 that skip a foreign character or stop at it: the rest of the data is lost without a word. Data are read by
 * values/base64_data.ts.
 * @param {ReadonlyMap<string, string>} files sources by path from the project's folder
 * @returns {string[]} one line per problem
 */
export function decoderProblems(files) {
  const problems = [];
  for (const [path, source] of files) {
    if (!path.startsWith('src/') || path.startsWith('src/codec/portable/') || lenientReaders.has(path)) continue;
    for (const match of source.matchAll(LENIENT)) {
      problems.push(`${path}:${lineAt(source, match.index)}: a lenient decoder of base64; decode data with values/base64_data.ts`);
    }
  }
  return problems;
}
