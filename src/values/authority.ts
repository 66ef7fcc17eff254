import { ByteWriter } from '../codec/bytes.ts';
import { orderedMap } from '../codec/collections.ts';
import { u16, u32 } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { sha256Hex } from '../crypto/hashes.ts';
import { accountName, compareNames, isPlainName, type AccountName } from './account_name.ts';
import { compareKeys, publicKey, type PublicKey } from './public_key.ts';

/** The keys and accounts that may act: the weights of the signers must reach the threshold. Both lists ascend. */
export interface Authority {
  readonly weight_threshold: number;
  readonly account_auths: readonly (readonly [AccountName, number])[];
  readonly key_auths: readonly (readonly [PublicKey, number])[];
}

/** Threshold, accounts with weights, keys with weights. */
export const authority = struct(
  {
    weight_threshold: u32,
    account_auths: orderedMap(accountName, u16, compareNames),
    key_auths: orderedMap(publicKey, u16, compareKeys),
  },
  // No member may be omitted: without a threshold anyone could act.
  { mayLack: [] },
);

/** The authority of one key. */
export function keyAuthority(key: PublicKey): Authority {
  return { weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] };
}

/** The authority of one account. */
export function accountAuthority(name: AccountName): Authority {
  return { weight_threshold: 1, account_auths: [[name, 1]], key_auths: [] };
}

/** True when the authority names the key. */
export function namesKey({ key_auths }: Authority, key: PublicKey): boolean {
  return key_auths.some(([named]) => named === key);
}

const packed = new ByteWriter();
const digests = new WeakMap<Authority, string>();

/**
 * The SHA-256 of an authority's bytes, as 64 hex digits, for look-ups. Cached, because authorities are never changed in
 * place.
 */
export function authorityDigest(some: Authority): string {
  const known = digests.get(some);
  if (known !== undefined) return known;
  packed.reset();
  authority.write(packed, some);
  const digest = sha256Hex(packed.view());
  digests.set(some, digest);
  return digest;
}

/** True when the sum of all weights is below the threshold, so that the authority can never be satisfied. */
export function isImpossible({ weight_threshold, account_auths, key_auths }: Authority): boolean {
  const total = [...account_auths, ...key_auths].reduce((sum, [, weight]) => sum + weight, 0);
  return total < weight_threshold;
}

/** True when every account it names passes the strict check of names (wire_format.md#names-in-authorities). */
export function namesPlainAccounts({ account_auths }: Authority): boolean {
  return account_auths.every(([name]) => isPlainName(name));
}

/** True when threshold, members and weights are the same. */
export function sameAuthority(a: Authority, b: Authority): boolean {
  return (
    a.weight_threshold === b.weight_threshold &&
    samePairs(a.account_auths, b.account_auths) &&
    samePairs(a.key_auths, b.key_auths)
  );
}

function samePairs(a: Authority['key_auths'], b: Authority['key_auths']): boolean {
  return (
    a.length === b.length && a.every(([member, weight], index) => member === b[index]?.[0] && weight === b[index][1])
  );
}
