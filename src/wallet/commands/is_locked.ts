import { command } from '../command.ts';

/** Tells whether the wallet is locked; a new one is locked too. */
export const isLockedCommand = command({
  name: 'is_locked',
  doc: 'Whether the wallet is locked; a new one is locked too.',
  params: {},
  example: 'is_locked',
  local: true,
  handler: (_, { keys }) => keys.state !== 'unlocked',
});
