import { command } from '../command.ts';
import { broadcastTransaction, requireChain } from '../send.ts';
import { transactionInput } from '../transaction_json.ts';

/** Sends a transaction that is signed already. */
export const broadcastTransactionCommand = command({
  name: 'broadcast_transaction',
  doc: 'Sends a transaction that is signed already.',
  params: { transaction: transactionInput },
  example: 'broadcast_transaction @transaction.json',
  sends: true,
  handler: async ({ transaction }, wallet) => {
    await requireChain(wallet);
    return await broadcastTransaction(wallet, transaction);
  },
});
