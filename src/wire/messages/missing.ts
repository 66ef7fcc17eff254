import { hash160, type BlockId } from '../../values/hash.ts';
import { BLOCKS, BULK } from '../lanes.ts';
import { inPieces, messageKind } from '../message_kind.ts';
import { atMost, members, sizedBytes, type WireValue } from '../wire_values.ts';
import { MOST_BLOCK_BYTES } from './block.ts';
import { MOST_MISSING } from './missing_request.ts';

/** No genesis allows a longer one. */
const MOST_TRANSACTION_BYTES = 1024 * 1024;

const transaction = sizedBytes(MOST_TRANSACTION_BYTES);
const wire = members({ id: hash160, transactions: atMost(MOST_MISSING, transaction) });

export type Missing = WireValue<typeof wire>;

/** The transactions that `missing_request` asked for, in its order. */
export const missing = messageKind({
  name: 'missing',
  layout: 'block id, list ≤ 32 768 of sized transactions of at most 1 MiB, in the order of the request',
  price: { payer: 'us', firstMs: 0.5 },
  lane: BLOCKS,
  mostBytes: 256 * 1024,
  large: { lane: BULK, mostBytes: MOST_BLOCK_BYTES },
  wire,
});

/** The beginning of the message, for a sender that writes it a part at a time. */
export function missingHead(id: BlockId, transactions: number): readonly Uint8Array[] {
  return inPieces((out) => {
    hash160.write(out, id);
    out.varint(transactions);
  });
}

/** Writes some of its transactions. */
export function missingPart(transactions: readonly Uint8Array[]): readonly Uint8Array[] {
  return inPieces((out) => {
    for (const packed of transactions) transaction.write(out, packed);
  });
}
