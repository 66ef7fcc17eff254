import { speaksLineage, type EncodingOptions } from '../codec/encoding_options.ts';
import { witnessSchedule } from '../state/tables/witness_schedule.ts';
import type { RowReader } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';

/** The witnesses of the current round in slot order. The lineage shows an empty name for a slot without one. */
export function activeWitnesses(rows: RowReader, encoding: EncodingOptions): AccountName[] {
  const slots = rows.only(witnessSchedule).current_shuffled_witnesses;
  return slots.filter((name) => name !== '' || speaksLineage(encoding));
}
