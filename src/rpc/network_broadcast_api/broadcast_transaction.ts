import { Type } from '../../jsonrpc/typebox.ts';
import { anyBlockAge } from '../members.ts';
import { broadcastRefusals } from '../broadcast_refusals.ts';
import { method } from '../method.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { broadcastTransactionParam } from '../transactions.ts';

/** Broadcasts a transaction. */
export const broadcastTransaction = method({
  name: 'network_broadcast_api.broadcast_transaction',
  doc: 'Sends a transaction; answers as soon as this node has accepted it. Refused when the head block is older than max_block_age seconds, unless that is negative.',
  params: { trx: broadcastTransactionParam, max_block_age: anyBlockAge },
  result: Type.Object({}),
  example: { params: { trx: sampleTransaction, max_block_age: -1 }, result: {} },
  stability: 'experimental',
  refuses: broadcastRefusals,
  refusesForOperations: true,
  thread: 'broadcast',
  request: ({ trx, max_block_age }) => ({ transaction: trx, waitFor: 'accepted', maxBlockAge: max_block_age }),
  handler: () => ({}),
});
