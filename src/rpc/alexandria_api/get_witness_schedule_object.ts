import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { roundRecord, makeWitnessScheduleRecord } from '../../queries/records/witness_schedule.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The current round. */
export const getWitnessScheduleObject = method({
  name: 'alexandria_api.get_witness_schedule_object',
  doc: 'The running round: who produces in which slot, and what the round agreed on.',
  params: {},
  result: Type.Object({ schedule_obj: coded(roundRecord) }),
  example: { params: {} },
  stability: 'stable',
  thread: 'read',
  handler: (_, { rows, parameters }) => ({ schedule_obj: makeWitnessScheduleRecord(rows, parameters) }),
});
