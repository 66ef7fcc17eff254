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
  /** The head block time while the block's transactions were applied: the previous block's time. */
  time_before: time,
  /** The packed size of the block in bytes. */
  packed_size: u32,
  /** The total of that for all previous blocks, so that a mean over any range takes two rows. */
  bytes_before: u64,
  transaction_count: u32,
  /** The beginning of the packed block: the signed header, then the count of transactions. */
  head: packedBytes,
  /** The number of the first transaction in each further part, ascending. */
  further_parts: vector(u32),
  /** The first part, which is the whole of most blocks, with what happened outside transactions. */
  ...partFields,
});

export type BlockRow = ValueOf<typeof row>;

/**
 * The blocks of the main branch and their effects besides their content. Row 0 is not a block: it holds the hardforks
 * applied at genesis. Read and written by `stored_blocks.ts`.
 */
export const blocks = table({ name: 'block', value: row, key: { number: u32Key }, column: 'block' });
