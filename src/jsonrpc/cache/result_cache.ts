import type { Dialect } from '../envelope/dialect.ts';
import type { Method } from '../envelope/method.ts';

/** Result texts of one version of the committed state; a response is made by putting the id of the call around one. */
export class ResultCache {
  readonly #texts = new Map<Dialect, Map<Method<never>, Map<string, string>>>();
  /**
   * Hashes of params that were asked for lately, each in the slot that it leads to: of other blocks too, so that what
   * is polled stays known.
   */
  readonly #asked = new Int32Array(ASKED_SLOTS);
  #version = -1;
  #characters = 0;
  #count = 0;

  /** The result text for these params at this version. Texts of another version are dropped. */
  get(version: number, dialect: Dialect, method: Method<never>, params: string): string | undefined {
    if (version !== this.#version) this.#startAt(version);
    return this.#texts.get(dialect)?.get(method)?.get(params);
  }

  /**
   * Keeps a text that was made at this version. When the cache is full it takes no more: the next block empties it.
   * Among many, it takes only what was asked for before: of a million accounts most are asked for once, and the
   * collector would copy their texts twice for nothing.
   */
  keep(version: number, dialect: Dialect, method: Method<never>, params: string, text: string): void {
    if (this.#count >= FEW && !this.#wasAsked(params)) return;
    const characters = this.#characters + text.length + params.length + ENTRY_CHARACTERS;
    if (version !== this.#version || text.length > LARGEST_TEXT || characters > MOST_CHARACTERS) return;
    this.#characters = characters;
    this.#count++;
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
    this.#count = 0;
  }

  /**
   * Notes these params, and returns whether a call had them lately. Others may share their hash, which costs no more
   * than their text.
   */
  #wasAsked(params: string): boolean {
    const hash = hashText(params);
    const slot = hash & (ASKED_SLOTS - 1);
    const wasAsked = this.#asked[slot] === hash;
    this.#asked[slot] = hash;
    return wasAsked;
  }
}

/** FNV-1a: that callers can make others collide gains them nothing. */
function hashText(text: string): number {
  let hash = 0x811c_9dc5 | 0;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  return hash ^ (hash >>> 15);
}

/** Longer params come from a single client; looking them up would cost more than it saves. */
export const LONGEST_CACHED_PARAMS = 256;
/** A page of records; a larger one is seldom requested twice within a block. */
const LARGEST_TEXT = 64 * 1024;
/** This many texts are kept at first: the garbage collector doesn't notice them. */
const FEW = 256;
/** A power of two: 64 KiB, many times the different calls that clients poll. */
const ASKED_SLOTS = 16_384;
/** Many times everything that clients of a busy node poll. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
/** The memory of an entry besides its texts. */
const ENTRY_CHARACTERS = 100;
