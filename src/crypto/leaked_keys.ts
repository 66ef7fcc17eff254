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

/**
 * The private keys that a text reveals: as an encoded key (WIF, or a BIP 32 extended key), or as the password from which the
 * lineage derives an account's keys for `roles`, sha256(account ‖ role ‖ password). Does not check that they are in 1..n−1.
 */
export function secretsIn(text: string, account: string, roles: readonly string[]): Uint8Array[] {
  return [...spelledSecretsIn(text), ...roles.map((role) => secretOfSeed(account + role + text))];
}

/** Only the keys that a text contains in encoded form. */
export function spelledSecretsIn(text: string): Uint8Array[] {
  if (text.length < SHORTEST_KEY || text.length > LONGEST_EXTENDED_KEY) return [];
  return [decodeWif(text), decodeExtendedKey(text)].filter((secret) => secret !== undefined);
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
