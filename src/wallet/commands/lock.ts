import { command } from '../command.ts';
import { lockedRefusals } from '../key_store.ts';

/** Locks the wallet: forgets all private keys until the password is given again. */
export const lockCommand = command({
  name: 'lock',
  doc: 'Locks the wallet: forgets all private keys until the password is given again.',
  params: {},
  example: 'lock',
  local: true,
  inTurn: true,
  refuses: { wallet_locked: lockedRefusals.wallet_locked },
  handler: (_, { keys }) => {
    keys.lock();
    return null;
  },
});
