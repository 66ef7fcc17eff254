import type { ChainParameters } from './parameters.ts';
import type { EconomicModel } from './tables/economic_model.ts';

const PRECISION = 262_144n; // the lineage calculates the release per block in this fraction

/**
 * The amount available from the promotion pool after block `headBlockNumber`: its initial part is released evenly over
 * the coinbase years (chain_rules.md#pools). After those, all of it is free, or all locked where the lineage's
 * subtraction wraps around.
 */
export function availablePromotionPool(
  parameters: ChainParameters,
  model: EconomicModel,
  headBlockNumber: number,
): bigint {
  if (parameters.rules.promotion_pool_opens && headBlockNumber >= parameters.coinbaseBlocks)
    return model.promotion_pool;
  const blocks = BigInt(parameters.coinbaseBlocks);
  const lockedPerBlock = (model.initial_promotion_pool * PRECISION) / blocks;
  const blocksLeft = blocks - BigInt(headBlockNumber);
  const locked = BigInt.asUintN(128, lockedPerBlock * blocksLeft) / PRECISION;
  return locked > model.promotion_pool ? 0n : model.promotion_pool - locked;
}
