import type { ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { i64Key, u32Key, u64Key } from '../../codec/key.ts';
import { bool, i64, u16, u32, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';
import { publicKey } from '../../values/public_key.ts';
import { time } from '../../values/time.ts';

/** The vestings of one time bucket together: the number of shares, and the time of the latest. */
const vesting = struct({ latest: time, shares: i64 });

export const accountRow = struct({
  id: u64,
  name: accountName,
  memo_key: publicKey,
  /** The voting proxy; empty if the account votes itself. */
  proxy: accountName,
  last_account_update: time,
  /** Coin·blocks in the current interest period. */
  holdings_considered_for_interests: i64,
  created: time,
  mined: bool,
  recovery_account: accountName,
  reset_account: accountName,
  last_account_recovery: time,
  /** Amounts are in millionths; balance is in COIN, vesting_shares and the rate are in VESTS. */
  balance: i64,
  vesting_shares: i64,
  vesting_withdraw_rate: i64,
  next_vesting_withdrawal: time,
  withdrawn: i64,
  to_withdraw: i64,
  /** Four sums of the votes that others proxied to this account, by proxy depth. */
  proxied_vsf_votes: vector(i64),
  witnesses_voted_for: u16,
  /** Vestings of this account that can't be withdrawn yet, oldest first; only in rule set `interface`. */
  vestings: vector(vesting),
  /**
   * Head block time of the latest transaction that this account authorised, or of its creation; only in rule set
   * `interface`.
   */
  last_activity: time,
  /** Number of accounts that this one sponsors, so that most accounts need no look-up. */
  sponsoring: u32,
});

export type Account = ValueOf<typeof accountRow>;

/**
 * Accounts and their holdings. Authorities and metadata have separate tables, because transfers only change this one.
 */
export const accounts = table({
  name: 'account',
  value: accountRow,
  key: { name: nameKey },
  indexes: {
    by_id: { parts: [u64Key], of: (account: Account) => [account.id] as const, writable: true, unique: true },
    by_proxy: { parts: [nameKey, nameKey], of: (account: Account) => [account.proxy, account.name] as const },
    by_next_vesting_withdrawal: {
      parts: [u32Key, nameKey],
      of: (account: Account) => [account.next_vesting_withdrawal, account.name] as const,
      writable: true,
    },
    by_balance: {
      parts: [i64Key, nameKey],
      of: (account: Account) => [account.balance + account.vesting_shares, account.name] as const,
      unique: true,
    },
  },
});
