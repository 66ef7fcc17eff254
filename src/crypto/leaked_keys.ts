import { base58Decode } from './base58.ts';
import { secretOfSeed } from './brain_key.ts';
import { sha256 } from './hashes.ts';
import { decodeWif } from './wif.ts';

// Real ones have 111 or 112 characters; the limit keeps a hostile text from taking time.
const LONGEST_EXTENDED_KEY = 120;
const EXTENDED_KEY_BYTES = 78;
const CHECKSUM_BYTES = 4;
const SECRET_BYTES = 32;
const SECRET_DIGITS = 64;

/**
 * The 37 bytes of a WIF take one digit each if all are zero; otherwise more. No other spelling of a key is as short.
 */
export const SHORTEST_SPELLING = 37;
/** 32 bytes take 43 characters of base64, 51 of base58 as a WIF and 64 of hex. */
const SHORTEST_PART = 43;
/**
 * Places of a transaction where a checksum is tried, 7 µs each, and keys without a checksum, 4 µs each when a batch
 * derives them together. So a hostile transaction costs half a millisecond more; the dearest takes 20 ms.
 */
const [MOST_PLACES, MOST_RAW_KEYS] = [48, 64];
/**
 * Places overlap. In arbitrary base58 one character in 28 begins a place, and one in 24 keeps a hostile text as cheap
 * as memos of its size.
 */
const CHARACTERS_OF_PLACE = 24;
const PLACES_OF_RUN = 3;
/** More keys than one account names. A text with a right checksum this often is a dump of a wallet. */
export const MOST_WIFS = 8;

/** For each ASCII character 1 when the set has it, otherwise 0. */
const characterSet = (set: RegExp): Uint8Array =>
  Uint8Array.from({ length: 128 }, (_, code) => (set.test(String.fromCodePoint(code)) ? 1 : 0));
/** The characters of keys in all spellings. */
const keyDigits = characterSet(/[0-9A-Za-z+/_-]/);
const base58Digits = characterSet(/[1-9A-HJ-NP-Za-km-z]/);
const hexDigits = characterSet(/[0-9a-fA-F]/);
/** WIFs may overlap in a hostile text. Compressed ones have 52 characters and begin with K or L. */
const WIF = /(?=(5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51}))/g;
const WIF_DIGITS = 51;
const WIF_VERSION = 0x80;

/**
 * The private keys that a text reveals: those that stand anywhere in it, and those that the lineage makes with the text
 * as an account's password, sha256(account ‖ role ‖ password) for each of `roles`. Does not check that they are in
 * 1..n−1.
 */
export function findSecrets(text: string, account: string, roles: readonly string[]): Uint8Array[] {
  return [...new KeySearch().secretsIn(text), ...roles.map((role) => secretOfSeed(account + role + text))];
}

const NOTHING: readonly never[] = [];

/** Finds private keys in the texts of one transaction. It limits the work for all of them together. */
export class KeySearch {
  #secrets: Uint8Array[] = [];
  #places = 0;
  #wifs = 0;
  #rawKeys = 0;

  /** True when the texts held more WIFs with right checksums than a transaction may. */
  get holdsTooMany(): boolean {
    return this.#wifs > MOST_WIFS;
  }

  /**
   * The keys that stand anywhere in a text: as a WIF, as 32 bytes in hex or base64, or as one of these in hex or base64
   * once more. A text that is nothing but an encoded key may also be an extended key of BIP 32 or a WIF that only the
   * lineage accepts.
   */
  secretsIn(text: string): readonly Uint8Array[] {
    const runs = longRuns(text, keyDigits, SHORTEST_SPELLING);
    if (runs.length === 0) return NOTHING;
    this.#secrets = [];
    if (runs[0] !== text || !this.#addWhole(text)) for (const run of runs) this.#addFromRun(run, true);
    return this.#secrets;
  }

  /** True when the whole text is an encoded key. */
  #addWhole(text: string): boolean {
    if (text.length > LONGEST_EXTENDED_KEY || this.#places >= MOST_PLACES) return false;
    this.#places++;
    const wif = decodeWif(text);
    if (wif !== undefined) this.#wifs++;
    const secret = wif ?? decodeExtendedKey(text);
    if (secret !== undefined) this.#secrets.push(secret);
    return secret !== undefined;
  }

  /** Looks at a run without separators, and, once, at the text that it may encode. */
  #addFromRun(run: string, mayBeEncoded: boolean): void {
    if (run.length < SHORTEST_PART) return;
    this.#addWifs(run);
    for (const digits of longRuns(run, hexDigits, SECRET_DIGITS)) this.#addFromHex(digits, mayBeEncoded);
    // In a URL slashes separate, in base64 they are digits.
    const pieces = run.includes('/') ? [run, ...run.split('/')] : [run];
    for (const piece of pieces) if (piece.length >= SHORTEST_PART) this.#addFromBase64(piece, mayBeEncoded);
  }

