import { base58Decode } from './base58.ts';
import { secretOfSeed } from './brain_key.ts';
import { sha256 } from './hashes.ts';
import { decodeWif } from './wif.ts';

// Real ones have 111 or 112 characters; the limit keeps a hostile text from taking time.
const LONGEST_EXTENDED_KEY = 120;
// The 37 bytes of a WIF take one digit each if all are zero; otherwise more.
const SHORTEST_KEY = 37;
const EXTENDED_KEY_BYTES = 78;
const CHECKSUM_BYTES = 4;
const SECRET_BYTES = 32;
const SECRET_DIGITS = 64;

/** 32 bytes take 43 characters of base64, 51 of base58 as a WIF and 64 of hex. */
export const SHORTEST_SPELLING = 43;
/** Places of a text where a checksum is tried: 7 µs each, so that a hostile text takes as long as some signatures. */
const MOST_WIFS = 16;
/** Keys of a text without a checksum, each of which takes a multiplication. A text that lists hashes has many. */
const MOST_RAW_KEYS = 8;

/** A run of characters in which a key might stand, in any spelling. */
const RUN = /[0-9A-Za-z+/_-]{43,}/g;
/** WIFs may overlap in a hostile text. Compressed ones have 52 characters and begin with K or L. */
const WIF = /(?=(5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51}))/g;
const HEX = /[0-9a-fA-F]{64,}/g;
const WIF_VERSION = 0x80;

/**
 * The private keys that a text reveals: those that stand anywhere in it, or made with the text as the password from which the
 * lineage derives an account's keys for `roles`, sha256(account ‖ role ‖ password). Does not check that they are in 1..n−1.
 */
export function secretsIn(text: string, account: string, roles: readonly string[]): Uint8Array[] {
  return [...spelledSecretsIn(text), ...roles.map((role) => secretOfSeed(account + role + text))];
}

/**
 * The keys that stand anywhere in a text: as a WIF, as 32 bytes in hex or base64, or as one of these in hex or base64 once more. A text
 * that is nothing but an encoded key may also be an extended key of BIP 32 or a WIF that only the lineage accepts.
 */
export function spelledSecretsIn(text: string): Uint8Array[] {
  if (text.length < SHORTEST_KEY) return [];
  const whole =
    text.length > LONGEST_EXTENDED_KEY ? [] : [decodeWif(text), decodeExtendedKey(text)].filter((secret) => secret !== undefined);
  if (whole.length > 0 || text.length < SHORTEST_SPELLING) return whole;
  const found = new FoundSecrets();
  for (const [run] of text.matchAll(RUN)) found.addFromRun(run, true);
  return found.secrets;
}

/** Collects keys up to the limits of a text. */
class FoundSecrets {
  readonly secrets: Uint8Array[] = [];
  #wifs = 0;
  #rawKeys = 0;

  /** Looks at a run without separators, and, once, at the text that it may encode. */
  addFromRun(run: string, mayBeEncoded: boolean): void {
    for (const match of run.matchAll(WIF)) {
      if (this.#wifs++ >= MOST_WIFS) break;
      const secret = decodeWif(match[1] ?? '');
      if (secret !== undefined) this.secrets.push(secret);
    }
    for (const [digits] of run.matchAll(HEX)) this.#addFromHex(digits, mayBeEncoded);
    // In a URL slashes separate, in base64 they are digits.
    const pieces = run.includes('/') ? [run, ...run.split('/')] : [run];
    for (const piece of pieces) if (piece.length >= SHORTEST_SPELLING) this.#addFromBase64(piece, mayBeEncoded);
  }

  #addFromHex(digits: string, mayBeEncoded: boolean): void {
    const bytes = Buffer.from(digits, 'hex');
    this.#addFromBytes(bytes, mayBeEncoded);
    if (digits.length === SECRET_DIGITS) return;
    // Keys one behind the other, or one behind a prefix.
    for (let at = 0; at + SECRET_BYTES <= bytes.length; at += SECRET_BYTES) this.#addRaw(bytes.subarray(at, at + SECRET_BYTES));
    this.#addRaw(Buffer.from(digits.slice(-SECRET_DIGITS), 'hex'));
  }

  #addFromBase64(digits: string, mayBeEncoded: boolean): void {
    this.#addFromBytes(Buffer.from(digits, 'base64'), mayBeEncoded);
  }

  /** Bytes are a key, the record of a WIF, or a text. */
  #addFromBytes(bytes: Buffer, mayBeEncoded: boolean): void {
    if (bytes.length === SECRET_BYTES) this.#addRaw(bytes);
    else if (bytes[0] === WIF_VERSION && bytes.length <= SECRET_BYTES + 6) this.#addRaw(bytes.subarray(1, 1 + SECRET_BYTES));
    if (!mayBeEncoded) return;
    for (const [run] of bytes.toString('latin1').matchAll(RUN)) this.addFromRun(run, false);
  }

  #addRaw(secret: Uint8Array): void {
    if (this.#rawKeys++ < MOST_RAW_KEYS) this.secrets.push(secret.slice());
  }
}

/** The private key in an extended key: version, depth, fingerprint, number and chain code precede it, a checksum follows. */
function decodeExtendedKey(text: string): Uint8Array | undefined {
  if (text.length > LONGEST_EXTENDED_KEY) return undefined;
  const record = base58Decode(text);
  if (record === undefined || record.length !== EXTENDED_KEY_BYTES + CHECKSUM_BYTES) return undefined;
  const [key, checksum] = [record.subarray(0, EXTENDED_KEY_BYTES), record.subarray(EXTENDED_KEY_BYTES)];
  const isWhole = Buffer.compare(sha256(sha256(key)).subarray(0, CHECKSUM_BYTES), checksum) === 0;
  // An extended public key has the sign byte of its point where a private one has 0.
  return isWhole && key[45] === 0 ? key.slice(46) : undefined;
}
