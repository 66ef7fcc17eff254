import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { acceptedCoding } from '../../jsonrpc/http/compression.ts';
import type { Header } from '../../jsonrpc/http/origins.ts';
import { builtFile } from '../../base/built_file.ts';
import type { Page, PageRequestSource } from '../../jsonrpc/http/http_server.ts';
import { toMembers } from '../../system/json_members.ts';

/** The folder of the pages that set-up writes. The program lies as deep below build/ as what is compiled. */
export const PAGES_FOLDER = builtFile('pages/');

/** A file below the folder of pages, as set-up lists it. */
interface ListedFile {
  readonly type: string;
  readonly tag: string;
  /** Its name changes with its content. */
  readonly isImmutable: boolean;
}

type FileList = Readonly<Record<string, ListedFile>>;

/** The endings of the files that set-up has packed so. */
const endings = { br: '.br', gzip: '.gz' } as const;

/**
 * Scripts, styles and calls come from this node and from nowhere else, and what strangers wrote into the chain can't
 * run, whatever a page does with it. WebSockets of the same place are `self`.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const always: readonly Header[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Vary', 'Accept, Accept-Encoding'],
];

/**
 * The pages that a browser is shown: files that set-up has made and packed. Nothing is read before the first of them is
 * asked for, and only what is on set-up's list, so no path leads out of the folder.
 */
export class BrowserPages {
  readonly #folder: URL;
  #list: FileList | undefined;
  /** Few files, of which the list is the limit. */
  readonly #bodies = new Map<string, Promise<Uint8Array>>();

  constructor(folder: URL) {
    this.#folder = folder;
  }

  /**
   * The page of that path; undefined where there is none. At `/` only who accepts HTML is shown one: programs that mean
   * to call are told how.
   */
  page(path: string, requestSource: PageRequestSource): Promise<Page> | Page | undefined {
    if (path === '/' && !requestSource.accept.includes('text/html')) return undefined;
    const list = (this.#list ??= readFileList(this.#folder));
    const name = path.endsWith('/') ? `${path.slice(1)}index.html` : path.slice(1);
    if (Object.hasOwn(list, name)) return this.#file(name, list[name], requestSource);
    // Relative, so that it is right behind a proxy that has a path of its own for this node.
    return Object.hasOwn(list, `${name}/index.html`) ? redirect(`${name.split('/').at(-1)}/`) : undefined;
  }

  #file(
    name: string,
    file: ListedFile | undefined,
    { acceptEncoding, ifNoneMatch }: PageRequestSource,
  ): Promise<Page> | Page | undefined {
    if (file === undefined) return undefined;
    const { type, tag, isImmutable } = file;
    const headers: Header[] = [
      ...always,
      ['ETag', tag],
      ['Cache-Control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache'],
    ];
    if (type.startsWith('text/html')) headers.push(['Content-Security-Policy', POLICY]);
    if (ifNoneMatch.split(',').some((each) => each.trim() === tag))
      return { status: 304, contentType: type, body: '', headers };
    const coding = acceptedCoding(acceptEncoding);
    if (coding !== undefined) headers.push(['Content-Encoding', coding]);
    return this.#body(name + (coding === undefined ? '' : endings[coding])).then(
      (body) => ({ status: 200, contentType: type, body, headers }),
      () => this.#changed(name),
    );
  }

  /** Set-up has made others while this node runs. Those are shown from now on. */
  #changed(name: string): Page {
    this.#list = undefined;
    this.#bodies.clear();
    return { status: 503, contentType: 'text/plain', body: `${name} is no longer there: load the page anew` };
  }

  #body(name: string): Promise<Uint8Array> {
    const known = this.#bodies.get(name);
    if (known !== undefined) return known;
    const body = readFile(new URL(name, this.#folder));
    this.#bodies.set(name, body);
    body.catch(() => this.#bodies.delete(name));
    return body;
  }
}

function redirect(location: string): Page {
  return { status: 308, contentType: 'text/plain', body: location, headers: [['Location', location]] };
}

/** Empty where there are no pages: the node does all else without. */
function readFileList(folder: URL): FileList {
  try {
    const list: unknown = JSON.parse(readFileSync(new URL('list.json', folder), 'utf8'));
    return isList(list) ? list : {};
  } catch {
    return {};
  }
}

function isList(value: unknown): value is FileList {
  const files = toMembers(value);
  return files !== undefined && Object.values(files).every(isListedFile);
}

function isListedFile(value: unknown): value is ListedFile {
  const { type, tag, isImmutable } = toMembers(value) ?? {};
  return typeof type === 'string' && typeof tag === 'string' && typeof isImmutable === 'boolean';
}
