import type { ValueOf } from '../../codec/codec.ts';
import { u16Key } from '../../codec/key.ts';
import { u16, i64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';

const row = struct({
  slot: u16,
  supply: i64,
});

export type HistoricSupply = ValueOf<typeof row>;

/** The supply after each of the last 2 400 blocks, at block number mod 2 400. */
export const historicSupplies = table({
  name: 'historic_supply',
  value: row,
  key: { slot: u16Key },
});
