import { command } from '../command.ts';

/** Tells whether the wallet has no password yet. */
export const isNewCommand = command({
  name: 'is_new',
  doc: 'Whether the wallet has no password yet.',
  params: {},
  example: 'is_new',
  local: true,
  handler: (_, { keys }) => keys.state === 'new',
});
