/** A header's name and value. */
export type Header = readonly [string, string];

/** Stands for the pages of this machine among the origins that are served. */
export const OWN_MACHINE = 'localhost';

/** A page that a development server on this machine shows, whatever its port. */
const ownMachine = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

const NO_HEADERS: readonly Header[] = [];
const preflight: readonly Header[] = [
  ['Access-Control-Allow-Methods', 'POST, GET, OPTIONS'],
  ['Access-Control-Allow-Headers', 'Content-Type, X-Pharos-Min-Head'],
  ['Access-Control-Expose-Headers', 'X-Pharos-Head'],
  ['Access-Control-Max-Age', '86400'],
];

/**
 * The web pages that may call. Browsers name a page in `Origin`; those that are not served reach no method at all,
 * because a plain POST takes effect even where its page can't read the answer.
 */
export class Origins {
  readonly #served: ReadonlySet<string>;
  readonly #servesAll: boolean;
  readonly #servesOwnMachine: boolean;
  /** The headers for the page that was answered last: one page makes many calls. */
  #lastOrigin = '';
  #lastHeaders = NO_HEADERS;

  /** `*` serves all pages, `localhost` those of this machine; none are served when the list is empty. */
  constructor(served: readonly string[]) {
    this.#served = new Set(served);
    this.#servesAll = this.#served.has('*');
    this.#servesOwnMachine = this.#served.has(OWN_MACHINE);
    if (this.#servesAll) this.#lastHeaders = [['Access-Control-Allow-Origin', '*'], ...preflight];
  }

  /** True if a page other than our own may call. */
  get areServed(): boolean {
    return this.#served.size > 0;
  }

  /** `host` is the header of the same request: the node's own pages come from there. Programs send no Origin. */
  serves(origin: string, host: string): boolean {
    return (
      origin === '' || this.#names(origin) || origin.toLowerCase().replace(/^[a-z]+:\/\//, '') === host.toLowerCase()
    );
  }

  /** Headers with which the browser shows the answer to the page. */
  headersFor(origin: string): readonly Header[] {
    if (this.#servesAll) return this.#lastHeaders;
    if (origin === '' || this.#served.size === 0) return NO_HEADERS;
    if (origin === this.#lastOrigin) return this.#lastHeaders;
    if (!this.#names(origin)) return NO_HEADERS;
    this.#lastOrigin = origin;
    this.#lastHeaders = [['Access-Control-Allow-Origin', origin], ['Vary', 'Origin'], ...preflight];
    return this.#lastHeaders;
  }

  #names(origin: string): boolean {
    return this.#servesAll || this.#served.has(origin) || (this.#servesOwnMachine && ownMachine.test(origin));
  }
}
