import type { Codec } from '../codec/codec.ts';
import { vector } from '../codec/collections.ts';
import { keyLookups } from '../state/tables/key_lookup.ts';
import type { CommittedRows } from '../storage/rows.ts';
import { accountName, type AccountName } from '../values/account_name.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';
import { LARGEST_PAGE } from './paging.ts';

/** The names of the accounts that have a given key in their owner or active authority. */
export const keyReferences = vector(accountName);

/** The name that the accounts of each key begin with. */
export const firstReference: Codec<AccountName, string> & { readonly isOwn: boolean } = { ...accountName, isOwn: true };

/**
 * The accounts that have a key in their owner or active authority, by name from `start` on, at most 1 000. The null key
 * has none.
 */
export function accountsWithKey(rows: CommittedRows, key: PublicKey, start: AccountName): AccountName[] {
  if (key === NULL_KEY) return [];
  return rows
    .rows(keyLookups, { from: { key, account: start }, to: { key }, limit: LARGEST_PAGE })
    .map(({ account }) => account);
}
