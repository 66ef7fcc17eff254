import { signedTransaction } from '../blocks/transaction.ts';
import { ByteReader } from '../codec/bytes.ts';
import { writeJson } from '../codec/json_writer.ts';
import { struct } from '../codec/struct.ts';
import { defaultDialect } from '../jsonrpc/envelope/dialect.ts';
import { hash160, type TransactionId } from '../values/hash.ts';
import { makeEncoding } from './make_encoding.ts';
import type { Services } from './services.ts';
import { findStanding } from './transaction_status_api/find_transaction.ts';

const shownTransaction = struct({ ...signedTransaction.fields, transaction_id: hash160 });

/**
 * The status of a transaction, as `find_transaction` tells it, with the transaction itself while it waits for a block. JSON for the explorer: no method tells the operations of a transaction before a block has it.
 */
export async function pendingTransactionText(
  services: Pick<Services, 'rows' | 'intake' | 'symbols'>,
  id: TransactionId,
): Promise<string> {
  for (;;) {
    const standing = await findStanding(services, id, null);
    if (standing.status !== 'pending') return writeJson(standing);
    const packed = await services.intake.pendingTransaction(id);
    // A block may have it by now, or the node has dropped it.
    if (packed === undefined) continue;
    const transaction = { ...signedTransaction.read(new ByteReader(packed)), transaction_id: id };
    const encoding = makeEncoding(services.symbols, 'alexandria_api', defaultDialect);
    return writeJson({ ...standing, transaction: shownTransaction.toJson(transaction, encoding) });
  }
}
