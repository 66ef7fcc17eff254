import type { AccountName } from '../values/account_name.ts';
import { headOf, type ChainState } from './chain_state.ts';
import { requireAccount } from './lookups.ts';
import { OWNER_AUTH_RECOVERY_PERIOD_SECONDS } from './parameters.ts';
import { accountRecoveryRequests, type AccountRecoveryRequest } from './tables/account_recovery_request.ts';
import { accounts, type Account } from './tables/account.ts';
import { changeRecoveryAccountRequests, type ChangeRecoveryAccountRequest } from './tables/change_recovery_account_request.ts';
import type { OwnerAuthorityHistory } from './tables/owner_authority_history.ts';

// A block works off only so much of what is due, so rows may stand a little longer than they count.

/** The offer of a new owner that waits for the account; undefined when it has expired. */
export function recoveryRequestOf(state: ChainState, name: AccountName): AccountRecoveryRequest | undefined {
  const request = state.rows.get(accountRecoveryRequests, name);
  return request === undefined || hasExpired(state, request) ? undefined : request;
}

/** Its day is over. */
export function hasExpired(state: ChainState, { expires }: AccountRecoveryRequest): boolean {
  return expires <= headOf(state).time;
}

/** The former owner can prove nothing any more. */
export function isTooOld(state: ChainState, { last_valid_time }: OwnerAuthorityHistory): boolean {
  return last_valid_time + OWNER_AUTH_RECOVERY_PERIOD_SECONDS < headOf(state).time;
}

/** The new recovery account should be in office. */
export function isDue(state: ChainState, { effective_on }: ChangeRecoveryAccountRequest): boolean {
  return effective_on <= headOf(state).time;
}

/** The account, with the recovery account that is in office by now. */
export function accountToRecover(state: ChainState, name: AccountName): Account {
  const request = state.rows.get(changeRecoveryAccountRequests, name);
  if (request !== undefined && isDue(state, request)) takeOffice(state, request);
  return requireAccount(state.rows, name);
}

/** Lets a change of the recovery account take effect. */
export function takeOffice({ rows }: ChainState, { account_to_recover, recovery_account }: ChangeRecoveryAccountRequest): void {
  rows.put(accounts, { ...requireAccount(rows, account_to_recover), recovery_account });
  rows.remove(changeRecoveryAccountRequests, account_to_recover);
}
