import { command } from '../command.ts';
import { broadcastTransaction, chainRefusals, requireChain } from '../send.ts';
import { requireNoKeys, revealedKeyRefusals } from '../revealed_keys.ts';
import { transactionInput } from '../transaction_json.ts';

/** Sends a transaction that is signed already. */
export const broadcastTransactionCommand = command({
  name: 'broadcast_transaction',
  doc: 'Sends a transaction that is signed already.',
  params: { transaction: transactionInput },
  example: 'broadcast_transaction @transaction.json',
  sends: true,
  refuses: { ...chainRefusals, ...revealedKeyRefusals },
  handler: async ({ transaction }, wallet) => {
    await requireChain(wallet);
    await requireNoKeys(wallet, transaction.operations);
    return await broadcastTransaction(wallet, transaction);
  },
});
