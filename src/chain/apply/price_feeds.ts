import { headProperties, type ChainState } from '../../state/chain_state.ts';
import { FEED_HISTORY_WINDOW, MAX_FEED_AGE_SECONDS } from '../../state/parameters.ts';
import { feedHistories } from '../../state/tables/feed_history.ts';
import { witnesses } from '../../state/tables/witness.ts';
import { witnessSchedule } from '../../state/tables/witness_schedule.ts';
import type { AssetSymbol } from '../../values/asset.ts';
import { comparePrices, isNullPrice, type Price } from '../../values/price.ts';
import { scheduledNames } from './slots.ts';

/**
 * Every hour, the median of the prices published by the witnesses of the round becomes the price
 * (chain_rules.md#price-feeds).
 */
export function updatePriceFeeds(state: ChainState): void {
  if (headProperties(state).head_block_number % state.parameters.blocksPerHour !== 0) return;
  for (const [symbol, rates] of freshRates(state)) {
    if (rates.length >= state.parameters.minFeeds) appendMedian(state, symbol, rates);
  }
}

function freshRates(state: ChainState): Map<AssetSymbol, Price[]> {
  const { time } = headProperties(state);
  const bySymbol = new Map<AssetSymbol, Price[]>();
  for (const name of scheduledNames(state.rows.only(witnessSchedule))) {
    for (const [symbol, { rate, last_change }] of state.rows.get(witnesses, name)?.submitted_exchange_rates ?? []) {
      if (last_change + MAX_FEED_AGE_SECONDS <= time || isNullPrice(rate)) continue;
      const rates = bySymbol.get(symbol) ?? [];
      rates.push(rate);
      bySymbol.set(symbol, rates);
    }
  }
  return bySymbol;
}

function appendMedian(state: ChainState, symbol: AssetSymbol, rates: readonly Price[]): void {
  const feed = state.rows.get(feedHistories, symbol);
  const current_median_history = rates.toSorted((a, b) => comparePrices(a, b) ?? 0)[Math.trunc(rates.length / 2)];
  if (feed === undefined || current_median_history === undefined) return;
  const price_history = [...feed.price_history, current_median_history].slice(-FEED_HISTORY_WINDOW);
  state.rows.put(feedHistories, { ...feed, current_median_history, price_history });
}
