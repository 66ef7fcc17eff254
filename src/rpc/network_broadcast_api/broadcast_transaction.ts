import { coded } from '../../jsonrpc/envelope/params.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { hash160 } from '../../values/hash.ts';
import { anyBlockAge } from '../members.ts';
import { broadcastRefusals, refuseBroadcast } from '../broadcast_refusals.ts';
import { method } from '../method.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { broadcastTransactionParam } from '../transactions.ts';
import { waitForParam } from '../wait_for_param.ts';

/** Broadcasts a transaction. */
export const broadcastTransaction = method({
  name: 'network_broadcast_api.broadcast_transaction',
  doc: 'Sends a transaction; answers as soon as this node has accepted it, or when its block has come or is final where `wait_for` says so: then with its place. Refused when the head block is older than max_block_age seconds, unless that is negative.',
  params: { trx: broadcastTransactionParam, max_block_age: anyBlockAge, wait_for: waitForParam('accepted') },
  result: Type.Object({
    id: Type.Optional(coded(hash160)),
    block_num: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 0xffff_ffff, description: 'where `wait_for` is block or final' }),
    ),
    trx_num: Type.Optional(Type.Integer({ minimum: 0, maximum: 0xffff_ffff })),
  }),
  example: { params: { trx: sampleTransaction, max_block_age: -1 }, result: {} },
  stability: 'experimental',
  refuses: broadcastRefusals,
  refusesForOperations: true,
  thread: 'broadcast',
  request: ({ trx, max_block_age, wait_for }) => ({ transaction: trx, waitFor: wait_for, maxBlockAge: max_block_age }),
  handler: ({ transactionId: id, blockNumber, transactionNumber, expired }) => {
    if (expired) refuseBroadcast.transaction_expired({ id });
    return transactionNumber < 0 ? {} : { id, block_num: blockNumber, trx_num: transactionNumber };
  },
});
