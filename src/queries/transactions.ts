import { refusals } from '../base/refusal.ts';
import { signedTransaction } from '../blocks/transaction.ts';
import { ByteReader } from '../codec/bytes.ts';
import type { ValueOf } from '../codec/codec.ts';
import { u32 } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { blockRow, oldestBlock, findPart, partTransaction } from '../state/stored_blocks.ts';
import { transactionLocations } from '../state/tables/transaction_location.ts';
import type { RowReader } from '../storage/rows.ts';
import { hash160, type TransactionId } from '../values/hash.ts';
import { prunedRefusals, refusePruned } from './pruned.ts';

/** A transaction and its place in the chain. */
export const processedTransaction = struct({
  ...signedTransaction.fields,
  transaction_id: hash160,
  block_num: u32,
  transaction_num: u32,
});

export type ProcessedTransaction = ValueOf<typeof processedTransaction>;

const refuse = refusals({
  unknown_transaction: {
    text: 'no block of this chain holds a transaction with the id {id}',
    lineage: 'false: Unknown Transaction {id}',
  },
});

/** The refusals of looking up a transaction. */
export const unknownTransactionRefusals = { ...refuse.texts, ...prunedRefusals };

/**
 * The transaction with that id; refused when the main branch has none. Where old blocks are not kept, one of them may
 * have had it, so that is refused otherwise.
 */
export function requireTransaction(rows: RowReader, id: TransactionId): ProcessedTransaction {
  const place = rows.get(transactionLocations, id);
  const block = place === undefined ? undefined : blockRow(rows, place.block);
  const part = place === undefined || block === undefined ? undefined : findPart(rows, block, place.index);
  if (place === undefined || part === undefined) return refuseUnknown(rows, id);
  const transaction = signedTransaction.read(new ByteReader(partTransaction(part, place.index)));
  return { ...transaction, transaction_id: id, block_num: place.block, transaction_num: place.index };
}

function refuseUnknown(rows: RowReader, id: TransactionId): never {
  if (oldestBlock(rows) === 1) return refuse.unknown_transaction({ id });
  return refusePruned(rows, `transaction ${id} is in no block that is kept; if there is one, it`);
}
