import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { digest } from '../../values/hash.ts';
import { longTexts } from '../../operations/index.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { transactionDigest, givenTransaction } from '../transactions.ts';

/** The digest to be signed. */
export const getTransactionDigest = method({
  name: 'alexandria_api.get_transaction_digest',
  doc: 'What the signatures of a transaction sign on this chain.',
  params: { tx: coded(givenTransaction) },
  result: Type.Object({ tx_digest: coded(digest) }),
  example: { params: { tx: sampleTransaction } },
  stability: 'stable',
  refuses: longTexts,
  thread: 'read',
  handler: ({ tx }, { parameters }) => ({ tx_digest: transactionDigest(parameters, tx) }),
});
