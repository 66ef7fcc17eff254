import { text, u32 } from '../../codec/primitives.ts';
import { command } from '../command.ts';
import { showWitnesses } from '../show/witnesses.ts';

/** Names of witnesses, by name from a lower bound on. */
export const listWitnessesCommand = command({
  name: 'list_witnesses',
  doc: 'Names of witnesses, by name from a lower bound on.',
  params: { lowerbound: text, limit: u32 },
  example: 'list_witnesses "" 100',
  show: showWitnesses,
  handler: ({ lowerbound: start, limit }, { node }) =>
    node.ask('list_witnesses', { start, limit, order: 'by_name' }, 'witnesses'),
});
