import { command } from '../command.ts';

/** Locks the wallet: forgets all private keys until the password is given again. */
export const lockCommand = command({
  name: 'lock',
  doc: 'Locks the wallet: forgets all private keys until the password is given again.',
  params: {},
  example: 'lock',
  local: true,
  inTurn: true,
  handler: (_, { keys }) => {
    keys.lock();
    return null;
  },
});
