/** The candidate with the smallest edit distance to a word: the likely intention behind a typing error. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates.map((candidate) => ({ candidate, distance: editDistance(word, candidate, Infinity) }));
  return ranked.toSorted((a, b) => a.distance - b.distance)[0]?.candidate;
}

/** Maximum number of edits between a mistyped name and the intended one; fewer for short names. */
const MOST_EDITS = 3;
const LETTERS_AN_EDIT = 3;
/** A longer name can't be a mistyped known name. */
const LONGEST_NAME = 64;

/**
 * The same for untrusted words: only returns a close candidate, and takes about ten microseconds whatever the word is.
 */
export function nearby(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST_NAME) return undefined;
  let found: string | undefined;
  let most = Math.min(MOST_EDITS, Math.trunc(word.length / LETTERS_AN_EDIT));
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate, most);
    if (distance > most || (distance === most && found !== undefined)) continue;
    found = candidate;
    most = distance;
  }
  return found;
}

/**
 * Returns the number of insertions, deletions and replacements that turn one word into the other (Levenshtein);
 * Infinity if more than `most`. Only cells within that many edits are computed.
 */
function editDistance(wholeA: string, wholeB: string, most: number): number {
  if (Math.abs(wholeA.length - wholeB.length) > most) return Infinity;
  const [a, b] = withoutCommonEnds(wholeA, wholeB);
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const from = Math.max(1, row - most);
    const to = Math.min(b.length, row + most);
    const current: number[] = [];
    let least = from === 1 ? row : Infinity;
    current[from - 1] = least;
    for (let column = from; column <= to; column++) {
      const replaced = (above[column - 1] ?? Infinity) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const edits = Math.min(replaced, (above[column] ?? Infinity) + 1, (current[column - 1] ?? Infinity) + 1);
      current[column] = edits;
      if (edits < least) least = edits;
    }
    if (least > most) return Infinity;
    above = current;
  }
  const edits = above[b.length] ?? Infinity;
  return edits > most ? Infinity : edits;
}

/** The two words without their common prefix and suffix. */
function withoutCommonEnds(a: string, b: string): [string, string] {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}
