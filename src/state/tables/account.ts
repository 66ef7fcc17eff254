import type { ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { i64Key, u32Key, u64Key } from '../../codec/key.ts';
import { bool, i64, u16, u32, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';
import { publicKey } from '../../values/public_key.ts';
import { time } from '../../values/time.ts';

/** Vestings of a stretch of time together: how many shares, and when the last of them came. */
const vesting = struct({ latest: time, shares: i64 });

export const accountRow = struct({
  id: u64,
  name: accountName,
  memo_key: publicKey,
  /** The voting proxy; empty when the account votes itself. */
  proxy: accountName,
  last_account_update: time,
  /** Coin·blocks of the running interest period. */
  holdings_considered_for_interests: i64,
  created: time,
  mined: bool,
  recovery_account: accountName,
  reset_account: accountName,
  last_account_recovery: time,
  /** Amounts are in millionths; balance counts COIN, vesting_shares and the rate count VESTS. */
  balance: i64,
  vesting_shares: i64,
  vesting_withdraw_rate: i64,
  next_vesting_withdrawal: time,
  withdrawn: i64,
  to_withdraw: i64,
  /** Four sums: votes that others proxied to this account, by the depth they came from. */
  proxied_vsf_votes: vector(i64),
  witnesses_voted_for: u16,
  /** What was vested to this account and may not be withdrawn yet, oldest first; kept by the rule set `interface`. */
  vestings: vector(vesting),
  /** Head time of the latest transaction that this account authorised, or of its creation; kept by `interface`. */
  last_activity: time,
  /** How many accounts this one sponsors, so that most accounts need no look-up. */
  sponsoring: u32,
});

export type Account = ValueOf<typeof accountRow>;

/** Who holds what. Authorities and metadata have tables of their own, because transfers change only this one. */
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
    by_balance: { parts: [i64Key], of: (account: Account) => [account.balance + account.vesting_shares] as const },
  },
});
