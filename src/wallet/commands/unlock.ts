import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';
import { refusePassword } from '../key_file/contents.ts';
import { keyStoreRefusals } from '../key_store.ts';

/** Unlocks the wallet. */
export const unlockCommand = command({
  name: 'unlock',
  doc: 'Unlocks the wallet.',
  params: { password: text },
  example: 'unlock',
  secrets: ['password'],
  local: true,
  inTurn: true,
  refuses: { wallet_new: keyStoreRefusals.wallet_new, ...refusePassword.texts },
  handler: async ({ password }, { keys }) => {
    await keys.unlock(password);
    return null;
  },
});
