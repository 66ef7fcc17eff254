import { quoted, Refusal } from '../base/refusal.ts';
import type { Json } from './json.ts';

/** In wallet import format: what stands in the wrong member must not end in somebody's log. */
const PRIVATE_KEY = /^(?:5|[KL][1-9A-HJ-NP-Za-km-z])[1-9A-HJ-NP-Za-km-z]{50}$/;
const SHOWN_CHARACTERS = 60; // enough to recognise a value, too little to fill a log

/** A JSON value that does not fit its type. `path` leads to it; enclosing codecs complete the path on the way out. */
export class DecodeError extends Refusal {
  readonly #reason: string;
  path = '';

  constructor(reason: string) {
    super('bad_value', reason);
    this.#reason = reason;
  }

  /** Says that the value is a member or an element of something larger. */
  within(step: string | number): this {
    const own = typeof step === 'number' ? `[${step}]` : step;
    const dot = this.path === '' || this.path.startsWith('[') ? '' : '.';
    this.path = `${own}${dot}${this.path}`;
    this.message = `${this.path}: ${this.#reason}`;
    return this;
  }
}

/** Throws the mismatch of a value that is not what was expected. */
export function mismatch(expected: string, got: Json | undefined): never {
  throw new DecodeError(`${expected} expected, got ${shownJson(got)}`);
}

/** Runs `read` on a part of a value, and names the part in what it refuses. */
export function inMember<T>(step: string | number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeError) error.within(step);
    throw error;
  }
}

/** A value as a refusal shows it: enough of it to recognise it. */
export function shownJson(json: Json | undefined): string {
  if (json === undefined) return 'nothing';
  if (Array.isArray(json)) return 'an array';
  if (typeof json === 'object' && json !== null) return 'an object';
  if (typeof json === 'string' && looksLikePrivateKey(json)) return 'what looks like a private key';
  const text = typeof json === 'string' ? quoted(json) : String(json);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}

/** Whether a text has the form of a private key for import into a wallet, be it of one or not. */
export function looksLikePrivateKey(text: string): boolean {
  return PRIVATE_KEY.test(text);
}
