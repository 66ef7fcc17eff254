import { accountName, givenName } from '../../values/account_name.ts';
import { accountWitnessProxy } from '../../operations/account_witness_proxy.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildAccountWitnessProxy = method({
  name: 'alexandria_api.set_voting_proxy',
  doc: 'Builds the operation that lets another account vote for this one; an empty proxy ends that.',
  params: { account_to_modify: coded(givenName), proxy: coded(accountName) },
  result: operationResult,
  example: { params: { account_to_modify: 'alice', proxy: 'bob' } },
  stability: 'stable',
  thread: 'read',
  handler: ({ account_to_modify, proxy }, { parameters }) => ({
    op: accountWitnessProxy.of({ fee: noFee(parameters), account: account_to_modify, proxy }),
  }),
});
