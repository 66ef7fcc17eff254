import { textBytes } from '../codec/bytes.ts';
import { copying, type Codec, type JsonSchema } from '../codec/codec.ts';
import { plainText, writing } from '../codec/json_text.ts';
import type { KeyPart } from '../codec/key.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { DecodeError, mismatch, shownJson } from '../codec/decode_error.ts';
import { ripemd160Base64Url } from '../crypto/hashes.ts';

/**
 * An account name is not text but at most 24 bytes, written in URL-safe base64 (wire_format.md#account-names). Here it
 * is always the canonical text: characters of the alphabet only, at most 32 of them, no trailing `A`. Two names are
 * equal when their canonical texts are.
 */
export type AccountName = string;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const LONGEST_NAME = 32; // characters; 24 bytes
const MOST_ZEROS = 224; // written behind a name, of which they are no part; a name in 256 characters is a mistake
const NAME_BYTES = 24;
const CANONICAL = /^(?:[A-Za-z0-9_-]{0,31}[B-Zb-z0-9a_-])?$/;

const DIGITS = new Int8Array(128).fill(-1);
for (const [digit, character] of [...ALPHABET].entries()) DIGITS[character.charCodeAt(0)] = digit;
DIGITS['+'.charCodeAt(0)] = 62;
DIGITS['/'.charCodeAt(0)] = 63;

/** The wire character for each character of a canonical name; -1 for all other bytes. */
const WIRE_CHARACTERS = new Int16Array(256).fill(-1);
for (const character of ALPHABET) WIRE_CHARACTERS[character.charCodeAt(0)] = onWire(character).charCodeAt(0);

/** The canonical character for each wire character, in either spelling; 0 for all other bytes. */
const NAME_CHARACTERS = Uint8Array.from({ length: 256 }, (_, code) => ALPHABET.charCodeAt(DIGITS[code] ?? -1) || 0);

/** The name that a text denotes; undefined for a text that consists only of `A`, which the lineage cannot print. */
export function canonicalName(text: string): AccountName | undefined {
  if (CANONICAL.test(text)) return text;
  const digits = readDigits(text);
  const name = stripZeros(digits);
  return name === '' && digits !== '' ? undefined : name;
}

const FOREIGN = /[^A-Za-z0-9_+/-]/u;

/**
 * Refuses a text that is not a name to its last character: read only in part, it would be the name of another account.
 */
function requireNameToTheEnd(text: string): void {
  const foreign = FOREIGN.exec(text);
  if (foreign !== null) {
    const character = `character ${foreign.index + 1} is ${JSON.stringify(foreign[0])}`;
    throw new DecodeError(`${shownJson(text)} is no account name: ${character}, and names have A-Z a-z 0-9 - _ only`);
  }
  const { length } = stripZeros(text);
  if (length > LONGEST_NAME)
    throw new DecodeError(
      `${shownJson(text)} is no account name: it has ${length} characters, and names at most ${LONGEST_NAME}`,
    );
  const zeros = text.length - length;
  if (zeros > MOST_ZEROS)
    throw new DecodeError(
      `${shownJson(text)} is no account name: ${zeros} times A stands behind it, and at most ${MOST_ZEROS} times may`,
    );
}

/** The name that a whole text denotes; undefined if it can't be a name. */
export function exactName(text: string): AccountName | undefined {
  return FOREIGN.test(text) || stripZeros(text).length > LONGEST_NAME ? undefined : canonicalName(text);
}

/** The characters up to the first invalid one, as base64 reads them: an incomplete last group loses its spare bits. */
function readDigits(text: string): string {
  let name = '';
  while (name.length < text.length && nameDigit(text, name.length) >= 0)
    name += ALPHABET.charAt(nameDigit(text, name.length));
  if (name.length === text.length) return name.slice(0, LONGEST_NAME);
  const spare = name.length % 4;
  if (spare === 0) return name.slice(0, LONGEST_NAME);
  const kept = name.slice(0, -1);
  if (spare === 1) return kept.slice(0, LONGEST_NAME);
  const unusedBits = spare === 2 ? 0b1111 : 0b11;
  return (kept + ALPHABET.charAt(nameDigit(name, name.length - 1) & ~unusedBits)).slice(0, LONGEST_NAME);
}

function nameDigit(text: string, index: number): number {
  return DIGITS[text.charCodeAt(index)] ?? -1;
}

function stripZeros(name: string): string {
  let end = name.length;
  while (end > 0 && name.charCodeAt(end - 1) === 65) end--;
  return name.slice(0, end);
}

