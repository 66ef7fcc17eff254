import { vector } from '../../codec/collections.ts';
import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';

/** Applications by their names; where there is none, there is no record. */
export const getApplicationsCommand = command({
  name: 'get_applications',
  doc: 'Applications by their names; where there is none, there is no record.',
  params: { names: vector(text) },
  example: 'get_applications [chat]',
  handler: ({ names }, { node }) => node.ask('get_applications', { names: [...names] }, 'applications'),
});
