import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { signedTransaction } from '../../blocks/transaction.ts';
import { operationCodec } from '../../operations/index.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleOperation } from '../sample_transaction.ts';
import { buildTransaction } from '../transactions.ts';

/** An unsigned transaction of one operation. */
export const createSimpleTransaction = method({
  name: 'alexandria_api.create_simple_transaction',
  doc: 'An unsigned transaction of one operation on top of the head block, which expires 30 seconds after it, or from now where the head stands; an hour on a development chain, whose time may run ahead of the clock. The fee is filled in.',
  params: { op: coded(operationCodec) },
  result: Type.Object({ simple_tx: coded(signedTransaction) }),
  example: { params: { op: sampleOperation } },
  stability: 'stable',
  refusesForOperations: true,
  thread: 'read',
  handler: ({ op }, call) => ({ simple_tx: buildTransaction(call, [op]) }),
});
