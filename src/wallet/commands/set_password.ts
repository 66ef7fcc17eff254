import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';

/** Gives a new wallet its password and writes its file, or changes the password of an unlocked one. */
export const setPasswordCommand = command({
  name: 'set_password',
  doc: 'Gives a new wallet its password and writes its file, or changes the password of an unlocked one. Locked afterwards.',
  params: { new_password: text },
  example: 'set_password',
  secrets: ['new_password'],
  local: true,
  inTurn: true,
  handler: async ({ new_password }, { keys }) => {
    await keys.setPassword(new_password);
    return null;
  },
});
