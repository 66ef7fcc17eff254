import { hash160 } from '../../values/hash.ts';
import { BLOCKS, BULK } from '../lanes.ts';
import { messageKind } from '../message_kind.ts';
import { atMost, members, sizedBytes, type WireValue } from '../wire_values.ts';
import { MOST_BLOCK_BYTES } from './block.ts';
import { MOST_MISSING } from './missing_request.ts';

/** No genesis allows a longer one. */
const MOST_TRANSACTION_BYTES = 1024 * 1024;

const wire = members({ id: hash160, transactions: atMost(MOST_MISSING, sizedBytes(MOST_TRANSACTION_BYTES)) });

export type Missing = WireValue<typeof wire>;

/** The transactions that `missing_request` asked for, in its order. */
export const missing = messageKind({
  name: 'missing',
  price: { payer: 'us', firstMs: 0.5 },
  lane: BLOCKS,
  mostBytes: 256 * 1024,
  large: { lane: BULK, mostBytes: MOST_BLOCK_BYTES },
  wire,
});
