import { transactionId } from '../../blocks/transaction.ts';
import { command } from '../command.ts';
import { transactionInput } from '../transaction_json.ts';

/** The id of a transaction, signed or not. */
export const getTransactionIdCommand = command({
  name: 'get_transaction_id',
  doc: 'The id of a transaction, signed or not.',
  params: { transaction: transactionInput },
  example: 'get_transaction_id @transaction.json',
  handler: ({ transaction }) => transactionId(transaction),
});
