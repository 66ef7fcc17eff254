import { givenName } from '../../values/account_name.ts';
import { witnessStop } from '../../operations/witness_stop.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildWitnessStop = method({
  name: 'alexandria_api.stop_witness',
  doc: 'Builds the operation that stops a witness.',
  params: { witness_account_name: coded(givenName) },
  result: operationResult,
  example: { params: { witness_account_name: 'initminer' } },
  stability: 'stable',
  thread: 'read',
  handler: ({ witness_account_name }, { parameters }) => ({
    op: witnessStop.of({ fee: noFee(parameters), owner: witness_account_name }),
  }),
});
