import type { ValueOf } from '../../codec/codec.ts';
import { u128 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';

const row = struct({
  account: accountName,
  /** The protection index up to which the account has been paid. */
  index: u128,
});

export type ProtectionMark = ValueOf<typeof row>;

/**
 * The progress of dilution protection for the vesting shares of each account; an account without shares needs no mark.
 */
export const protectionMarks = table({
  name: 'protection_mark',
  value: row,
  key: { account: nameKey },
});
