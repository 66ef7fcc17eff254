import { witnessScheduleRecord, makeWitnessScheduleRecord } from '../../queries/records/witness_schedule.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The current round: which witness produces in which slot, and what the round agreed on. */
export const getWitnessSchedule = method({
  name: 'database_api.get_witness_schedule',
  doc: 'The running round: who produces in which slot, and what the round agreed on.',
  params: {},
  result: coded(witnessScheduleRecord),
  example: { params: {} },
  stability: 'experimental',
  thread: 'read',
  handler: (_, { rows, parameters }) => makeWitnessScheduleRecord(rows, parameters),
});
