import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { accountName } from '../../values/account_name.ts';
import { activeWitnesses } from '../../queries/active_witnesses.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The witnesses that produce blocks in the current round, in slot order. */
export const getActiveWitnesses = method({
  name: 'database_api.get_active_witnesses',
  doc: 'The witnesses that produce blocks in the running round, in the order of their slots.',
  params: {},
  result: Type.Object({ witnesses: Type.Array(coded(accountName)) }),
  example: { params: {} },
  stability: 'experimental',
  thread: 'read',
  handler: (_, { rows, encoding }) => ({ witnesses: activeWitnesses(rows, encoding) }),
});