/** Compares two canonical names by their 24 bytes: A–Z, a–z, 0–9, `-`, `_`; the end of a name counts as `A`. */
export function compareNames(a: AccountName, b: AccountName): number {
  const length = Math.max(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = Math.max(nameDigit(a, index), 0) - Math.max(nameDigit(b, index), 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The 24 bytes of a canonical name, zero-padded. */
export function nameBytes(name: AccountName): Uint8Array {
  return fillBytes(new Uint8Array(NAME_BYTES), name);
}

/**
 * Decodes by hand, because a transfer writes about ten keys and decoding base64 through a buffer costs half a
 * microsecond each.
 */
function fillBytes(bytes: Uint8Array, name: AccountName): Uint8Array {
  for (let from = 0, to = 0; to < NAME_BYTES; from += 4) {
    const group =
      (nameBits(name, from) << 18) |
      (nameBits(name, from + 1) << 12) |
      (nameBits(name, from + 2) << 6) |
      nameBits(name, from + 3);
    bytes[to++] = group >> 16;
    bytes[to++] = (group >> 8) & 0xff;
    bytes[to++] = group & 0xff;
  }
  return bytes;
}

/** The six bits of a character; zeros past the end. */
function nameBits(name: AccountName, index: number): number {
  return index < name.length ? (DIGITS[name.charCodeAt(index)] ?? 0) : 0;
}

/** The canonical name of 24 bytes. */
export function nameOfBytes(bytes: Uint8Array): AccountName {
  return stripZeros(Buffer.from(bytes).toString('base64url'));
}

/**
 * The account name that the chain derives from a seed: the ripemd160 of the seed (wire_format.md#names-from-seeds). The
 * zeros behind its 20 bytes are no part of the name.
 */
export function nameFromSeed(seed: string): AccountName {
  return stripZeros(ripemd160Base64Url(textBytes(seed)));
}

function onWire(name: string): string {
  return name.replaceAll('-', '+').replaceAll('_', '/');
}

/** On the wire a text with `+` and `/`, in JSON one with `-` and `_`; both spellings are accepted in both places. */
export const accountName: Codec<AccountName, string> = {
  write(out, name) {
    out.varint(name.length);
    out.latin1(name.includes('-') || name.includes('_') ? onWire(name) : name);
  },
  read(input) {
    const count = input.varint();
    // The fast path for nearly every name: authorities contain hundreds, and a regular expression takes three times as
    // long as the rest.
    const plain = count <= LONGEST_NAME ? input.mapped(count, NAME_CHARACTERS) : undefined;
    if (plain?.endsWith('A') === false) return plain;
    const name = canonicalName(plain ?? input.latin1(count));
    return name ?? input.refuse('an account name consists of nothing but A');
  },
  toJson: writing((name) => name, plainText),
  fromJson: copying(
    (json, { readsLineage = false }) => {
      if (typeof json !== 'string') return mismatch('an account name', json);
      if (!readsLineage) requireNameToTheEnd(json);
      return canonicalName(json) ?? mismatch('an account name that is not all A', json);
    },
    (from, out) => {
      if (!from.text()) return false;
      const { bytes, textStart, textEnd } = from;
      const length = textEnd - textStart;
      // A canonical name does not end in `A`; all others have to be made canonical.
      if (length > LONGEST_NAME || (length > 0 && bytes[textEnd - 1] === 0x41)) return false;
      out.varint(length);
      return out.mapped(bytes, textStart, textEnd, WIRE_CHARACTERS);
    },
  ),
  initial: () => '',
  describe: (encoding) => describeName(encoding, '^[A-Za-z0-9_-]{0,32}$', `^(?:${GIVEN_NAME})?$`, 'account name'),
};

/** Both spellings of the last two digits; `A` at the end is no part of a name. */
const GIVEN_NAME = `[A-Za-z0-9_+/-]{0,31}[B-Zb-z0-9a_+/-]A{0,${MOST_ZEROS}}`;

/** A name as it is written, or as it is read. The lineage reads the valid beginning of any text. */
function describeName(
  { describesGiven = false, readsLineage = false }: EncodingOptions,
  shown: string,
  given: string,
  what: string,
): JsonSchema {
  if (describesGiven && readsLineage) return { type: 'string', description: what };
  return { type: 'string', pattern: describesGiven ? given : shown, description: what };
}

/** The name of an account that must be given: for members where the empty name (no account) makes no sense. */
export const givenName: Codec<AccountName, string> = {
  ...accountName,
  fromJson: (json, encoding) =>
    json === '' && encoding.readsLineage !== true
      ? mismatch('the name of an account', json)
      : accountName.fromJson(json, encoding),
  describe: (encoding) =>
    describeName(encoding, '^[A-Za-z0-9_-]{1,32}$', `^${GIVEN_NAME}$`, 'account name, not the empty one'),
};

const scratch = new Uint8Array(NAME_BYTES);

/** Sorts names by their 24 bytes. */
export const nameKey: KeyPart<AccountName> = {
  byteLength: NAME_BYTES,
  write: (out, name) => out.bytes(fillBytes(scratch, name)),
  read: (input) => nameOfBytes(input.bytes(NAME_BYTES)),
};

/**
 * Sorts short names first: a transaction that names many accounts has short names, which are then adjacent whatever
 * others exist.
 */
export const shortNameKey: KeyPart<AccountName> = {
  byteLength: 'variable',
  write(out, name) {
    out.u8(name.length);
    out.latin1(name);
  },
  read: (input) => input.latin1(input.u8()),
};

const LABEL = /^[a-z][a-z0-9-]+[a-z0-9]$/;

/** The stricter rule for names in authorities: 3 to 16 characters, labels of lower-case letters, digits and `-`. */
export function isPlainName(name: AccountName): boolean {
  return name.length >= 3 && name.length <= 16 && name.split('.').every((label) => LABEL.test(label));
}
