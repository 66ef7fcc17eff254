import { command } from '../command.ts';
import { showSchedule } from '../show/witnesses.ts';

/** The witnesses of the running round, in the order of their slots. */
export const getActiveWitnessesCommand = command({
  name: 'get_active_witnesses',
  doc: 'The witnesses of the running round, in the order of their slots.',
  params: {},
  example: 'get_active_witnesses',
  show: showSchedule,
  handler: (_, { node }) => node.ask('get_active_witnesses', {}, 'active_witnesses'),
});
