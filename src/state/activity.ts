import { replacing } from '../codec/struct.ts';
import type { AccountName } from '../values/account_name.ts';
import { headProperties, type ChainState } from './chain_state.ts';
import { accountRow, accounts } from './tables/account.ts';

const withActivity = replacing(accountRow, ['last_activity']);

/**
 * Notes that the account has just authorised something. Only under rules that protect active accounts from being reset.
 */
export function noteActivity(state: ChainState, name: AccountName): void {
  if (state.parameters.rules.reset_inactivity_seconds === 0) return;
  const account = state.rows.get(accounts, name);
  const last_activity = headProperties(state).time;
  if (account !== undefined && account.last_activity !== last_activity)
    state.rows.put(accounts, withActivity(account, { last_activity }));
}
