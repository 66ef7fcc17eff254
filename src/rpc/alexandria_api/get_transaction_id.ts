import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { transactionId } from '../../blocks/transaction.ts';
import { hash160 } from '../../values/hash.ts';
import { longTexts } from '../../operations/index.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleTransaction, sampleTransactionId } from '../sample_transaction.ts';
import { givenTransaction } from '../transactions.ts';

/** The id of a transaction. */
export const getTransactionId = method({
  name: 'alexandria_api.get_transaction_id',
  doc: 'The id of a transaction, signed or not.',
  params: { tx: coded(givenTransaction) },
  result: Type.Object({ tx_id: coded(hash160) }),
  example: { params: { tx: sampleTransaction }, result: { tx_id: sampleTransactionId } },
  stability: 'stable',
  refuses: longTexts,
  thread: 'read',
  handler: ({ tx }) => ({ tx_id: transactionId(tx) }),
});
