import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { accounts } from '../../state/tables/account.ts';
import { namesMeant } from './account_lookup.ts';
import { accountText } from '../members.ts';
import { method } from '../method.ts';

/** True if a name or a seed has an account. */
export const accountExist = method({
  name: 'alexandria_api.account_exist',
  doc: 'Whether there is an account of that name, or one whose name was made from that text as a seed.',
  params: { account_name: accountText },
  result: Type.Object({ account_exist: Type.Boolean() }),
  example: { params: { account_name: 'alice' }, result: { account_exist: true } },
  stability: 'stable',
  thread: 'read',
  handler: ({ account_name }, { rows, encoding }) => ({
    account_exist: namesMeant(encoding, account_name).some((name) => rows.get(accounts, name) !== undefined),
  }),
});
