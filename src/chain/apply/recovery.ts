import type { ChainState } from '../../state/chain_state.ts';
import { hasExpired, isDue, isTooOld, takeOffice } from '../../state/recovery.ts';
import { accountRecoveryRequests } from '../../state/tables/account_recovery_request.ts';
import { changeRecoveryAccountRequests } from '../../state/tables/change_recovery_account_request.ts';
import { ownerAuthorityHistories } from '../../state/tables/owner_authority_history.ts';

/**
 * Removes expired recovery requests and old owner authorities, and applies due changes of recovery accounts, in this
 * order (chain_rules.md#recovery). What exceeds the limit per block is left to the next ones; state/recovery.ts makes
 * sure that this has no visible effect.
 */
export function processRecovery(state: ChainState): void {
  expireRequests(state);
  forgetOldOwners(state);
  changeRecoveryAccounts(state);
}

function expireRequests(state: ChainState): void {
  const { rows } = state;
  for (let left = state.parameters.rules.due_per_block; left > 0; left--) {
    const request = rows.first(accountRecoveryRequests.by_expiration);
    if (request === undefined || !hasExpired(state, request)) return;
    rows.remove(accountRecoveryRequests, request.account_to_recover);
  }
}

function forgetOldOwners(state: ChainState): void {
  const { rows } = state;
  for (let left = state.parameters.rules.due_per_block; left > 0; left--) {
    const oldest = rows.first(ownerAuthorityHistories.by_id);
    if (oldest === undefined || !isTooOld(state, oldest)) return;
    rows.remove(ownerAuthorityHistories, oldest.id);
  }
}

function changeRecoveryAccounts(state: ChainState): void {
  for (let left = state.parameters.rules.due_per_block; left > 0; left--) {
    const request = state.rows.first(changeRecoveryAccountRequests.by_effective_date);
    if (request === undefined || !isDue(state, request)) return;
    takeOffice(state, request);
  }
}
