import { command } from '../command.ts';
import { showMembers } from '../show/members.ts';

/** Shows the node's version, its build and the id of its chain. */
export const aboutCommand = command({
  name: 'about',
  doc: 'What the node says of itself: its version, its build and the id of its chain.',
  params: {},
  example: 'about',
  show: showMembers,
  handler: (_, { node }) => node.ask('about', {}, 'about'),
});
