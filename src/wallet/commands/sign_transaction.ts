import { broadcastFlag, command } from '../command.ts';
import { sendOrPreview, signAsNeeded, signingRefusals } from '../send.ts';
import { requireNoKeys } from '../revealed_keys.ts';
import { checkForeignTransaction, foreignRefusals } from '../foreign_transaction.ts';
import { transactionInput } from '../transaction_json.ts';

/** Adds the signatures that a transaction still needs and this wallet can give. */
export const signTransactionCommand = command({
  name: 'sign_transaction',
  doc: 'Adds the signatures that a transaction still needs and this wallet can give.',
  params: { transaction: transactionInput, broadcast: broadcastFlag },
  example: 'sign_transaction @transaction.json false',
  needs: 'keys',
  refuses: { ...foreignRefusals, ...signingRefusals },
  handler: async ({ transaction, broadcast }, wallet) => {
    await requireNoKeys(wallet, transaction.operations);
    await checkForeignTransaction(wallet, transaction);
    return await sendOrPreview(wallet, await signAsNeeded(wallet, transaction), broadcast);
  },
});
