import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { hash160 } from '../../values/hash.ts';
import { anyBlockAge } from '../members.ts';
import { broadcastRefusals } from '../broadcast_refusals.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { broadcastTransactionParam } from '../transactions.ts';
import { waitForParam } from '../wait_for_param.ts';

/** Broadcasts a transaction and waits for its block. */
export const broadcastTransactionSynchronous = method({
  name: 'network_broadcast_api.broadcast_transaction_synchronous',
  doc: 'Sends a transaction and waits until it stands in a block, or in a final one where `wait_for` says so, or has expired, on arrival or while it waits: then block_num and trx_num are −1, as where it waits for no block.',
  params: { trx: broadcastTransactionParam, max_block_age: anyBlockAge, wait_for: waitForParam('block') },
  result: Type.Object({
    id: coded(hash160),
    block_num: Type.Integer({ minimum: -1, maximum: 0xffff_ffff }),
    trx_num: Type.Integer({ minimum: -1, maximum: 0xffff_ffff }),
    expired: Type.Boolean(),
  }),
  example: { params: { trx: sampleTransaction, max_block_age: -1 } },
  stability: 'experimental',
  refuses: broadcastRefusals,
  refusesForOperations: true,
  thread: 'broadcast',
  request: ({ trx, max_block_age, wait_for }) => ({ transaction: trx, waitFor: wait_for, maxBlockAge: max_block_age }),
  answersExpired: true,
  handler: ({ transactionId, blockNumber, transactionNumber, expired }, { encoding }) => ({
    id: transactionId,
    // The lineage returned the block at which the transaction had expired.
    block_num: transactionNumber < 0 && !speaksLineage(encoding) ? -1 : blockNumber,
    trx_num: transactionNumber,
    expired,
  }),
});
