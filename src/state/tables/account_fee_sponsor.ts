import type { ValueOf } from '../../codec/codec.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';

const row = struct({
  sponsor: accountName,
  sponsored: accountName,
});

export type AccountFeeSponsor = ValueOf<typeof row>;

/** Fee sponsors of accounts; an account has at most one. */
export const accountFeeSponsors = table({
  name: 'account_fee_sponsor',
  value: row,
  key: { sponsored: nameKey },
  indexes: {
    by_sponsor: {
      parts: [nameKey, nameKey],
      of: ({ sponsor, sponsored }: AccountFeeSponsor) => [sponsor, sponsored] as const,
      unique: true,
    },
  },
});
