import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { accountName, nameFromSeed } from '../../values/account_name.ts';
import { accountText } from '../members.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The name that account_create derives from a seed. */
export const getAccountNameFromSeed = method({
  name: 'alexandria_api.get_account_name_from_seed',
  doc: 'The name that the chain gives to an account created with this seed.',
  params: { seed: accountText },
  result: Type.Object({ account_name: coded(accountName) }),
  example: { params: { seed: 'alice' }, result: { account_name: 'nbyckkPfkdV4OQtmdTh93QjB5CI' } },
  stability: 'stable',
  thread: 'read',
  handler: ({ seed }) => ({ account_name: nameFromSeed(seed) }),
});
