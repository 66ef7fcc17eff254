import { givenName } from '../../values/account_name.ts';
import { accountDelete } from '../../operations/account_delete.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildAccountDelete = method({
  name: 'alexandria_api.delete_account',
  doc: 'Builds the operation that deletes an account.',
  params: { account_name: coded(givenName) },
  result: operationResult,
  example: { params: { account_name: 'alice' } },
  stability: 'stable',
  thread: 'read',
  handler: ({ account_name }, { parameters }) => ({
    op: accountDelete.of({ fee: noFee(parameters), account: account_name }),
  }),
});
