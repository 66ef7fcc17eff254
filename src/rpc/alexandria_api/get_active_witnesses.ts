import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { accountName } from '../../values/account_name.ts';
import { activeWitnesses } from '../../queries/active_witnesses.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The witnesses of the current round. */
export const getActiveWitnesses = method({
  name: 'alexandria_api.get_active_witnesses',
  doc: 'The witnesses that produce blocks in the running round, in the order of their slots.',
  params: {},
  result: Type.Object({ active_witnesses: Type.Array(coded(accountName)) }),
  example: { params: {} },
  stability: 'stable',
  thread: 'read',
  handler: (_, { rows, encoding }) => ({ active_witnesses: activeWitnesses(rows, encoding) }),
});
