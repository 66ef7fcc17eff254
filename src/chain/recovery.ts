import { headOf, type ChainState } from '../state/chain_state.ts';
import { requireAccount } from '../state/lookups.ts';
import { OWNER_AUTH_RECOVERY_PERIOD_SECONDS } from '../state/parameters.ts';
import { accountRecoveryRequests } from '../state/tables/account_recovery_request.ts';
import { accounts } from '../state/tables/account.ts';
import { changeRecoveryAccountRequests } from '../state/tables/change_recovery_account_request.ts';
import { ownerAuthorityHistories } from '../state/tables/owner_authority_history.ts';

/** Lets go what has run out, and lets changes of recovery accounts take effect, in this order (chain.md 11.1). */
export function processRecovery(state: ChainState): void {
  expireRequests(state);
  forgetOldOwners(state);
  changeRecoveryAccounts(state);
}

function expireRequests(state: ChainState): void {
  const { rows } = state;
  const { time } = headOf(state);
  for (;;) {
    const request = rows.first(accountRecoveryRequests.by_expiration);
    if (request === undefined || request.expires > time) return;
    rows.remove(accountRecoveryRequests, request.account_to_recover);
  }
}

function forgetOldOwners(state: ChainState): void {
  const { rows } = state;
  const { time } = headOf(state);
  for (;;) {
    const oldest = rows.first(ownerAuthorityHistories.by_id);
    if (oldest === undefined || oldest.last_valid_time + OWNER_AUTH_RECOVERY_PERIOD_SECONDS >= time) return;
    rows.remove(ownerAuthorityHistories, oldest.id);
  }
}

function changeRecoveryAccounts(state: ChainState): void {
  const { rows } = state;
  const { time } = headOf(state);
  for (;;) {
    const request = rows.first(changeRecoveryAccountRequests.by_effective_date);
    if (request === undefined || request.effective_on > time) return;
    const { account_to_recover, recovery_account } = request;
    rows.put(accounts, { ...requireAccount(rows, account_to_recover), recovery_account });
    rows.remove(changeRecoveryAccountRequests, account_to_recover);
  }
}
