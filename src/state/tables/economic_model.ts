import type { ValueOf } from '../../codec/codec.ts';
import { i64, u128 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { table } from '../../storage/table.ts';

/** The protection index at genesis: 1. */
export const FIRST_PROTECTION_INDEX = 2n ** 64n;

export const economicModelRow = struct({
  mining_pool_from_coinbase: i64,
  mining_pool_from_fees: i64,
  interest_pool_from_coinbase: i64,
  interest_pool_from_fees: i64,
  promotion_pool: i64,
  burn_pool: i64,
  initial_promotion_pool: i64,
  coinbase_block_reward: i64,
  /** The sum of the supplies in `historic_supply`. */
  accumulated_supply: i64,
  /**
   * The present worth of a vesting share from genesis, so that it was not diluted: a fixed-point number with 64 binary
   * places.
   */
  protection_index: u128,
  /** Never less than the sum of all vesting shares and everything that protection owes. */
  protection_bound: i64,
  /** Vesting shares issued by protection. */
  protection_issued: i64,
  /** The amount withdrawn from the promotion pool, up to its initial size: coins that had never been in circulation. */
  promotion_withdrawn: i64,
});

export type EconomicModel = ValueOf<typeof economicModelRow>;

/** The pools outside the supply (chain_rules.md#pools). */
export const economicModel = table({
  name: 'economic_model',
  value: economicModelRow,
  key: {},
});
