import type { AccountName } from '../values/account_name.ts';
import type { Authority } from '../values/authority.ts';
import { NEVER } from '../values/limits.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { Seconds } from '../values/time.ts';
import type { ChainState } from './chain_state.ts';
import { refuseDuplicate } from './lookups.ts';
import { NULL_ACCOUNT } from './parameters.ts';
import { accounts, type Account } from './tables/account.ts';
import { accountAuthorities } from './tables/account_authority.ts';

/** The properties of a new account that vary. */
export interface NewAccount {
  readonly name: AccountName;
  readonly memo_key: PublicKey;
  readonly owner: Authority;
  readonly active: Authority;
  readonly created: Seconds;
  readonly recovery_account: AccountName;
  /** `none` by default. */
  readonly reset_account?: AccountName;
}

/** Adds an account without balances; refused if its name is taken. */
export function addAccount(state: ChainState, { owner, active, ...account }: NewAccount): Account {
  const row: Account = {
    reset_account: NULL_ACCOUNT,
    ...account,
    id: state.rows.nextId(accounts),
    proxy: '',
    last_account_update: 0,
    holdings_considered_for_interests: 0n,
    mined: false,
    last_account_recovery: 0,
    balance: 0n,
    vesting_shares: 0n,
    vesting_withdraw_rate: 0n,
    next_vesting_withdrawal: NEVER,
    withdrawn: 0n,
    to_withdraw: 0n,
    proxied_vsf_votes: [0n, 0n, 0n, 0n],
    witnesses_voted_for: 0,
    vestings: [],
    last_activity: account.created,
    sponsoring: 0,
  };
  if (!state.rows.insert(accounts, row)) refuseDuplicate('account', account.name);
  state.rows.append(accountAuthorities, { account: account.name, owner, active, last_owner_update: 0 });
  return row;
}
