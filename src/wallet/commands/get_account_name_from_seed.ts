import { text } from '../../codec/primitives.ts';
import { nameFromSeed } from '../../values/account_name.ts';
import { command } from '../command.ts';

/** The name of the account that a seed makes. */
export const getAccountNameFromSeedCommand = command({
  name: 'get_account_name_from_seed',
  doc: 'The name of the account that a seed makes.',
  params: { seed: text },
  example: 'get_account_name_from_seed alice',
  local: true,
  handler: ({ seed }) => nameFromSeed(seed),
});
