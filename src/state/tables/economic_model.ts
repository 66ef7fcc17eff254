import type { ValueOf } from '../../codec/codec.ts';
import { i64 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';

export const economicModelRow = struct({
  mining_pool_from_coinbase: i64,
  mining_pool_from_fees: i64,
  interest_pool_from_coinbase: i64,
  interest_pool_from_fees: i64,
  promotion_pool: i64,
  burn_pool: i64,
  initial_promotion_pool: i64,
  coinbase_block_reward: i64,
  /** The sum of the supplies that `historic_supply` holds. */
  accumulated_supply: i64,
});

export type EconomicModel = ValueOf<typeof economicModelRow>;

/** The pools outside the supply (chain.md 10.1). */
export const economicModel = table({
  name: 'economic_model',
  value: economicModelRow,
  key: {},
});
