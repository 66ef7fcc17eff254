import type { ValueOf } from '../../codec/codec.ts';
import { u64Key } from '../../codec/key.ts';
import { u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { accountName, nameKey } from '../../values/account_name.ts';

const row = struct({
  id: u64,
  owner: accountName,
  /** Votes for the witness with smaller ids no longer count; later ones are for the account as a witness again. */
  votes_before: u64,
  /** The votes of voters up to this name have been removed. */
  removed_up_to: accountName,
});

export type StoppedWitness = ValueOf<typeof row>;

/** Stopped witnesses whose votes have not all been removed yet: each block removes some. */
export const stoppedWitnesses = table({
  name: 'stopped_witness',
  value: row,
  key: { owner: nameKey },
  indexes: {
    by_id: { parts: [u64Key], of: (stopped: StoppedWitness) => [stopped.id] as const, writable: true, unique: true },
  },
});
