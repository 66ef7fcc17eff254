import Type from 'typebox';
import { u32 } from '../../codec/primitives.ts';
import { hash160 } from '../../values/hash.ts';
import { anyBlockAge } from '../members.ts';
import { synchronousRefusals } from '../broadcast_refusals.ts';
import { method } from '../method.ts';
import { coded } from '../params.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { broadcastTransactionParam } from '../transactions.ts';

/** Sends a transaction and waits for its block. */
export const broadcastTransactionSynchronous = method({
  name: 'network_broadcast_api.broadcast_transaction_synchronous',
  doc: 'Sends a transaction and waits until it stands in a block, or until a block shows that it has expired: then trx_num is −1.',
  params: { trx: broadcastTransactionParam, max_block_age: anyBlockAge },
  result: Type.Object({
    id: coded(hash160),
    block_num: coded(u32),
    trx_num: Type.Integer({ minimum: -1, maximum: 0xffff_ffff }),
    expired: Type.Boolean(),
  }),
  example: { params: { trx: sampleTransaction, max_block_age: -1 } },
  stability: 'experimental',
  refuses: synchronousRefusals,
  refusesForOperations: true,
  thread: 'broadcast',
  order: ({ trx, max_block_age }) => ({ transaction: trx, waitFor: 'block', maxBlockAge: max_block_age }),
  handler: ({ transactionId, blockNumber, transactionNumber, expired }) => ({
    id: transactionId,
    block_num: blockNumber,
    trx_num: expired ? -1 : transactionNumber,
    expired,
  }),
});
