import { readOwnBlock, signedBlock, type PackedBlock } from '../blocks/block.ts';
import { blockSigner } from '../blocks/verify.ts';
import type { ValueOf } from '../codec/codec.ts';
import { vector } from '../codec/collections.ts';
import { struct } from '../codec/struct.ts';
import { storedBlock } from '../state/stored_blocks.ts';
import type { RowReader } from '../storage/rows.ts';
import { hash160 } from '../values/hash.ts';
import { NULL_KEY, publicKey } from '../values/public_key.ts';
import { requireKept } from './pruned.ts';

/** A block with the values derived from it. */
export const blockRecord = struct({
  ...signedBlock.fields,
  block_id: hash160,
  signing_key: publicKey,
  transaction_ids: vector(hash160),
});

export type BlockRecord = ValueOf<typeof blockRecord>;

/** A block as given by a client: derived values may be present and are ignored. */
export const givenBlock = struct(signedBlock.fields, { ignored: /^(?:block_id|signing_key|transaction_ids)$/ });

/** The block of that number in the main branch; refused when it is no longer kept. */
export function getBlock(rows: RowReader, number: number): PackedBlock | undefined {
  const stored = storedBlock(rows, number);
  if (stored === undefined) requireKept(rows, number);
  return stored === undefined ? undefined : readOwnBlock(stored.packed, stored.id);
}

export function makeBlockRecord(block: PackedBlock): BlockRecord {
  return {
    ...block.header,
    transactions: block.transactions.map(({ transaction }) => transaction),
    block_id: block.id,
    signing_key: blockSigner(block) ?? NULL_KEY,
    transaction_ids: block.transactions.map(({ id }) => id),
  };
}
