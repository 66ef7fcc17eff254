import { isObject, optionalNodePage } from './node_page.ts';

/** A page of the docs, as its index names it. */
export interface DocsPage {
  readonly title: string;
  readonly kind: string;
  /** Below `docs/`. */
  readonly path: string;
}

/** Shorter texts begin too many titles. */
const LEAST_LETTERS = 3;

/** Reads the index of the docs; undefined for what is none. */
export function readDocsIndex(json: unknown): readonly DocsPage[] | undefined {
  return Array.isArray(json) ? json.filter(isDocsPage) : undefined;
}

function isDocsPage(value: unknown): value is DocsPage {
  return isObject(value) && [value.title, value.kind, value.path].every((member) => typeof member === 'string');
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
  const pages = await optionalNodePage('Pages of the docs', 'docs/search.json', readDocsIndex);
  if (pages === undefined) loaded = undefined;
  return pages ?? [];
}
