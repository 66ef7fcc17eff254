import { readFileSync, writeFileSync } from 'node:fs';

/** Compiled code: its addresses, and the name of its function. */
interface Placed {
  readonly begin: number;
  readonly end: number;
  readonly name: string;
}

/**
 * Leaves of V8's file of symbols only code that is still there. V8 adds a line whenever it places code and takes none
 * away, so an address has the names of all that ever stood there, and perf takes one of them.
 */
export function keepNewestSymbols(path: string): void {
  const text = newestSymbols(readFileSync(path, 'utf8'));
  writeFileSync(path, text);
}

/** The same for the text of such a file, sorted by address. */
export function newestSymbols(text: string): string {
  const newestFirst = text.split('\n').flatMap(parseLine).toReversed();
  // Pages of code, so that each piece is compared with its neighbours alone.
  const pages = new Map<number, Placed[]>();
  const kept = newestFirst.filter((placed) => {
    const spanned = pagesOf(placed).map((page) => pages.get(page) ?? setNew(pages, page));
    if (spanned.some((page) => page.some((other) => placed.begin < other.end && other.begin < placed.end)))
      return false;
    for (const page of spanned) page.push(placed);
    return true;
  });
  return kept
    .toSorted((one, other) => one.begin - other.begin)
    .map(({ begin, end, name }) => `${begin.toString(16)} ${(end - begin).toString(16)} ${name}\n`)
    .join('');
}

const PAGE_BYTES = 4096;

function pagesOf({ begin, end }: Placed): number[] {
  const first = Math.floor(begin / PAGE_BYTES);
  return Array.from({ length: Math.floor((end - 1) / PAGE_BYTES) - first + 1 }, (_, at) => first + at);
}

function setNew(pages: Map<number, Placed[]>, page: number): Placed[] {
  const placed: Placed[] = [];
  pages.set(page, placed);
  return placed;
}

function parseLine(line: string): Placed[] {
  const [, begin, size, name] = /^([0-9a-f]+) ([0-9a-f]+) (.*)$/.exec(line) ?? [];
  if (begin === undefined || size === undefined || name === undefined) return [];
  const from = parseInt(begin, 16);
  const bytes = parseInt(size, 16);
  return bytes === 0 ? [] : [{ begin: from, end: from + bytes, name }];
}
