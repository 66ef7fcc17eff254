import { isObject } from './finality.ts';
import { optionalNodePage } from './node_page.ts';

/** A page of the docs, as its index names it. */
export interface DocsPage {
  readonly title: string;
  readonly kind: string;
  /** Below `docs/`. */
  readonly path: string;
}

/** Shorter texts begin too many titles. */
const LEAST_LETTERS = 3;

/** Reads the index of the docs; nothing of what is none. */
export function readDocsIndex(json: unknown): readonly DocsPage[] {
  if (!Array.isArray(json)) return [];
  return json.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return [];
    const members = new Map<string, unknown>(Object.entries(entry));
    const [title, kind, path] = [members.get('title'), members.get('kind'), members.get('path')];
    return typeof title === 'string' && typeof kind === 'string' && typeof path === 'string'
      ? [{ title, kind, path }]
      : [];
  });
}

/** The pages with a word in their title that begins with each word of a text, the shortest title first. */
export function findDocsPages(index: readonly DocsPage[], text: string, most: number): readonly DocsPage[] {
  const words = titleWords(text);
  if (words.join('').length < LEAST_LETTERS) return [];
  return index
    .filter(({ title }) => words.every((word) => titleWords(title).some((each) => each.startsWith(word))))
    .toSorted((a, b) => a.title.length - b.title.length || (a.title < b.title ? -1 : 1))
    .slice(0, most);
}

function titleWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s_./:]+/)
    .filter((word) => word !== '');
}

let loaded: Promise<readonly DocsPage[]> | undefined;

/** The index of the docs, loaded when it is first needed. A proxy may not pass it on: then there are no pages. */
export async function docsIndex(): Promise<readonly DocsPage[]> {
  loaded ??= loadIndex();
  return await loaded;
}

async function loadIndex(): Promise<readonly DocsPage[]> {
  const pages = await optionalNodePage('Pages of the docs', 'docs/search.json', (json) =>
    isObject(json) ? readDocsIndex(json) : undefined,
  );
  if (pages === undefined) loaded = undefined;
  return pages ?? [];
}
