import type { ValueOf } from '../../codec/codec.ts';
import { u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';

const row = struct({
  id: u64,
  witness: accountName,
  account: accountName,
});

export type WitnessVote = ValueOf<typeof row>;

/** Votes of accounts for witnesses. */
export const witnessVotes = table({
  name: 'witness_vote',
  value: row,
  key: { account: nameKey, witness: nameKey },
  indexes: {
    by_account_witness: {
      parts: [nameKey, nameKey],
      of: (vote: WitnessVote) => [vote.account, vote.witness] as const,
      writable: true,
      unique: true,
    },
    by_witness_account: {
      parts: [nameKey, nameKey],
      of: (vote: WitnessVote) => [vote.witness, vote.account] as const,
      writable: true,
      unique: true,
    },
  },
});
