import { command } from '../command.ts';
import { showMembers } from '../show/members.ts';

/** The head of the chain, what the witnesses agreed on, and how the chain is doing. */
export const infoCommand = command({
  name: 'info',
  doc: 'The head of the chain, what the witnesses agreed on, and how the chain is doing.',
  params: {},
  example: 'info',
  show: showMembers,
  handler: (_, { node }) => node.ask('info', {}, 'info'),
});
