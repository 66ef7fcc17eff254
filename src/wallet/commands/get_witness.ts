import { nameMeant } from '../accounts.ts';
import { command } from '../command.ts';
import { accountText } from '../params.ts';
import { showWitness } from '../show/witnesses.ts';

/** The witness that an account owns; null when it owns none. */
export const getWitnessCommand = command({
  name: 'get_witness',
  doc: 'The witness that an account owns; null when it owns none.',
  params: { owner_account: accountText },
  example: 'get_witness initminer',
  show: showWitness,
  handler: async ({ owner_account }, wallet) =>
    await wallet.node.ask('get_witness', { owner_account: await nameMeant(wallet, owner_account) }, 'witness'),
});
