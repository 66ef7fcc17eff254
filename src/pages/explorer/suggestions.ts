import type { Client } from '../../client/index.ts';
import { docsIndex, findDocsPages, type DocsPage } from './docs_pages.ts';
import { isObject, optionalNodePage } from './node_page.ts';
import { viewLink } from './router.ts';
import { listMeanings } from '../../client/search_terms.ts';
import { unlessRefused } from './unless_refused.ts';
import { countText } from '../../values/words.ts';

const MOST = 6;
const MOST_PAGES = 4;

/** A place that what somebody has typed may mean. */
export interface Suggestion {
  readonly kind: 'account' | 'witness' | 'application' | 'block' | 'transaction' | 'documents' | 'docs page';
  /** The text that searches for it. */
  readonly name: string;
  readonly link: string;
}

/**
 * Accounts, witnesses and applications by the beginning of their names, blocks by their numbers, transactions by the
 * first digits of their ids, documents by an account or an application, and pages of the docs.
 */
export async function listSuggestions(client: Client, typed: string, head: number): Promise<readonly Suggestion[]> {
  const text = typed.trim();
  if (text === '') return [];
  const [accounts, ids, pages] = await Promise.all([
    nameSuggestions(client, documentsName(text) ?? text),
    shortIdSuggestions(client, text),
    docsIndex().then((index) => findDocsPages(index, text, MOST_PAGES).map(pageSuggestion)),
  ]);
  const isOfDocuments = documentsName(text) !== undefined;
  const names = isOfDocuments ? [] : accounts;
  return [...blockSuggestions(text, head), ...ids, ...names, ...documentSuggestions(accounts, isOfDocuments), ...pages];
}

/** Names in small letters, as names are. Each is told once: a witness is an account, too. */
async function nameSuggestions(client: Client, typed: string): Promise<readonly Suggestion[]> {
  const start = typed.trim().replace(/^@\s*/, '').toLowerCase();
  if (start === '') return [];
  const params = { start, limit: MOST, order: 'by_name' };
  const [accounts, witnesses, applications] = await Promise.all([
    unlessRefused(async () => (await client.call('database_api.list_accounts', params)).accounts),
    unlessRefused(async () => (await client.call('database_api.list_witnesses', params)).witnesses),
    unlessRefused(async () => (await client.call('database_api.list_applications', params)).applications),
  ]);
  // No name begins with a text that can be none.
  const owners = new Set(witnesses?.map(({ owner }) => owner));
  return [
    ...(accounts ?? []).map(({ name }): Suggestion => {
      return { kind: owners.has(name) ? 'witness' : 'account', name, link: viewLink('account', name) };
    }),
    ...(applications ?? []).map(({ name }): Suggestion => {
      return { kind: 'application', name, link: viewLink('application', name) };
    }),
  ].filter(({ name }) => name.startsWith(start));
}

function blockSuggestions(text: string, head: number): readonly Suggestion[] {
  return listMeanings(text, '\0').flatMap((meaning): Suggestion[] =>
    meaning.kind === 'block' && meaning.number >= 1 && meaning.number <= head
      ? [{ kind: 'block', name: `Block ${countText(meaning.number)}`, link: viewLink('block', meaning.number) }]
      : [],
  );
}

/** `documents of dave`, or a beginning of it. */
function documentsName(text: string): string | undefined {
  return /^documents?\s+(?:(?:of|for|by)\s+)?(\S+)$/i.exec(text)?.[1];
}

/** Those of the likeliest name, beside it, or of all when documents are what is typed; of each name once. */
function documentSuggestions(names: readonly Suggestion[], isOfDocuments: boolean): readonly Suggestion[] {
  const different = names.filter(({ name }, place) => names.findIndex((each) => each.name === name) === place);
  return different.slice(0, isOfDocuments ? MOST : 1).map(({ kind, name, link }) => {
    const place = kind === 'application' ? link : viewLink('account', name, 'documents');
    return { kind: 'documents', name: `Documents of ${name}`, link: place };
  });
}

function pageSuggestion({ title, path }: DocsPage): Suggestion {
  return { kind: 'docs page', name: title, link: `docs/${path}` };
}

/** Transactions by eight digits or more of their ids. */
async function shortIdSuggestions(client: Client, text: string): Promise<readonly Suggestion[]> {
  const short = listMeanings(text, client.symbols.keyPrefix).find((meaning) => meaning.kind === 'short_id');
  if (short === undefined) return [];
  const ids = await findShortIds(short.digits);
  return ids.map((id): Suggestion => ({ kind: 'transaction', name: id, link: viewLink('transaction', id) }));
}

/** Ids of transactions that begin with these digits. A proxy may not pass the page on: then there are none. */
export async function findShortIds(digits: string): Promise<readonly string[]> {
  return (
    (await optionalNodePage(
      'Transactions by the first digits of their ids',
      `chain/transactions/${digits}.json`,
      readIds,
    )) ?? []
  );
}

function readIds(json: unknown): readonly string[] | undefined {
  return isObject(json) && Array.isArray(json.ids) ? json.ids.filter((id) => typeof id === 'string') : undefined;
}
