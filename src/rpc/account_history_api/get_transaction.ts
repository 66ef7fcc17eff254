import { refusals } from '../../base/refusal.ts';
import { hash160, ZERO_HASH160 } from '../../values/hash.ts';
import { processedTransaction, requireTransaction, unknownTransactionRefusals } from '../../queries/transactions.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleTransactionId } from '../sample_transaction.ts';

const refuse = refusals({
  zero_transaction_id: {
    text: 'no transaction has the id {id}',
    lineage: 'args.id != {word}::protocol::transaction_id_type(): Invalid id parameter',
  },
});

/** A transaction by its id. */
export const getTransaction = method({
  name: 'account_history_api.get_transaction',
  doc: 'The transaction of that id, with the block that it stands in and its place there; alexandria_api.get_transaction does the same.',
  params: { id: coded(hash160) },
  result: coded(processedTransaction),
  example: { params: { id: sampleTransactionId } },
  stability: 'deprecated',
  refuses: { ...refuse.texts, ...unknownTransactionRefusals },
  thread: 'read',

  handler({ id }, { rows, encoding }) {
    if (id === ZERO_HASH160) refuse.zero_transaction_id({ id: ZERO_HASH160, word: encoding.coinName });
    return requireTransaction(rows, id);
  },
});
