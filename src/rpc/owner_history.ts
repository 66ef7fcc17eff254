import { LARGEST_PAGE } from '../queries/paging.ts';
import { ownerAuthorityHistories, type OwnerAuthorityHistory } from '../state/tables/owner_authority_history.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Call } from './services.ts';
import { inPages, type Chunks } from './chunks.ts';

/** The former owner authorities of an account, oldest first. */
export function readOwnerHistory(call: Pick<Call, 'rows'>, account: AccountName): Chunks<OwnerAuthorityHistory> {
  const { by_account: byAccount } = ownerAuthorityHistories;
  return inPages<OwnerAuthorityHistory>(call, LARGEST_PAGE, (last, limit) => {
    if (last === undefined) return call.rows.range(byAccount, { from: [account], to: [account], limit });
    return call.rows.range(byAccount, { after: [account, last.last_valid_time, last.id], to: [account], limit });
  });
}
