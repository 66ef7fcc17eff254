import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { method } from '../method.ts';
import { waitingRefusals } from '../broadcast_refusals.ts';
import { processed } from './broadcasting.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { codedResult } from '../../jsonrpc/envelope/results.ts';
import { processedTransaction } from '../../queries/transactions.ts';
import { broadcastTransactionParam } from '../transactions.ts';
import { waitForParam } from '../wait_for_param.ts';

/** Sends a transaction and waits for its block. */
export const broadcastTransaction = method({
  name: 'alexandria_api.broadcast_transaction',
  doc: 'Sends a transaction and waits until it stands in a block, or in a final one where `wait_for` says so; refused when it expires before. Where it waits for no block, block_num is 0.',
  params: { tx: broadcastTransactionParam, wait_for: waitForParam('block') },
  result: Type.Object({ tx: codedResult(processedTransaction) }),
  example: { params: { tx: sampleTransaction } },
  stability: 'stable',
  refuses: waitingRefusals,
  refusesForOperations: true,
  thread: 'broadcast',
  request: ({ tx, wait_for }) => ({ transaction: tx, waitFor: wait_for, showsTransaction: true, maxBlockAge: -1 }),
  handler: (outcome, { encoding }) => ({ tx: processed(outcome, encoding) }),
});
