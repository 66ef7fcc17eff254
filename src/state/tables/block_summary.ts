import type { ValueOf } from '../../codec/codec.ts';
import { u16Key } from '../../codec/key.ts';
import { u16 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';
import { hash160 } from '../../values/hash.ts';

const row = struct({
  slot: u16,
  block_id: hash160,
});

export type BlockSummary = ValueOf<typeof row>;

/** Ids of the last 65 536 blocks, at block number mod 65 536, for reference checks. */
export const blockSummaries = table({
  name: 'block_summary',
  value: row,
  key: { slot: u16Key },
});