  #addWifs(run: string): void {
    const most = Math.min(MOST_PLACES, this.#places + PLACES_OF_RUN + Math.trunc(run.length / CHARACTERS_OF_PLACE));
    for (const part of longRuns(run, base58Digits, WIF_DIGITS)) {
      if (this.#places >= most) return;
      for (const match of part.matchAll(WIF)) {
        const secret = decodeWif(match[1] ?? '');
        if (secret !== undefined) {
          this.#wifs++;
          this.#secrets.push(secret);
        }
        if (++this.#places >= most) return;
      }
    }
  }

  #addFromHex(digits: string, mayBeEncoded: boolean): void {
    const bytes = Buffer.from(digits, 'hex');
    this.#addFromBytes(bytes, mayBeEncoded);
    if (digits.length === SECRET_DIGITS) return;
    // Keys one behind the other, or one behind a prefix.
    for (let at = 0; at + SECRET_BYTES <= bytes.length; at += SECRET_BYTES)
      this.#addRaw(bytes.subarray(at, at + SECRET_BYTES));
    this.#addRaw(Buffer.from(digits.slice(-SECRET_DIGITS), 'hex'));
  }

  #addFromBase64(digits: string, mayBeEncoded: boolean): void {
    this.#addFromBytes(Buffer.from(digits, 'base64'), mayBeEncoded);
  }

  /** Bytes are a key, the record of a WIF, or a text. */
  #addFromBytes(bytes: Buffer, mayBeEncoded: boolean): void {
    if (bytes.length === SECRET_BYTES) this.#addRaw(bytes);
    else if (bytes[0] === WIF_VERSION && bytes.length <= SECRET_BYTES + 6)
      this.#addRaw(bytes.subarray(1, 1 + SECRET_BYTES));
    if (!mayBeEncoded) return;
    for (const run of longRuns(bytes.toString('latin1'), keyDigits, SHORTEST_SPELLING)) this.#addFromRun(run, false);
  }

  #addRaw(secret: Uint8Array): void {
    if (this.#rawKeys++ < MOST_RAW_KEYS) this.#secrets.push(secret.slice());
  }
}

/**
 * The runs of at least `shortest` characters of a set, each as long as it goes on. Looks at the last character that the
 * shortest one would have, then steps back: a plain text costs one look for each `shortest` characters and a word.
 */
function longRuns(text: string, set: Uint8Array, shortest: number): readonly string[] {
  const { length } = text;
  let runs: string[] | undefined;
  for (let start = 0; start + shortest <= length;) {
    let at = start + shortest - 1;
    while (at >= start && isIn(set, text, at)) at--;
    if (at >= start) {
      start = at + 1;
      continue;
    }
    let end = start + shortest;
    while (end < length && isIn(set, text, end)) end++;
    (runs ??= []).push(text.slice(start, end));
    start = end + 1;
  }
  return runs ?? NOTHING;
}

function isIn(set: Uint8Array, text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 && set[code] === 1;
}

/**
 * The private key in an extended key: version, depth, fingerprint, number and chain code precede it, a checksum
 * follows.
 */
function decodeExtendedKey(text: string): Uint8Array | undefined {
  if (text.length > LONGEST_EXTENDED_KEY) return undefined;
  const record = base58Decode(text);
  if (record === undefined || record.length !== EXTENDED_KEY_BYTES + CHECKSUM_BYTES) return undefined;
  const [key, checksum] = [record.subarray(0, EXTENDED_KEY_BYTES), record.subarray(EXTENDED_KEY_BYTES)];
  const isWhole = Buffer.compare(sha256(sha256(key)).subarray(0, CHECKSUM_BYTES), checksum) === 0;
  // An extended public key has the sign byte of its point where a private one has 0.
  return isWhole && key[45] === 0 ? key.slice(46) : undefined;
}
