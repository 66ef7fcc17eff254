import { base58Decode } from './base58.ts';
import { secretOfSeed } from './brain_key.ts';
import { sha256 } from './hashes.ts';
import { decodeWif } from './wif.ts';

// 111 or 112 characters; the bound keeps a hostile text from costing time.
const LONGEST_EXTENDED_KEY = 120;
// 37 bytes of a WIF that are all zero, a digit each; of any other more digits.
const SHORTEST_KEY = 37;
const EXTENDED_KEY_BYTES = 78;
const CHECKSUM_BYTES = 4;

/**
 * The private keys that a text gives away: as the text of a key (WIF, or an extended key of BIP 32), or as the password that the
 * lineage makes an account's keys of `roles` from, sha256(account ‖ role ‖ password). Whether they are in 1..n−1 is not asked.
 */
export function secretsIn(text: string, account: string, roles: readonly string[]): Uint8Array[] {
  return [...spelledSecretsIn(text), ...roles.map((role) => secretOfSeed(account + role + text))];
}

/** Those that a text spells out. */
export function spelledSecretsIn(text: string): Uint8Array[] {
  if (text.length < SHORTEST_KEY || text.length > LONGEST_EXTENDED_KEY) return [];
  return [decodeWif(text), decodeExtendedKey(text)].filter((secret) => secret !== undefined);
}

/** The private key in an extended one: version, depth, fingerprint, number and chain code come before it, a checksum behind it. */
function decodeExtendedKey(text: string): Uint8Array | undefined {
  if (text.length > LONGEST_EXTENDED_KEY) return undefined;
  const record = base58Decode(text);
  if (record === undefined || record.length !== EXTENDED_KEY_BYTES + CHECKSUM_BYTES) return undefined;
  const [key, checksum] = [record.subarray(0, EXTENDED_KEY_BYTES), record.subarray(EXTENDED_KEY_BYTES)];
  const isWhole = Buffer.compare(sha256(sha256(key)).subarray(0, CHECKSUM_BYTES), checksum) === 0;
  // An extended public key has the sign of its point where a private one has 0.
  return isWhole && key[45] === 0 ? key.slice(46) : undefined;
}
