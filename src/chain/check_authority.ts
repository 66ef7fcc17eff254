import { checkAuthorities as check, type Required } from '../blocks/authority_check.ts';
import { requireRow } from '../state/lookups.ts';
import { TEMP_ACCOUNT } from '../state/parameters.ts';
import { accountAuthorities } from '../state/tables/account_authority.ts';
import type { RowReader } from '../storage/rows.ts';
import type { PublicKey } from '../values/public_key.ts';

export { requiredOf, type Required } from '../blocks/authority_check.ts';

/**
 * Refuses signers who do not suffice for what is required, or of whom one is not needed (chain.md 5.8). `keyPrefix` is for the
 * refusal, which names the keys that did sign.
 */
export function checkAuthorities(rows: RowReader, required: Required, signers: readonly PublicKey[], keyPrefix: string): void {
  const lookup = {
    active: (name: string) => requireRow(rows, accountAuthorities, name, name).active,
    owner: (name: string) => requireRow(rows, accountAuthorities, name, name).owner,
    approved: TEMP_ACCOUNT,
  };
  check(lookup, required, signers, keyPrefix);
}
