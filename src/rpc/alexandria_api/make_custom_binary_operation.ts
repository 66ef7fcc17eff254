import { orderedSet } from '../../codec/collections.ts';
import { u64 } from '../../codec/primitives.ts';
import { accountName, givenName, compareNames } from '../../values/account_name.ts';
import { base64Data } from '../../values/base64_data.ts';
import { customBinary } from '../../operations/custom_binary.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildCustomBinary = method({
  name: 'alexandria_api.make_custom_binary_operation',
  doc: 'Builds the operation that sends bytes to accounts; `data` is base64, whose white space is skipped.',
  params: {
    app_id: coded(u64),
    from: coded(givenName),
    to: coded(orderedSet(accountName, compareNames)),
    data: coded(base64Data),
  },
  result: operationResult,
  example: { params: { app_id: 1, from: 'alice', to: ['bob'], data: 'aGVsbG8=' } },
  stability: 'stable',
  thread: 'read',
  handler: ({ app_id, from, to, data }, { parameters }) => ({
    op: customBinary.of({
      fee: noFee(parameters),
      sender: from,
      recipients: to,
      app_id,
      data: Buffer.from(data).toString('hex'),
    }),
  }),
});
