import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { operationCodec } from '../../operations/index.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { hash160 } from '../../values/hash.ts';
import { refuseBroadcast, renewedRefusals } from '../broadcast_refusals.ts';
import { method } from '../method.ts';
import { impersonatorRefusals, sendImpersonated, unlessReverted } from './impersonated.ts';
import { sampleOperation } from '../sample_transaction.ts';
import { buildTransaction, transactionRefusals } from '../transactions.ts';

/** Acts as any account. */
export const sendUnsigned = method({
  name: 'debug_api.send_unsigned',
  doc: 'Sends a transaction of these operations that the impersonator of the chain signs in place of the accounts that would have to. The same may be sent again. With `wait` answers when it is in a block.',
  params: {
    op_vec: Type.Array(coded(operationCodec), { maxItems: LARGEST_PAGE }),
    wait: Type.Boolean({ default: false }),
  },
  result: Type.Object({ transaction_id: coded(hash160), block_num: Type.Integer() }),
  example: { params: { op_vec: [sampleOperation] } },
  stability: 'experimental',
  refuses: { ...transactionRefusals, ...renewedRefusals, ...impersonatorRefusals },
  refusesForOperations: true,
  thread: 'writer',
  changes: true,

  async handler({ op_vec, wait }, call) {
    const transaction = call.rows.consistentRead(() => unlessReverted(call, buildTransaction(call, op_vec)));
    const { transactionId, blockNumber, expired } = await sendImpersonated(call, transaction, {
      method: 'debug_api.send_unsigned',
      waitFor: wait ? 'block' : 'accepted',
    });
    if (expired) refuseBroadcast.transaction_expired({ id: transactionId });
    return { transaction_id: transactionId, block_num: blockNumber };
  },
});
