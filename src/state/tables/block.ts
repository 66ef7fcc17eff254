import type { ValueOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { u32Key } from '../../codec/key.ts';
import { packedBytes, u32, u64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { hash160 } from '../../values/hash.ts';
import { time } from '../../values/time.ts';
import { partFields } from './block_part.ts';

const row = struct({
  number: u32,
  id: hash160,
  /** Head time while the block's transactions were applied: that of the block before. */
  time_before: time,
  /** Bytes of the block as it travels. */
  packed_size: u32,
  /** The same of all blocks before it together, so that a mean over any stretch takes two rows. */
  bytes_before: u64,
  transaction_count: u32,
  /** How a travelling block begins: the signed header, then the count of transactions. */
  head: packedBytes,
  /** The first transactions of the further parts, ascending. */
  further_parts: vector(u32),
  /** The first part, which is all of most blocks; and what happened outside transactions. */
  ...partFields,
});

export type BlockRow = ValueOf<typeof row>;

/**
 * The blocks of the main branch and what they did besides what they say. Row 0 is no block: it holds the hardforks that were
 * applied at genesis. `stored_blocks.ts` reads and writes.
 */
export const blocks = table({ name: 'block', value: row, key: { number: u32Key }, column: 'block' });
