import { Type } from '../../jsonrpc/typebox.ts';
import { speaksLineage } from '../../codec/notation.ts';
import { hash160 } from '../../values/hash.ts';
import { anyBlockAge } from '../members.ts';
import { synchronousRefusals } from '../broadcast_refusals.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/params.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { broadcastTransactionParam } from '../transactions.ts';

/** Broadcasts a transaction and waits for its block. */
export const broadcastTransactionSynchronous = method({
  name: 'network_broadcast_api.broadcast_transaction_synchronous',
  doc: 'Sends a transaction and waits until it stands in a block, or has expired, on arrival or while it waits: then block_num and trx_num are −1.',
  params: { trx: broadcastTransactionParam, max_block_age: anyBlockAge },
  result: Type.Object({
    id: coded(hash160),
    block_num: Type.Integer({ minimum: -1, maximum: 0xffff_ffff }),
    trx_num: Type.Integer({ minimum: -1, maximum: 0xffff_ffff }),
    expired: Type.Boolean(),
  }),
  example: { params: { trx: sampleTransaction, max_block_age: -1 } },
  stability: 'experimental',
  refuses: synchronousRefusals,
  refusesForOperations: true,
  thread: 'broadcast',
  request: ({ trx, max_block_age }) => ({ transaction: trx, waitFor: 'block', maxBlockAge: max_block_age }),
  answersExpired: true,
  handler: ({ transactionId, blockNumber, transactionNumber, expired }, { notation }) => ({
    id: transactionId,
    // The lineage returned the block at which the transaction had expired.
    block_num: expired && !speaksLineage(notation) ? -1 : blockNumber,
    trx_num: expired ? -1 : transactionNumber,
    expired,
  }),
});
