import { command } from '../command.ts';
import { showMembers } from '../show/members.ts';

/** The running round: who produces, what the witnesses agreed on. */
export const getWitnessScheduleCommand = command({
  name: 'get_witness_schedule',
  doc: 'The running round: who produces, what the witnesses agreed on.',
  params: {},
  example: 'get_witness_schedule',
  show: showMembers,
  handler: (_, { node }) => node.ask('get_witness_schedule_object', {}, 'schedule_obj'),
});
