import type { Findable } from './search_index.ts';

const MOST_SHOWN = 12;

/** A field in the header that finds pages while one types: with arrows, Enter and Escape, and `/` from anywhere. */
export function startSearch(docs: URL): void {
  const place = document.querySelector<HTMLElement>('[data-search]');
  if (place === null) return;
  const input = element('input', {
    type: 'search',
    id: 'search',
    role: 'combobox',
    autocomplete: 'off',
    placeholder: 'Search',
  });
  const attributes = {
    'aria-label': 'Search the docs',
    'aria-expanded': 'false',
    'aria-controls': 'found',
    'aria-autocomplete': 'list',
  };
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
  const list = element('ul', { id: 'found', role: 'listbox', 'aria-label': 'Found' });
  list.hidden = true;
  place.append(input, list);
  place.hidden = false;
  new Search(docs, input, list);
}

class Search {
  readonly #docs: URL;
  readonly #input: HTMLInputElement;
  readonly #list: HTMLElement;
  #index: Promise<readonly Findable[]> | undefined;
  #chosen = 0;

  constructor(docs: URL, input: HTMLInputElement, list: HTMLElement) {
    this.#docs = docs;
    this.#input = input;
    this.#list = list;
    input.addEventListener('input', () => void this.#find());
    input.addEventListener('focus', () => void this.#find());
    input.addEventListener('keydown', (event) => this.#press(event));
    input.addEventListener('blur', () => this.#close());
    // A click on an entry would take the focus first.
    list.addEventListener('mousedown', (event) => event.preventDefault());
    document.addEventListener('keydown', (event) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.focus();
    });
  }

  async #find(): Promise<void> {
    const index = await (this.#index ??= this.#load());
    const query = this.#input.value;
    const found = search(index, query).slice(0, MOST_SHOWN);
    this.#list.replaceChildren(...found.map((entry, k) => this.#item(entry, k, namedPlace(entry, query))));
    this.#list.hidden = found.length === 0 && this.#input.value.trim() === '';
    if (found.length === 0 && !this.#list.hidden) {
      const nothing = element('li', { role: 'option', 'aria-disabled': 'true' });
      nothing.textContent = 'Nothing is called so';
      this.#list.replaceChildren(nothing);
    }
    this.#input.setAttribute('aria-expanded', String(!this.#list.hidden));
    this.#choose(0);
  }

  async #load(): Promise<readonly Findable[]> {
    const response = await fetch(new URL('search.json', this.#docs));
    return parseIndex(await response.text());
  }

  #item({ title, kind, path, about }: Findable, k: number, place: Place | undefined): HTMLElement {
    const item = element('li', { role: 'option', id: `found-${k}` });
    const to = place === undefined ? path : `${path}#${place.anchor}`;
    const link = element('a', { href: new URL(to, this.#docs).href, tabindex: '-1' });
    const [name, remark] = [element('strong', {}), element('span', {})];
    name.textContent = title;
    const words = place?.word ?? about;
    remark.textContent = words === '' ? kind : `${kind}: ${words}`;
    link.append(name, ' ', remark);
    item.append(link);
    return item;
  }

  #press(event: KeyboardEvent): void {
    const items = this.#list.children.length;
    if (event.key === 'ArrowDown') this.#choose((this.#chosen + 1) % Math.max(items, 1));
    else if (event.key === 'ArrowUp') this.#choose((this.#chosen + items - 1) % Math.max(items, 1));
    else if (event.key === 'Enter') this.#list.children[this.#chosen]?.querySelector('a')?.click();
    else if (event.key === 'Escape') this.#close();
    else return;
    event.preventDefault();
  }

  #choose(place: number): void {
    this.#chosen = place;
    for (const [k, item] of [...this.#list.children].entries()) item.setAttribute('aria-selected', String(k === place));
    const chosen = this.#list.children[place];
    if (chosen === undefined || this.#list.hidden) this.#input.removeAttribute('aria-activedescendant');
    else this.#input.setAttribute('aria-activedescendant', chosen.id);
    chosen?.scrollIntoView({ block: 'nearest' });
  }

  #close(): void {
    this.#list.hidden = true;
    this.#input.setAttribute('aria-expanded', 'false');
    this.#input.removeAttribute('aria-activedescendant');
  }
}

function splitQuery(query: string): readonly string[] {
  return query
    .toLowerCase()
    .split(/[\s_.]+/)
    .filter((word) => word !== '');
}

interface Place {
  readonly word: string;
  readonly anchor: string;
}

/** The heading or row of a page that has all the words of a query; none where the title has them. */
function namedPlace({ title, words, anchors = [] }: Findable, query: string): Place | undefined {
  const wanted = splitQuery(query);
  if (wanted.every((word) => beginsPart(title, word))) return undefined;
  const isNamed = (each: string): boolean => wanted.every((word) => beginsPart(each, word));
  const exact = words.findIndex((each) => each.toLowerCase() === query.trim().toLowerCase());
  const place = exact < 0 ? words.findIndex(isNamed) : exact;
  const [word, anchor] = [words[place], anchors[place]];
  return word === undefined || anchor === undefined ? undefined : { word, anchor };
}

/** True if a name, or one of its parts, begins with a word. */
function beginsPart(name: string, word: string): boolean {
  const lower = name.toLowerCase();
  return lower.startsWith(word) || lower.split(/[\s_.-]+/).some((part) => part.startsWith(word));
}

/** Returns the pages that have all the words, matching titles first. */
function search(index: readonly Findable[], query: string): readonly Findable[] {
  const words = splitQuery(query);
  if (words.length === 0) return [];
  const scored = index.map((entry) => ({ entry, score: Math.min(...words.map((word) => matchScore(entry, word))) }));
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.entry.title.length - b.entry.title.length)
    .map(({ entry }) => entry);
}

function matchScore({ title, about, words }: Findable, word: string): number {
  const parts = title.toLowerCase().split(/[\s_.]+/);
  if (parts.includes(word)) return 5;
  if (parts.some((part) => part.startsWith(word))) return 4;
  if (title.toLowerCase().includes(word)) return 3;
  if (words.some((each) => beginsPart(each, word))) return 2;
  return about.toLowerCase().includes(word) ? 1 : 0;
}

function element<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Readonly<Record<string, string>>,
): HTMLElementTagNameMap[T] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function parseIndex(text: string): readonly Findable[];
function parseIndex(text: string): unknown {
  const index: unknown = JSON.parse(text);
  return index;
}
