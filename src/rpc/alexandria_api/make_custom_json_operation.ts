import { orderedSet } from '../../codec/collections.ts';
import { u64 } from '../../codec/primitives.ts';
import { accountName, givenName, compareNames } from '../../values/account_name.ts';
import { customJson } from '../../operations/custom_json.ts';
import { sentText } from '../../values/limited_text.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildCustomJson = method({
  name: 'alexandria_api.make_custom_json_operation',
  doc: 'Builds the operation that sends a JSON document to accounts.',
  params: {
    app_id: coded(u64),
    from: coded(givenName),
    to: coded(orderedSet(accountName, compareNames)),
    json: coded(sentText),
  },
  result: operationResult,
  example: { params: { app_id: 1, from: 'alice', to: ['bob'], json: '{"hello":"bob"}' } },
  stability: 'stable',
  thread: 'read',
  handler: ({ app_id, from, to, json }, { parameters }) => ({
    op: customJson.of({ fee: noFee(parameters), sender: from, recipients: to, app_id, json }),
  }),
});
