import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { refusals } from '../../base/refusal.ts';
import { hash160, ZERO_HASH160 } from '../../values/hash.ts';
import { processedTransaction, requireTransaction, unknownTransactionRefusals } from '../../queries/transactions.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleTransactionId } from '../sample_transaction.ts';

const refuse = refusals({
  zero_transaction_id: {
    text: 'no transaction has the id {id}',
    lineage: 'args.tx_id != {word}::protocol::transaction_id_type(): Invalid tx_id parameter',
  },
});

/** A transaction by its id. */
export const getTransaction = method({
  name: 'alexandria_api.get_transaction',
  doc: 'The transaction of that id, with the block that it stands in and its place there.',
  params: { tx_id: coded(hash160) },
  result: Type.Object({ tx: coded(processedTransaction) }),
  example: { params: { tx_id: sampleTransactionId } },
  stability: 'stable',
  refuses: { ...refuse.texts, ...unknownTransactionRefusals },
  thread: 'read',

  handler({ tx_id }, { rows, encoding }) {
    if (tx_id === ZERO_HASH160) refuse.zero_transaction_id({ id: ZERO_HASH160, word: encoding.coinName });
    return { tx: requireTransaction(rows, tx_id) };
  },
});
