import { Type } from '../../jsonrpc/typebox.ts';
import { method } from '../method.ts';
import { waitingRefusals } from '../broadcast_refusals.ts';
import { processed } from './broadcasting.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { writtenBy } from '../../jsonrpc/results.ts';
import { processedTransaction } from '../../queries/transactions.ts';
import { broadcastTransactionParam } from '../transactions.ts';

/** Sends a transaction and waits for its block. */
export const broadcastTransaction = method({
  name: 'alexandria_api.broadcast_transaction',
  doc: 'Sends a transaction and waits until it stands in a block, refused when it expires before.',
  params: { tx: broadcastTransactionParam },
  result: Type.Object({ tx: writtenBy(processedTransaction) }),
  example: { params: { tx: sampleTransaction } },
  stability: 'stable',
  refuses: waitingRefusals,
  refusesForOperations: true,
  thread: 'broadcast',
  request: ({ tx }) => ({ transaction: tx, waitFor: 'block', maxBlockAge: -1 }),
  handler: (outcome, { notation }) => ({ tx: processed(outcome, notation) }),
});
