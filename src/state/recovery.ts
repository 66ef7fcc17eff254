import type { AccountName } from '../values/account_name.ts';
import { headProperties, type ChainState } from './chain_state.ts';
import { requireAccount } from './lookups.ts';
import { OWNER_AUTH_RECOVERY_PERIOD_SECONDS } from './parameters.ts';
import { accountRecoveryRequests, type AccountRecoveryRequest } from './tables/account_recovery_request.ts';
import { accounts, type Account } from './tables/account.ts';
import {
  changeRecoveryAccountRequests,
  type ChangeRecoveryAccountRequest,
} from './tables/change_recovery_account_request.ts';
import type { OwnerAuthorityHistory } from './tables/owner_authority_history.ts';

// A block processes only a limited number of due rows, so rows may exist a little longer than they are valid.

/** The pending request for a new owner authority of the account; undefined if it has expired. */
export function findRecoveryRequest(state: ChainState, name: AccountName): AccountRecoveryRequest | undefined {
  const request = state.rows.get(accountRecoveryRequests, name);
  return request === undefined || hasExpired(state, request) ? undefined : request;
}

/** Returns whether the request's day is over. */
export function hasExpired(state: ChainState, { expires }: AccountRecoveryRequest): boolean {
  return expires <= headProperties(state).time;
}

/** Returns whether the former owner authority can no longer prove a recovery. */
export function isTooOld(state: ChainState, { last_valid_time }: OwnerAuthorityHistory): boolean {
  return last_valid_time + OWNER_AUTH_RECOVERY_PERIOD_SECONDS < headProperties(state).time;
}

/** Returns whether the change of the recovery account is due to take effect. */
export function isDue(state: ChainState, { effective_on }: ChangeRecoveryAccountRequest): boolean {
  return effective_on <= headProperties(state).time;
}

/** The account, with a due change of its recovery account applied. */
export function accountToRecover(state: ChainState, name: AccountName): Account {
  const request = state.rows.get(changeRecoveryAccountRequests, name);
  if (request !== undefined && isDue(state, request)) takeOffice(state, request);
  return requireAccount(state.rows, name);
}

/** Applies a change of the recovery account. */
export function takeOffice(
  { rows }: ChainState,
  { account_to_recover, recovery_account }: ChangeRecoveryAccountRequest,
): void {
  rows.put(accounts, { ...requireAccount(rows, account_to_recover), recovery_account });
  rows.remove(changeRecoveryAccountRequests, account_to_recover);
}
