import { Type } from '../../jsonrpc/typebox.ts';
import { orderedSet } from '../../codec/collections.ts';
import { u64 } from '../../codec/primitives.ts';
import { base64mDecode } from '../../crypto/base64m.ts';
import { accountName, givenName, compareNames } from '../../values/account_name.ts';
import { customBinary } from '../../operations/custom_binary.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/params.ts';

/** Builds an operation; it changes nothing. */
export const buildCustomBinary = method({
  name: 'alexandria_api.make_custom_binary_operation',
  doc: 'Builds the operation that sends bytes to accounts; `data` is base64.',
  params: { app_id: coded(u64), from: coded(givenName), to: coded(orderedSet(accountName, compareNames)), data: Type.String() },
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
      data: Buffer.from(base64mDecode(data)).toString('hex'),
    }),
  }),
});
