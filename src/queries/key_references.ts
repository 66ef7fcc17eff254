import { vector } from '../codec/collections.ts';
import { keyLookups } from '../state/tables/key_lookup.ts';
import type { CommittedRows } from '../storage/rows.ts';
import { accountName, type AccountName } from '../values/account_name.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';
import { LARGEST_PAGE } from './paging.ts';

/** One list of account names per key. */
export const keyReferences = vector(vector(accountName));

/**
 * The accounts that have a key in their owner or active authority, by name: one list per key, at most 1 000 names each. The null key has
 * none.
 */
export function accountsWithKeys(rows: CommittedRows, keys: readonly PublicKey[]): AccountName[][] {
  return keys.map((key) => (key === NULL_KEY ? [] : accountsWithKey(rows, key)));
}

function accountsWithKey(rows: CommittedRows, key: PublicKey): AccountName[] {
  return rows.rows(keyLookups, { from: { key }, to: { key }, limit: LARGEST_PAGE }).map(({ account }) => account);
}
