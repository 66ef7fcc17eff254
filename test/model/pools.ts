import type { State } from './state.ts';
import { u128 } from './values.ts';

// chain_rules.md#pools: the pools.

const PROMOTION_PRECISION = 262_144n;

/** A fee leaves the supply and is shared out. */
export function addFee(state: State, amount: bigint): void {
  const { burnPercentage, miningPercentage, promotionPercentage } = state.parameters;
  const { burnPool, miningFromFees, promotionPool, interestFromFees } = state.economy;
  const burned = (amount * burnPercentage) / 10_000n;
  const rest = amount - burned;
  const mining = (rest * miningPercentage) / 10_000n;
  const promotion = (rest * promotionPercentage) / 10_000n;
  state.changeEconomy({
    burnPool: burnPool + burned,
    miningFromFees: miningFromFees + mining,
    promotionPool: promotionPool + promotion,
    interestFromFees: interestFromFees + rest - mining - promotion,
  });
}

/** Returns the part that the promotion pool must keep. */
function lockedPromotion(state: State): bigint {
  const { coinbaseBlocks, rules } = state.parameters;
  const passed = BigInt(state.globals.number);
  if (rules.promotionPoolOpensAtTheEnd && passed >= coinbaseBlocks) return 0n;
  const perBlock = (state.economy.initialPromotionPool * PROMOTION_PRECISION) / coinbaseBlocks;
  return u128(perBlock * u128(coinbaseBlocks - passed)) / PROMOTION_PRECISION;
}

/** Returns the free part of the promotion pool; below zero while the pool holds less than it must keep. */
export const availablePromotion = (state: State): bigint => state.economy.promotionPool - lockedPromotion(state);
