import { refusals } from '../base/refusal.ts';
import { readOwnBlock, signedBlock, type PackedBlock } from '../blocks/block.ts';
import { blockSigner } from '../blocks/prove.ts';
import { signedTransaction } from '../blocks/transaction.ts';
import { ByteReader } from '../codec/bytes.ts';
import type { ValueOf } from '../codec/codec.ts';
import { vector } from '../codec/collections.ts';
import { struct } from '../codec/struct.ts';
import { blockRow, partWith, storedBlock, transactionIn } from '../state/stored_blocks.ts';
import { transactionLocations } from '../state/tables/transaction_location.ts';
import type { RowReader } from '../storage/rows.ts';
import { hash160, type TransactionId } from '../values/hash.ts';
import { NULL_KEY, publicKey } from '../values/public_key.ts';
import type { ProcessedTransaction } from './transactions.ts';

/** A block and what follows from it. */
export const blockRecord = struct({ ...signedBlock.fields, block_id: hash160, signing_key: publicKey, transaction_ids: vector(hash160) });

export type BlockRecord = ValueOf<typeof blockRecord>;

/** A block as it is given: what only follows from it may be there and does not count. */
export const givenBlock = struct(signedBlock.fields, { ignored: /^(?:block_id|signing_key|transaction_ids)$/ });

/** The block of that number in the main branch. */
export function blockAt(rows: RowReader, number: number): PackedBlock | undefined {
  const stored = storedBlock(rows, number);
  return stored === undefined ? undefined : readOwnBlock(stored.packed, stored.id);
}

export function blockRecordOf(block: PackedBlock): BlockRecord {
  return {
    ...block.header,
    transactions: block.transactions.map(({ transaction }) => transaction),
    block_id: block.id,
    signing_key: blockSigner(block) ?? NULL_KEY,
    transaction_ids: block.transactions.map(({ id }) => id),
  };
}

/** The transaction of that id in the main branch, and where it stands. */
function transactionNamed(rows: RowReader, id: TransactionId): ProcessedTransaction | undefined {
  const place = rows.get(transactionLocations, id);
  const block = place === undefined ? undefined : blockRow(rows, place.block);
  const part = place === undefined || block === undefined ? undefined : partWith(rows, block, place.index);
  if (place === undefined || part === undefined) return undefined;
  const transaction = signedTransaction.read(new ByteReader(transactionIn(part, place.index)));
  return { ...transaction, transaction_id: id, block_num: place.block, transaction_num: place.index };
}

const refuse = refusals({
  unknown_transaction: {
    text: 'no block of this chain holds a transaction with the id {id}',
    lineage: 'false: Unknown Transaction {id}',
  },
});

/** What looking up a transaction may refuse. */
export const unknownTransactionRefusals = refuse.texts;

/** The transaction of that id; refused when the main branch has none. */
export function requireTransaction(rows: RowReader, id: TransactionId): ProcessedTransaction {
  return transactionNamed(rows, id) ?? refuse.unknown_transaction({ id });
}
