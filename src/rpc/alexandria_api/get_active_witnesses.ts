import Type from 'typebox';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { coded } from '../params.ts';

/** The witnesses of the running round. */
export const getActiveWitnesses = method({
  name: 'alexandria_api.get_active_witnesses',
  doc: 'The witnesses that produce blocks in the running round, in the order of their slots.',
  params: {},
  result: Type.Object({ active_witnesses: Type.Array(coded(accountName)) }),
  example: { params: {} },
  stability: 'stable',
  thread: 'read',
  handler: (_, { rows }) => ({ active_witnesses: [...rows.only(witnessSchedule).current_shuffled_witnesses] }),
});
