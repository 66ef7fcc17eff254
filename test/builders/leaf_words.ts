import type { Digest } from '../../src/values/hash.ts';
import { wordsOfLeaves } from '../../src/wire/short_ids.ts';

/** The words of leaves as text, one behind the other. */
export function leafWords(leaves: readonly Digest[]): Int32Array {
  return wordsOfLeaves(Buffer.from(leaves.join(''), 'hex'));
}
