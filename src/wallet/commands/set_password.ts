import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';
import { refusePassword } from '../key_file/contents.ts';
import { keyStoreRefusals } from '../key_store.ts';

/** Gives a new wallet its password and writes its file, or changes the password of an unlocked one. */
export const setPasswordCommand = command({
  name: 'set_password',
  doc: 'Gives a new wallet its password and writes its file, or changes the password of an unlocked one. Locked afterwards.',
  params: { new_password: text },
  example: 'set_password',
  secrets: ['new_password'],
  local: true,
  inTurn: true,
  refuses: {
    password_locked: keyStoreRefusals.password_locked,
    wallet_changed: keyStoreRefusals.wallet_changed,
    plain_key_file: keyStoreRefusals.plain_key_file,
    empty_password: refusePassword.texts.empty_password,
  },
  handler: async ({ new_password }, { keys }) => {
    await keys.setPassword(new_password);
    return null;
  },
});
