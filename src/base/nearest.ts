/** The candidate that is fewest edits away from a word: what somebody who mistyped may have meant. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates.map((candidate) => ({ candidate, distance: editDistance(word, candidate, Infinity) }));
  return ranked.toSorted((a, b) => a.distance - b.distance)[0]?.candidate;
}

/** How many edits may lie between a mistyped name and the one that was meant; in a short name fewer. */
const MOST_EDITS = 3;
const LETTERS_AN_EDIT = 3;
/** A longer name is no mistyped one of ours. */
const LONGEST_NAME = 64;

/** The same for words that strangers choose: only a candidate that is near, found in some ten microseconds whatever the word is. */
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
 * How many insertions, deletions and replacements turn one word into the other (Levenshtein); when they are more than `most`, Infinity.
 * Only what so few edits can reach is looked at.
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

/** What lies between the common beginning and the common end of two words. */
function withoutCommonEnds(a: string, b: string): [string, string] {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}
