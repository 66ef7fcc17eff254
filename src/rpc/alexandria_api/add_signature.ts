import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { signedTransaction } from '../../blocks/transaction.ts';
import { signature } from '../../values/hash.ts';
import { longTexts } from '../../operations/index.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { givenTransaction } from '../transactions.ts';

/** A transaction with one more signature. */
export const addSignature = method({
  name: 'alexandria_api.add_signature',
  doc: 'The transaction with one more signature; whether it is of any use is not asked.',
  params: { tx: coded(givenTransaction), signature: coded(signature) },
  result: Type.Object({ signed_tx: coded(signedTransaction) }),
  example: {
    params: { tx: { ...sampleTransaction, signatures: [] }, signature: sampleTransaction.signatures[0] ?? '' },
  },
  stability: 'stable',
  refuses: longTexts,
  thread: 'read',
  handler: ({ tx, signature: added }) => ({ signed_tx: { ...tx, signatures: [...tx.signatures, added] } }),
});
