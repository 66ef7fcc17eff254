import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';

/** Unlocks the wallet. */
export const unlockCommand = command({
  name: 'unlock',
  doc: 'Unlocks the wallet.',
  params: { password: text },
  example: 'unlock',
  secrets: ['password'],
  local: true,
  inTurn: true,
  handler: async ({ password }, { keys }) => {
    await keys.unlock(password);
    return null;
  },
});
