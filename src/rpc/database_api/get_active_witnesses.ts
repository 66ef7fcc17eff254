import Type from 'typebox';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { coded } from '../params.ts';

/** The witnesses that produce blocks in the running round, in the order of their slots. */
export const getActiveWitnesses = method({
  name: 'database_api.get_active_witnesses',
  doc: 'The witnesses that produce blocks in the running round, in the order of their slots.',
  params: {},
  result: Type.Object({ witnesses: Type.Array(coded(accountName)) }),
  example: { params: {} },
  stability: 'experimental',
  thread: 'read',
  handler: (_, { rows }) => ({ witnesses: [...rows.only(witnessSchedule).current_shuffled_witnesses] }),
});
