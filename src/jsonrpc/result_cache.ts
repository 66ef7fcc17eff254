import type { Dialect } from './dialect.ts';
import type { Method } from './method.ts';

/** Result texts of one version of the committed state; a response is made by putting the id of the call around one. */
export class ResultCache {
  readonly #texts = new Map<Dialect, Map<Method<never>, Map<string, string>>>();
  #version = -1;
  #characters = 0;

  /** The result text for these params at this version. Texts of another version are dropped. */
  get(version: number, dialect: Dialect, method: Method<never>, params: string): string | undefined {
    if (version !== this.#version) this.#startAt(version);
    return this.#texts.get(dialect)?.get(method)?.get(params);
  }

  /** Keeps a text that was made at this version. When the cache is full it takes no more: the next block empties it. */
  keep(version: number, dialect: Dialect, method: Method<never>, params: string, text: string): void {
    const characters = this.#characters + text.length + params.length + ENTRY_CHARACTERS;
    if (version !== this.#version || text.length > LARGEST_TEXT || characters > MOST_CHARACTERS) return;
    this.#characters = characters;
    const ofDialect = this.#texts.get(dialect) ?? new Map<Method<never>, Map<string, string>>();
    const ofMethod = ofDialect.get(method) ?? new Map<string, string>();
    this.#texts.set(dialect, ofDialect);
    ofDialect.set(method, ofMethod);
    ofMethod.set(params, text);
  }

  #startAt(version: number): void {
    this.#version = version;
    if (this.#characters === 0) return;
    this.#texts.clear();
    this.#characters = 0;
  }
}

/** Longer params come from a single client; looking them up would cost more than it saves. */
export const LONGEST_CACHED_PARAMS = 256;
/** A page of records; a larger one is seldom requested twice within a block. */
const LARGEST_TEXT = 64 * 1024;
/** Many times everything that clients of a busy node poll. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
/** The memory of an entry besides its texts. */
const ENTRY_CHARACTERS = 100;
