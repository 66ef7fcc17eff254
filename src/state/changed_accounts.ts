import type { Codec } from '../codec/codec.ts';
import { packedBytes } from '../codec/primitives.ts';
import type { CommittedRows } from '../storage/rows.ts';
import { changedKeys } from '../storage/undo_record.ts';
import type { AccountName } from '../values/account_name.ts';
import { HEAD_COLUMN, undoKey } from './head_record.ts';
import { accounts } from './tables/account.ts';

/** A record as it lies on disk: most of its rows are of other tables, so it is not decoded whole. */
const wholeRecord: Codec<Uint8Array> = {
  ...packedBytes,
  write: (out, value) => out.bytes(value),
  read: (input) => input.bytes(input.remaining),
};

/**
 * The accounts whose rows a block of the main branch has changed, with an operation or without. Undefined where the
 * block has no undo record, as when it can't be undone.
 */
export function changedAccounts(rows: Pick<CommittedRows, 'getPlaces'>, block: number): AccountName[] | undefined {
  const table = { name: 'undo record', column: HEAD_COLUMN, value: wholeRecord } as const;
  const [record] = rows.getPlaces([{ table, key: undoKey(block) }]);
  return record && changedKeys(record, accounts);
}
