import { i64 } from '../../codec/primitives.ts';
import { givenName } from '../../values/account_name.ts';
import { cancelApplicationBuying } from '../../operations/cancel_application_buying.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildCancelApplicationBuying = method({
  name: 'alexandria_api.cancel_application_buying',
  doc: 'Builds the operation that takes an application back from its buyer.',
  params: { app_owner: coded(givenName), buyer: coded(givenName), app_id: coded(i64) },
  result: operationResult,
  example: { params: { app_owner: 'alice', buyer: 'bob', app_id: 0 } },
  stability: 'stable',
  thread: 'read',
  handler: ({ app_owner, buyer, app_id }, { parameters }) => ({
    op: cancelApplicationBuying.of({ fee: noFee(parameters), app_owner, buyer, app_id }),
  }),
});
