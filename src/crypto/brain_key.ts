import { sha256, sha512 } from './hashes.ts';

/**
 * The private key of a phrase (wallet.md#brain-keys): sha256(sha512(phrase + ' ' + sequence)). The phrase is taken as
 * given.
 */
export function secretOfBrainKey(phrase: string, sequence = 0): Uint8Array {
  return sha256(sha512(Buffer.from(`${phrase} ${sequence}`, 'utf8')));
}

/** The private key that test networks and sidechains derive from a word: sha256 of its UTF-8 bytes. */
export function secretOfSeed(seed: string): Uint8Array {
  return sha256(Buffer.from(seed, 'utf8'));
}

/**
 * A phrase as the wallet stores it: trimmed, each inner run of white space as one blank, a–z in upper case, the rest
 * unchanged.
 */
export function normalizeBrainKey(phrase: string): string {
  return phrase
    .replace(/^[ \t\r\n\v\f]+|[ \t\r\n\v\f]+$/g, '')
    .replace(/[ \t\r\n\v\f]+/g, ' ')
    .replace(/[a-z]/g, (letter) => letter.toUpperCase());
}
