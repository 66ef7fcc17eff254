import { broadcastFlag, command } from '../command.ts';
import { broadcastTransaction, signAsNeeded } from '../send.ts';
import { checkForeignTransaction } from '../foreign_transaction.ts';
import { transactionInput, shownTransaction } from '../transaction_json.ts';
import { wordsOf } from '../wallet.ts';

/** Adds the signatures that a transaction still needs and this wallet can give. */
export const signTransactionCommand = command({
  name: 'sign_transaction',
  doc: 'Adds the signatures that a transaction still needs and this wallet can give.',
  params: { transaction: transactionInput, broadcast: broadcastFlag },
  example: 'sign_transaction @transaction.json false',
  needs: 'keys',
  handler: async ({ transaction, broadcast }, wallet) => {
    await checkForeignTransaction(wallet, transaction);
    const signed = await signAsNeeded(wallet, transaction);
    return broadcast ? await broadcastTransaction(wallet, signed) : shownTransaction(signed, await wordsOf(wallet));
  },
});
