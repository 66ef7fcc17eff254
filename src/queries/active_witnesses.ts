import { speaksLineage, type Notation } from '../codec/notation.ts';
import { witnessSchedule } from '../state/tables/witness_schedule.ts';
import type { RowReader } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';

/** The witnesses of the running round in the order of their slots. The lineage shows a blank for a slot that has none. */
export function activeWitnesses(rows: RowReader, notation: Notation): AccountName[] {
  const slots = rows.only(witnessSchedule).current_shuffled_witnesses;
  return slots.filter((name) => name !== '' || speaksLineage(notation));
}
