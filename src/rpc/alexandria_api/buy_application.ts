import { i64 } from '../../codec/primitives.ts';
import { givenName } from '../../values/account_name.ts';
import { buyApplication } from '../../operations/buy_application.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildBuyApplication = method({
  name: 'alexandria_api.buy_application',
  doc: 'Builds the operation that buys an application.',
  params: { buyer: coded(givenName), app_id: coded(i64) },
  result: operationResult,
  example: { params: { buyer: 'bob', app_id: 0 } },
  stability: 'stable',
  thread: 'read',
  handler: ({ buyer, app_id }, { parameters }) => ({
    op: buyApplication.of({ fee: noFee(parameters), buyer, app_id }),
  }),
});
