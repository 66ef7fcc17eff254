import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { packTransaction } from '../../blocks/transaction.ts';
import { hexBytes } from '../../codec/primitives.ts';
import { sampleTransaction } from '../sample_transaction.ts';
import { givenTransaction } from '../transactions.ts';
import { longTexts } from '../../operations/index.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The bytes of a transaction with its signatures. */
export const getTransactionHex = method({
  name: 'database_api.get_transaction_hex',
  doc: 'The bytes of a transaction with its signatures.',
  params: { trx: coded(givenTransaction) },
  result: Type.Object({ hex: coded(hexBytes) }),
  example: { params: { trx: sampleTransaction } },
  stability: 'experimental',
  refuses: longTexts,
  thread: 'read',
  handler: ({ trx }) => ({ hex: Buffer.from(packTransaction(trx).packed).toString('hex') }),
});
