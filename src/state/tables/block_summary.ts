import { vector } from '../../codec/collections.ts';
import { u16Key } from '../../codec/key.ts';
import { u16 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { hash160 } from '../../values/hash.ts';

const row = struct({
  page: u16,
  /** One for each slot of the page up to the last one ever written. */
  block_ids: vector(hash160),
});

/**
 * Ids of the last 65 536 blocks, at block number mod 65 536, for reference checks; 32 slots per row, so that blocks
 * written together share one. Read and written by `block_ids.ts`.
 */
export const blockSummaries = table({
  name: 'block_summary',
  value: row,
  key: { page: u16Key },
});
