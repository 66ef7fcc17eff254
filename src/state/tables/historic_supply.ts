import { vector } from '../../codec/collections.ts';
import { u16Key } from '../../codec/key.ts';
import { i64, u16 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';

const row = struct({
  page: u16,
  supplies: vector(i64),
});

/** The supply after each of the last 2 400 blocks, at block number mod 2 400; 32 per row. */
export const historicSupplies = table({
  name: 'historic_supply',
  value: row,
  key: { page: u16Key },
});
