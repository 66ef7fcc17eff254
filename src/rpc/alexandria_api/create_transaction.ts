import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { signedTransaction } from '../../blocks/transaction.ts';
import { operationCodec } from '../../operations/index.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleOperation } from '../sample_transaction.ts';
import { buildTransaction, transactionRefusals } from '../transactions.ts';

/** An unsigned transaction of several operations. */
export const createTransaction = method({
  name: 'alexandria_api.create_transaction',
  doc: 'An unsigned transaction on top of the head block, which expires 30 seconds after it, or from now where the head stands; an hour on a development chain, whose time may run ahead of the clock. Fees are filled in.',
  params: { op_vec: Type.Array(coded(operationCodec), { maxItems: LARGEST_PAGE }) },
  result: Type.Object({ tx: coded(signedTransaction) }),
  example: { params: { op_vec: [sampleOperation] } },
  stability: 'stable',
  refuses: transactionRefusals,
  refusesForOperations: true,
  thread: 'read',
  handler: ({ op_vec }, call) => ({ tx: buildTransaction(call, op_vec) }),
});
