import { quoted, Refusal } from '../base/refusal.ts';
import type { Json } from './json.ts';

/** Wallet import format: a private key given in the wrong member must not end up in a log. */
const PRIVATE_KEY = /^(?:5|[KL][1-9A-HJ-NP-Za-km-z])[1-9A-HJ-NP-Za-km-z]{50}$/;
const SHOWN_CHARACTERS = 60; // enough to recognise a value, too little to fill a log

/**
 * A JSON value that does not match its type. `path` locates it; enclosing codecs extend the path as the error
 * propagates.
 */
export class DecodeError extends Refusal {
  readonly #reason: string;
  path = '';

  constructor(reason: string) {
    super('bad_value', reason);
    this.#reason = reason;
  }

  /** Prefixes the path with the enclosing member or element. */
  within(step: string | number): this {
    const own = typeof step === 'number' ? `[${step}]` : step;
    const dot = this.path === '' || this.path.startsWith('[') ? '' : '.';
    this.path = `${own}${dot}${this.path}`;
    this.message = `${this.path}: ${this.#reason}`;
    return this;
  }
}

/** Throws a DecodeError for a value that is not what was expected. */
export function mismatch(expected: string, got: Json | undefined): never {
  throw new DecodeError(`${expected} expected, got ${shownJson(got)}`);
}

/** Runs `read` on a part of a value and adds the part to the path of its errors. */
export function inMember<T>(step: string | number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) error.within(step);
    throw error;
  }
}

/** A value as a refusal shows it: long enough to be recognised. */
export function shownJson(json: Json | undefined): string {
  if (json === undefined) return 'nothing';
  if (Array.isArray(json)) return 'an array';
  if (typeof json === 'object' && json !== null) return 'an object';
  if (typeof json === 'string' && looksLikePrivateKey(json)) return 'what looks like a private key';
  const text = typeof json === 'string' ? quoted(json) : String(json);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

/** True when a text has the form of a private key in wallet import format, valid or not. */
export function looksLikePrivateKey(text: string): boolean {
  return PRIVATE_KEY.test(text);
}
